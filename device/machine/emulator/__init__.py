"""A whole machine in software: for users without hardware, and for tests. `taicam emulate machine` runs it."""
