"""Hardware: cameras, the serial automatic machine, and attached displays.

Drivers are found by name and imported when first used. Nothing here knows the detector or the appliance;
only `scoring` may be imported, for what a display shows.
"""
