#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""An application with its own rtpbin, in Python: the rate, the statistics, and
another controller and LDA while it plays.

A sender and a receiver, which has nothing of ours, talk over UDP on this
machine, through a path that loses 2 % of the packets.
"""
import argparse
import sys

import gi

gi.require_version('Gst', '1.0')
from gi.repository import GLib, Gst  # noqa: E402

TWCC = ('http://www.ietf.org/id/'
        'draft-holmer-rmcat-transport-wide-cc-extensions-01')
CAPS = ('application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,'
        'payload=96,extmap-1=(string)' + TWCC)

# Feedback comes with each frame: AVPF, and bandwidth enough for RTCP.
RECEIVER = f'''
    rtpbin name=rtp rtp-profile=avpf latency=50 rtpsession0::bandwidth=4000000
    udpsrc name=rtpsrc port=0 address=127.0.0.1 caps="{CAPS}"
    ! rtp.recv_rtp_sink_0
    rtp.send_rtcp_src_0 ! udpsink name=rtcpsink host=127.0.0.1
        sync=false async=false
    rtp. ! rtph264depay ! avdec_h264 ! fakesink name=view signal-handoffs=true
        sync=false'''

SENDER = f'''
    rtpbin name=rtp rtp-profile=avpf
    videotestsrc is-live=true pattern=ball
    ! video/x-raw,width=320,height=180,framerate=30/1
    ! x264enc tune=zerolatency speed-preset=ultrafast vbv-buf-capacity=200
    ! rtph264pay mtu=1200 ! {CAPS}
    ! rtpadaptsend name=adapt max-bitrate=1000000 ! rtp.send_rtp_sink_0
    rtp.send_rtp_src_0 ! rtpadaptlink seed=1
        link="bottleneck rate=1500k queue=100ms ! delay 10ms ! bernoulli 2%"
    ! udpsink name=rtpsink host=127.0.0.1 sync=false async=false
    udpsrc name=rtcpsrc port=0 address=127.0.0.1 ! rtp.recv_rtcp_sink_0'''


def join(sender, sink, receiver, source):
    """`sink` of one sends to the port that `source` of the other got."""
    udpsrc = receiver.get_by_name(source)
    udpsrc.set_state(Gst.State.READY)  # it binds
    sender.get_by_name(sink).set_property('port', udpsrc.get_property('port'))


class App:
    def __init__(self, wanted):
        self.wanted = wanted
        self.frames = self.notified = 0
        self.switched = self.failed = False
        self.loop = GLib.MainLoop()
        self.sender = Gst.parse_launch(SENDER)
        self.receiver = Gst.parse_launch(RECEIVER)
        join(self.sender, 'rtpsink', self.receiver, 'rtpsrc')
        join(self.receiver, 'rtcpsink', self.sender, 'rtcpsrc')
        for pipeline in self.pipelines():
            bus = pipeline.get_bus()
            bus.add_signal_watch()
            bus.connect('message::error', self.on_error)
            bus.connect('message::element', self.on_element)
        self.adapt = self.sender.get_by_name('adapt')
        self.adapt.connect('notify::estimated-bitrate', self.on_bitrate)
        self.receiver.get_by_name('view').connect('handoff', self.on_frame)

    def pipelines(self):
        return self.receiver, self.sender

    def on_error(self, bus, message):
        print(message.parse_error()[0].message, file=sys.stderr)
        self.failed = True
        self.loop.quit()

    def on_bitrate(self, adapt, pspec):
        """In a thread of the element's.  An application whose encoder
        rtpadaptsend does not know sets its bitrate here."""
        self.notified += 1

    def on_frame(self, view, buffer, pad):
        self.frames += 1

    def on_element(self, bus, message):
        """Once per second: stats-interval."""
        stats = message.get_structure()
        if stats.get_name() != 'application/x-rtpadaptsend-stats':
            return
        value = stats.get_value
        print(f"{value('controller')} + {value('lda')}: "
              f"{value('estimated-bitrate') // 1000} kbit/s, "
              f"RTT {value('rtt') / 1e6:.0f} ms, losses: "
              f"{value('congestion-losses')} congestion, "
              f"{value('wireless-losses')} wireless")
        if not self.switched and self.frames >= self.wanted / 2:
            Gst.util_set_object_arg(self.adapt, 'controller', 'ssvp')
            Gst.util_set_object_arg(self.adapt, 'lda', 'spike')
            self.switched = True
        if self.frames >= self.wanted:
            self.loop.quit()

    def run(self):
        for pipeline in self.pipelines():
            pipeline.set_state(Gst.State.PLAYING)
        self.loop.run()
        for pipeline in self.pipelines():
            pipeline.set_state(Gst.State.NULL)
        print(f'{self.frames} frames, bitrate notified {self.notified} times')
        return self.switched and self.notified > 0 and not self.failed


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('frames', metavar='FRAMES', nargs='?', type=int, default=300,
                        help='to play (300)')
    frames = parser.parse_args().frames
    Gst.init(None)
    return App(frames).run()


sys.exit(0 if main() else 1)
