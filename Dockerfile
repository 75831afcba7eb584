# SPDX-License-Identifier: LGPL-2.1-or-later
# GStreamer with these elements and programs:
#   docker build -t rtpadapt .
# README's two lines; the camera is a test picture, the window a file:
#   docker run --rm --network host rtpadapt sh -c 'gst-launch-1.0 videotestsrc is-live=true ! \
#     videoconvert ! x264enc tune=zerolatency speed-preset=superfast vbv-buf-capacity=200 ! \
#     rtph264pay ! rtpadaptsink uri=rtpadapt://127.0.0.1:5004'
#   docker run --rm --network host -v "$PWD:/out" rtpadapt sh -c 'gst-launch-1.0 rtpadaptsrc \
#     uri=rtpadapt://0.0.0.0:5004 encoding-name=H264 ! rtph264depay request-keyframe=true ! \
#     avdec_h264 ! videoconvert ! pngenc snapshot=true ! filesink location=/out/picture.png'
# With a camera: --device /dev/video0 and v4l2src in place of videotestsrc is-live=true.
FROM debian:bookworm-slim AS build
ENV DEBIAN_FRONTEND=noninteractive
COPY tools/install-deps /src/tools/install-deps
RUN /src/tools/install-deps --plugin && \
    apt-get install -y --no-install-recommends libjson-glib-dev libsoup-3.0-dev
COPY . /src
RUN meson setup /build /src --buildtype=release --prefix=/usr \
      -Dtests=disabled -Dexamples=disabled -Ddocs=disabled -Dtools=enabled -Dmonitor=enabled && \
    ninja -C /build && \
    DESTDIR=/installed meson install -C /build

FROM debian:bookworm-slim
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good \
      gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly gstreamer1.0-libav \
      libsrtp2-1 libjson-glib-1.0-0 libsoup-3.0-0 && \
    rm -rf /var/lib/apt/lists/*
COPY --from=build /installed/usr /usr
RUN gst-inspect-1.0 rtpadaptsink >/dev/null && rtpadapt-sim --help >/dev/null
CMD ["gst-inspect-1.0", "rtpadapt"]
