"""The players' pages: a kiosk display and the tablet companion, served by `taicam run`, with no network needed."""
