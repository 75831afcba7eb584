# What vbv and sizes have in common: a clip, x264enc, a pacer, VMAF.
# SPDX-License-Identifier: LGPL-2.1-or-later
import os
import re
import subprocess
import tempfile

import gi
gi.require_version('Gst', '1.0')
from gi.repository import Gst

HERE = os.path.dirname(os.path.abspath(__file__))
CLIP = HERE + '/../../media/clips/cityCC0.mpg'
# With libvmaf: tools/compare-run/rivals makes it.
FFMPEG = os.environ.get('FFMPEG', HERE + '/../../build/rivals/ffmpeg')
FPS = 25
SETTINGS = 'tune=zerolatency speed-preset=superfast'

folder = tempfile.TemporaryDirectory()
Gst.init(None)


class Clip:
    """Raw pictures in a file."""

    def __init__(self, path, width, height):
        self.path, self.width, self.height = path, width, height


def ffmpeg(*arguments):
    return subprocess.run([FFMPEG, '-hide_banner', '-nostdin', '-y', *arguments],
                          check=True, text=True, stderr=subprocess.PIPE).stderr


def reference(width, height, loops=1):
    """The clip `loops` times, from its first picture on each time."""
    path = '%s/reference-%dx%d.yuv' % (folder.name, width, height)
    ffmpeg('-stream_loop', str(loops - 1), '-i', CLIP, '-vf',
           'scale=%d:%d:flags=bicubic' % (width, height), '-pix_fmt', 'yuv420p',
           '-fps_mode', 'passthrough', '-f', 'rawvideo', path)
    return Clip(path, width, height)


def encode(clip, settings, kbps, width=0, height=0, fps=FPS):
    """Sizes of the frames in bytes, and the file they are in."""
    coded = folder.name + '/coded.h264'
    pipeline = Gst.parse_launch(
        'filesrc location=%s ! rawvideoparse format=i420 width=%d height=%d '
        'framerate=%d/1 ! videorate drop-only=true ! videoscale ! '
        'video/x-raw,width=%d,height=%d,framerate=%d/1 ! '
        'x264enc %s %s bitrate=%d ! video/x-h264,stream-format=byte-stream ! '
        'appsink name=sink sync=false' % (
            clip.path, clip.width, clip.height, FPS, width or clip.width,
            height or clip.height, fps, SETTINGS, settings, kbps))
    sink = pipeline.get_by_name('sink')
    sizes = []
    pipeline.set_state(Gst.State.PLAYING)
    with open(coded, 'wb') as file:
        while True:
            sample = sink.emit('pull-sample')
            if sample is None:
                break
            data = sample.get_buffer()
            data = data.extract_dup(0, data.get_size())
            file.write(data)
            sizes.append(len(data))
    pipeline.set_state(Gst.State.NULL)
    return sizes, coded


def waits(sizes, kbps, fps=FPS):
    """Seconds from when each frame comes until its last byte has left."""
    free, found = 0, []
    for i, size in enumerate(sizes):
        free = max(free, i / fps) + size * 8 / (kbps * 1e3)
        found.append(free - i / fps)
    return found


def percentile(values, part):
    return sorted(values)[min(int(part * len(values)), len(values) - 1)]


def vmaf(clip, coded, fps=FPS):
    """Of what the viewer sees: scaled to the clip's size, each picture held until
    the next one."""
    text = ffmpeg(
        '-r', str(fps), '-i', coded, '-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s',
        '%dx%d' % (clip.width, clip.height), '-r', str(FPS), '-i', clip.path,
        '-lavfi', '[0:v]fps=%d:round=up,scale=%d:%d:flags=bicubic,settb=1/%d,'
        'setpts=N[a];[1:v]settb=1/%d,setpts=N[b];[a][b]libvmaf=n_threads=2' % (
            FPS, clip.width, clip.height, FPS, FPS), '-f', 'null', '-')
    return float(re.search(r'VMAF score: ([\d.]+)', text).group(1))
