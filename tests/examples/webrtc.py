#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""rtpadaptsend inside webrtcbin, for a browser.

Open the address that it prints.
"""
import argparse
import sys
import threading

import gi

try:
    gi.require_version('Gst', '1.0')
    gi.require_version('GstSdp', '1.0')
    gi.require_version('GstWebRTC', '1.0')
except ValueError as error:
    sys.exit(f'{error}. Debian has it in gir1.2-gst-plugins-bad-1.0.')
from gi.repository import GLib, Gst, GstSdp, GstWebRTC  # noqa: E402

from viewserver import ViewServer  # noqa: E402

TWCC = ('http://www.ietf.org/id/'
        'draft-holmer-rmcat-transport-wide-cc-extensions-01')

SENDER = f'''
    webrtcbin name=webrtc bundle-policy=max-bundle
    videotestsrc is-live=true pattern=ball
    ! video/x-raw,width=640,height=360,framerate=30/1
    ! vp8enc deadline=1 cpu-used=8 end-usage=cbr lag-in-frames=0 buffer-size=150
      buffer-optimal-size=120 buffer-initial-size=100
    ! rtpvp8pay mtu=1200 picture-id-mode=15-bit
    ! application/x-rtp,media=video,clock-rate=90000,encoding-name=VP8,
      payload=96,rtcp-fb-transport-cc=(boolean)true,rtcp-fb-nack-pli=(boolean)true,
      extmap-1=(string){TWCC}
    ! webrtc.'''


def on_aux_sender(webrtc, transport):
    """It stands right before webrtcbin's RTP session."""
    adapt = Gst.ElementFactory.make('rtpadaptsend')
    adapt.set_property('max-bitrate', 1000000)
    return adapt


class App:
    def __init__(self, wanted, port):
        self.wanted = wanted
        self.frames = self.rtt = 0
        self.failed = False
        self.gathered = threading.Event()
        self.loop = GLib.MainLoop()
        self.sender = Gst.parse_launch(SENDER)
        self.webrtc = self.sender.get_by_name('webrtc')
        self.webrtc.connect('request-aux-sender', on_aux_sender)
        self.webrtc.connect('on-negotiation-needed', self.on_negotiation)
        self.webrtc.connect('notify::ice-gathering-state', self.on_gathering)
        bus = self.sender.get_bus()
        bus.add_signal_watch()
        bus.connect('message::error', self.on_error)
        bus.connect('message::element', self.on_element)
        self.view = ViewServer(port, {'/offer': self.offer},
                               {'/answer': self.answer, '/view': self.on_view})
        print(f'http://127.0.0.1:{self.view.port}', flush=True)

    # An offer with all candidates, and the answer.

    def on_negotiation(self, webrtc):
        webrtc.emit('create-offer', None,
                    Gst.Promise.new_with_change_func(self.on_offer))

    def on_offer(self, promise):
        reply = promise.get_reply()  # has to live as long as what is in it
        self.webrtc.emit('set-local-description', reply.get_value('offer'),
                         Gst.Promise.new())

    def on_gathering(self, webrtc, pspec):
        if webrtc.get_property('ice-gathering-state') == \
                GstWebRTC.WebRTCICEGatheringState.COMPLETE:
            self.gathered.set()

    def offer(self):
        self.gathered.wait()
        local = self.webrtc.get_property('local-description')
        return {'type': 'offer', 'sdp': local.sdp.as_text()}

    def answer(self, said):
        sdp = GstSdp.SDPMessage.new_from_text(said['sdp'])[1]
        answer = GstWebRTC.WebRTCSessionDescription.new(
            GstWebRTC.WebRTCSDPType.ANSWER, sdp)
        self.webrtc.emit('set-remote-description', answer, Gst.Promise.new())

    # What comes of it.

    def on_view(self, said):
        print(f'browser: {said}', flush=True)
        self.frames = said.get('frames', 0)
        if 'error' in said:
            self.failed = True
            self.loop.quit()

    def on_error(self, bus, message):
        print(message.parse_error()[0].message, file=sys.stderr)
        self.failed = True
        self.loop.quit()

    def on_element(self, bus, message):
        stats = message.get_structure()
        if stats.get_name() != 'application/x-rtpadaptsend-stats':
            return
        value = stats.get_value
        self.rtt = value('rtt')
        print(f"{value('estimated-bitrate') // 1000} kbit/s, encoder "
              f"{value('encoder-bitrate') // 1000}, RTT {self.rtt / 1e6:.0f} ms",
              flush=True)
        if 0 < self.wanted <= self.frames:
            self.loop.quit()

    def run(self):
        self.sender.set_state(Gst.State.PLAYING)
        self.loop.run()
        self.sender.set_state(Gst.State.NULL)
        # An RTT is known once feedback came.
        return not self.failed and self.rtt > 0


def options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('frames', metavar='FRAMES', nargs='?', type=int, default=0,
                        help='decoded pictures after which it ends (0: it goes on)')
    parser.add_argument('port', metavar='PORT', nargs='?', type=int, default=8080,
                        help='of the page (8080)')
    return parser.parse_args()


args = options()
Gst.init(None)
sys.exit(0 if App(args.frames, args.port).run() else 1)
