#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""rtpadaptsend inside webrtcsink of gst-plugins-rs, for each of its consumers.

Open the address that it prints in a browser.  webrtcsink listens at the next port.
"""
import argparse
import sys

import gi

gi.require_version('Gst', '1.0')
gi.require_version('GstRtp', '1.0')
from gi.repository import GLib, Gst, GstRtp  # noqa: E402

from viewserver import ViewServer  # noqa: E402

TWCC = ('http://www.ietf.org/id/'
        'draft-holmer-rmcat-transport-wide-cc-extensions-01')


# --- the recipe ---------------------------------------------------------------

def adapt_add(webrtcsink, **properties):
    """Each consumer's webrtcbin gets an rtpadaptsend "adapt" with these properties."""
    webrtcsink.set_property('congestion-control', 'disabled')
    webrtcsink.set_property('do-fec', False)
    webrtcsink.connect('payloader-setup', on_payloader)
    webrtcsink.connect('consumer-added', on_consumer, properties)


def on_payloader(webrtcsink, consumer, stream, payloader):
    """Without congestion control of its own it offers no transport-wide numbers."""
    extension = GstRtp.RTPHeaderExtension.create_from_uri(TWCC)
    extension.set_id(1)
    payloader.emit('add-extension', extension)
    return False  # it goes on to set it up


def on_consumer(webrtcsink, consumer, webrtcbin, properties):
    webrtcbin.connect('request-aux-sender', on_aux_sender, properties)


def on_aux_sender(webrtcbin, transport, properties):
    """It finds the consumer's encoder upstream."""
    adapt = Gst.ElementFactory.make('rtpadaptsend', 'adapt')
    for name, value in properties.items():
        adapt.set_property(name.replace('_', '-'), value)
    return adapt


# --- an application -------------------------------------------------------------

SENDER = '''
    videotestsrc is-live=true pattern=ball
    ! video/x-raw,width=640,height=360,framerate=30/1
    ! webrtcsink name=sink video-caps=video/x-vp8 stun-server=NULL
      run-signalling-server=true signalling-server-host=127.0.0.1'''


class App:
    def __init__(self, wanted, port):
        self.wanted = wanted
        self.frames = self.rtt = self.rate = 0
        self.failed = False
        self.consumers = {}  # webrtcbin by name
        self.loop = GLib.MainLoop()
        self.sender = Gst.parse_launch(SENDER)
        self.view = ViewServer(port, {}, {'/view': self.on_view})
        port = self.view.port
        sink = self.sender.get_by_name('sink')
        sink.set_property('signalling-server-port', port + 1)
        sink.get_property('signaller').set_property(
            'uri', f'ws://127.0.0.1:{port + 1}')
        adapt_add(sink, max_bitrate=1000000, estimated_bitrate=600000)
        sink.connect('consumer-added', self.on_consumer)
        sink.connect('consumer-removed', self.on_consumer_gone)
        bus = self.sender.get_bus()
        bus.add_signal_watch()
        bus.connect('message::error', self.on_error)
        print(f'http://127.0.0.1:{port}/?signalling=ws://127.0.0.1:{port + 1}',
              flush=True)

    def on_consumer(self, sink, consumer, webrtcbin):
        self.consumers[consumer] = webrtcbin

    def on_consumer_gone(self, sink, consumer, webrtcbin):
        self.consumers.pop(consumer, None)

    def on_view(self, said):
        print(f'browser: {said}', flush=True)
        self.frames = said.get('frames', 0)

    def on_error(self, bus, message):
        print(message.parse_error()[0].message, file=sys.stderr)
        self.failed = True
        self.loop.quit()

    def on_second(self):
        for webrtcbin in list(self.consumers.values()):
            adapt = webrtcbin.get_by_name('adapt')
            if not adapt:
                continue
            stats = adapt.get_property('stats')
            value = stats.get_value
            self.rtt, self.rate = value('rtt') or 0, value('encoder-bitrate')
            print(f"{value('estimated-bitrate') // 1000} kbit/s, encoder "
                  f"{self.rate // 1000}, RTT {self.rtt / 1e6:.0f} ms", flush=True)
        if 0 < self.wanted <= self.frames:
            self.loop.quit()
        return GLib.SOURCE_CONTINUE

    def run(self):
        self.sender.set_state(Gst.State.PLAYING)
        GLib.timeout_add_seconds(1, self.on_second)
        self.loop.run()
        self.sender.set_state(Gst.State.NULL)
        # An RTT is known once feedback came.
        return not self.failed and self.rtt > 0 and self.rate > 0


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
if not Gst.ElementFactory.find('webrtcsink'):
    print('There is no webrtcsink; tools/install-rivals webrtc builds it.',
          file=sys.stderr)
    sys.exit(77)
sys.exit(0 if App(args.frames, args.port).run() else 1)
