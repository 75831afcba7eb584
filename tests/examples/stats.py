#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How to read statistics in Python.

A structure inside a structure belongs to the outer one: PyGObject does not copy it.
Where the outer one is freed while the inner one is still in use, as in

    rtt = sink.get_property('stats').get_value('sender').get_value('rtt')

memory is read that is free.  plain() copies all of it while the outer one is held.
Lists of structures are read by get_array(), which gives GLib's deprecated array:
PyGObject alone does not know GStreamer's type of lists.

This plays some frames over loopback and prints some of what the two sides say.
"""
import argparse
import sys
import warnings

import gi

gi.require_version('Gst', '1.0')
from gi.repository import Gst  # noqa: E402

warnings.filterwarnings('ignore', 'GObject.ValueArray', DeprecationWarning)


def plain(structure):
    """A structure as a dict, whose values are numbers, texts, dicts and lists."""
    found = {}
    for i in range(structure.n_fields()):
        name = structure.nth_field_name(i)
        kind = structure.get_field_type(name).name
        if kind == 'GstValueArray':
            values = structure.get_array(name)[1]
            found[name] = [plain(values.get_nth(k)) for k in range(values.n_values)]
        elif kind == 'GstFraction': # of the message rtpadapt-size
            found[name] = structure.get_fraction(name)[1:]
        else:
            value = structure.get_value(name)
            found[name] = plain(value) if kind == 'GstStructure' else value
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('frames', metavar='FRAMES', nargs='?', type=int, default=300,
                        help='to play (300)')
    frames = parser.parse_args().frames
    Gst.init(None)
    receiver = Gst.parse_launch(
        'rtpadaptsrc name=r address=127.0.0.1 port=0 encoding-name=H264 '
        '! rtph264depay ! fakesink')
    receiver.set_state(Gst.State.PAUSED)
    source = receiver.get_by_name('r')
    sender = Gst.parse_launch(
        'videotestsrc is-live=true num-buffers=%d '
        '! video/x-raw,format=I420,width=320,height=240 ! x264enc tune=zerolatency '
        '! rtph264pay ! rtpadaptsink name=s host=127.0.0.1 port=%d'
        % (frames, source.get_property('port')))
    for pipeline in receiver, sender:
        pipeline.set_state(Gst.State.PLAYING)
    message = sender.get_bus().timed_pop_filtered(
        60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    sent = plain(sender.get_by_name('s').get_property('stats'))
    came = plain(source.get_property('stats'))
    for pipeline in sender, receiver:
        pipeline.set_state(Gst.State.NULL)
    print('%d packets sent, %d came, RTT %.1f ms' % (
        sent['sender']['packets-sent'], came['receiver']['packets'],
        sent['sender']['rtt'] / 1e6))
    for stream in came['streams']:
        print('%s: %d packets, %d lost' % (
            stream['pad'], stream['pushed'], stream['lost']))
    return message and message.type == Gst.MessageType.EOS and came['streams']


if __name__ == '__main__':
    sys.exit(0 if main() else 1)
