"""A real RTSP camera for tests, by GStreamer: `python3 rtsp_server.py PORT USER PASSWORD`. Runs on the system's Python,
which has Debian's GStreamer bindings; prints `ready` when it listens."""

import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

port, user, password = sys.argv[1:4]
Gst.init(None)
server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service(port)
factory = GstRtspServer.RTSPMediaFactory()
factory.set_shared(True)
factory.set_launch(
    "( videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420,width=320,height=240,framerate=20/1 "
    "! jpegenc ! rtpjpegpay name=pay0 pt=26 )"
)
if password:
    auth = GstRtspServer.RTSPAuth()
    token = GstRtspServer.RTSPToken()
    token.set_string(GstRtspServer.RTSP_TOKEN_MEDIA_FACTORY_ROLE, "viewer")
    auth.add_basic(GstRtspServer.RTSPAuth.make_basic(user, password), token)
    server.set_auth(auth)
    rights = "viewer, media.factory.access=(boolean)true, media.factory.construct=(boolean)true"
    factory.add_role_from_structure(Gst.Structure.from_string(rights)[0])
server.get_mount_points().add_factory("/cam", factory)
server.attach(None)
sys.stdout.write("ready\n")
sys.stdout.flush()
GLib.MainLoop().run()
