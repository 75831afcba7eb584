/* The encoders that are known, and how each one is driven.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tests/bench/encoders.csv has how near each one's RTP stream came to its target
 * with the row's settings, in the 5 s after a step from 600 to 1500 kbit/s and
 * after the step back: within 10 % for all of these in Debian 12.  Figures with
 * other settings below are from the same steps.
 */
#include "encodertable.h"

/* tests/bench/vbv.csv: with 40, 60, 80 and 120 ms x264 is 20, 29, 20 and 9 % below its
 * bitrate, and worth 1 to 7 VMAF less.  Its largest frame waits less than with 200 ms only
 * with 80 ms and below.  The default 600 ms was 12 % below its target, with
 * twice the target in half a second. */
static const EncoderSetting x264_must[] = {
  { "vbv-buf-capacity", .bad = "0", .max = 400, .set = "200",
      .why = "without a VBV x264 keeps its first bitrate, with a long one its "
             "frames come in bursts" },
  { "tune", .good = "*zerolatency*",
      .why = "else frames wait, and the bitrate was missed by 15 %" },
  { "pass", .bad = "quant", .why = "the bitrate is not used" },
  { "option-string", .bad = "*nal-hrd=cbr*|*nal-hrd=vbr*",
      .why = "with HRD x264 keeps its first bitrate" },
  { NULL },
};

static const EncoderSetting x265_must[] = {
  { "tune", .good = "zerolatency",
      .why = "else each change stops the picture, for 0.4 s when measured" },
  { NULL },
};

/* libvpx takes as long to come back to its bitrate as its buffer is.  With
 * the defaults (6 s, vbr) vp8enc was a third below its target. */
static const EncoderSetting vpx_must[] = {
  { "end-usage", .good = "cbr", .set = "cbr",
      .why = "the bitrate is only a mean over many seconds" },
  { "buffer-size", .max = 600, .set = "150",
      .why = "a change takes as long as the buffer is" },
  { "buffer-optimal-size", .max = 500, .set = "120",
      .why = "a change takes as long as the buffer is" },
  { "buffer-initial-size", .max = 400, .set = "100",
      .why = "the first frame is as big as the buffer" },
  { NULL },
};

static const EncoderSetting openh264_must[] = {
  { "rate-control", .good = "quality|bitrate",
      .why = "the bitrate is not used" },
  { "max-bitrate", .good = "0", .why = "a bitrate above it is refused" },
  { NULL },
};

/* libaom 3.6 with max-quantizer's default, 0, is nearly lossless as vbr and
 * aborts as cbr: nothing that we may touch while it runs. */
static const EncoderSetting av1_must[] = {
  { "max-quantizer", .bad = "0", .why = "coding is nearly lossless" },
  { "end-usage", .good = "cbr",
      .why = "the bitrate is only a mean over many seconds" },
  { "buf-sz", .max = 600, .why = "a change takes as long as the buffer is" },
  { NULL },
};

static const EncoderSetting svt_must[] = {
  { "target-bitrate", .good = "",
      .why = "it keeps the bitrate that it starts with; no version up to 1.28 "
             "changes it while it runs" },
  { NULL },
};

static const EncoderSetting cbr_must[] = {
  { "rate-control", .good = "cbr", .why = "the bitrate is not held to" },
  { NULL },
};

static const EncoderSetting nvenc_must[] = {
  { "rc-mode", .bad = "constqp", .why = "the bitrate is not used" },
  { NULL },
};

static const EncoderSetting qsv_must[] = {
  { "rate-control", .bad = "cqp|icq|la_icq", .why = "the bitrate is not used" },
  { NULL },
};

static const EncoderSetting mpp_must[] = {
  { "rc-mode", .bad = "fixqp", .why = "the bitrate is not used" },
  { "bps-max", .good = "0", .why = "a bitrate above it is not held to" },
  { "bps-min", .good = "0", .why = "a bitrate below it is not held to" },
  { NULL },
};

static const EncoderSetting omx_must[] = {
  { "control-rate", .bad = "disable", .why = "the bitrate is not used" },
  { NULL },
};

/* What cameras code that rtpadaptsend can send. */
#define CODED "video/x-h264|video/x-h265|video/x-vp8|video/x-vp9|video/x-av1"

/* Hardware that takes a bitrate at any time: not more often than it may follow. */
#define AS_HARDWARE_LIKES                                        \
  .unit = 1, .step = 1, .least = ENCODER_LEAST, .min_change = 5, \
  .min_interval = 500 * GST_MSECOND

#define BY_QUALITY \
  .by_quality = TRUE, .unit = 1, .step = 1, .least = ENCODER_LEAST

/* Adding an encoder is a row; the first that fits counts. */
const EncoderRow encoder_table[] = {
  { .factory = "x264enc",
      .property = "bitrate",
      .unit = ENCODER_KILO,
      .step = ENCODER_KILO,
      .least = ENCODER_LEAST,
      .min_change = 1,
      .lags = TRUE,
      .largest = "vbv-buf-capacity",
      .settings = "tune=zerolatency speed-preset=superfast "
                  "vbv-buf-capacity=200",
      .change = "from the next frame on",
      .must = x264_must },
  /* gstx265enc.c: "x265_encoder_reconfig not implemented", in main too. */
  { .factory = "x265enc",
      .property = "bitrate",
      ENCODER_RESTARTS (ENCODER_KILO),
      .settings = "tune=zerolatency speed-preset=ultrafast key-int-max=250",
      .change = "another encoder is made, which begins with a key frame",
      .must = x265_must },
  { .factory = "vp8enc",
      .property = "target-bitrate",
      .unit = 1,
      .step = ENCODER_KILO,
      .least = ENCODER_LEAST,
      .min_change = 1,
      .settings = "deadline=1 cpu-used=8 end-usage=cbr buffer-size=150 "
                  "buffer-optimal-size=120 buffer-initial-size=100",
      .change = "from the next frame on; waits for the one being coded",
      .must = vpx_must },
  { .factory = "vp9enc",
      .property = "target-bitrate",
      .unit = 1,
      .step = ENCODER_KILO,
      .least = ENCODER_LEAST,
      .min_change = 1,
      .settings = "deadline=1 cpu-used=8 end-usage=cbr buffer-size=150 "
                  "buffer-optimal-size=120 buffer-initial-size=100 "
                  "lag-in-frames=0",
      .change = "from the next frame on; waits for the one being coded",
      .must = vpx_must },
  { .factory = "openh264enc",
      .property = "bitrate",
      .unit = 1,
      .step = 1,
      .least = ENCODER_LEAST,
      .min_change = 1,
      .settings = "complexity=low gop-size=250",
      .change = "from the next frame on",
      .must = openh264_must },
  { .factory = "av1enc",
      .property = "target-bitrate",
      .unit = ENCODER_KILO,
      .step = ENCODER_KILO,
      .least = ENCODER_LEAST,
      .min_change = 1,
      .settings = "usage-profile=realtime cpu-used=10 end-usage=cbr "
                  "max-quantizer=63 buf-sz=150 buf-initial-sz=100 "
                  "buf-optimal-sz=120 keyframe-max-dist=250",
      .change = "from the next frame on; waits for the one being coded",
      .must = av1_must },
  /* A picture is coded by itself, with the quality of then. */
  { .factory = "jpegenc",
      .property = "quality",
      BY_QUALITY,
      .settings = "",
      .change = "from the next frame on" },
  /* From here on by their sources and makers, never measured.  docs/use.md says
   * which versions were read.  gstsvtav1enc.c of 1.29.2 hands its settings over once,
   * in set_format. */
  { .factory = "svtav1enc",
      .property = "target-bitrate",
      ENCODER_RESTARTS (ENCODER_KILO),
      .settings = "",
      .change = "none before it starts again",
      .must = svt_must },
  /* gst_vaapi_encoder_set_bitrate() reconfigures. */
  { .factory = "vaapi*enc",
      .property = "bitrate",
      ENCODER_RESTARTS (ENCODER_KILO),
      .settings = "rate-control=cbr",
      .change = "perhaps a key frame",
      .must = cbr_must },
  /* gst_va_base_enc_reset(): drains, begins a new group of pictures. */
  { .factory = "va*enc",
      .property = "bitrate",
      ENCODER_RESTARTS (ENCODER_KILO),
      .settings = "rate-control=cbr",
      .change = "a key frame",
      .must = cbr_must },
  /* Jetson's: bit/s, unlike NVIDIA's others. */
  { .factory = "nvv4l2*enc",
      .property = "bitrate",
      AS_HARDWARE_LIKES,
      .settings = "control-rate=constant_bitrate",
      .change = "from the next frame on" },
  /* 1.22, gstnvbaseenc.c: resetEncoder, forceIDR.  The other class, which is all that
   * there is since, reconfigures without (gst_nv_encoder_reconfigure_session()). */
  { .factory = "nv*enc",
      .property = "bitrate",
      ENCODER_RESTARTS (ENCODER_KILO),
      .settings = "rc-mode=cbr zerolatency=true",
      .change = "a key frame",
      .must = nvenc_must },
  /* gst_nv_jpeg_enc_handle_frame() sets it before a picture. */
  { .factory = "nvjpegenc",
      .property = "quality",
      BY_QUALITY,
      .settings = "",
      .change = "from the next frame on" },
  /* gst_qsv_encoder_reset_encode_session(): drains. */
  { .factory = "qsv*enc",
      .property = "bitrate",
      ENCODER_RESTARTS (ENCODER_KILO),
      .settings = "rate-control=cbr",
      .change = "perhaps a key frame",
      .must = qsv_must },
  /* GST_PARAM_MUTABLE_PLAYING; OMX_IndexConfigVideoBitrate at once. */
  { .factory = "omx*enc",
      .property = "target-bitrate",
      AS_HARDWARE_LIKES,
      .settings = "control-rate=constant",
      .change = "as the component likes",
      .must = omx_must },
  /* Rockchip's: gst_mpp_enc_apply_properties() before the next frame, which narrows
   * bps-min and bps-max to 15/16 and 17/16 where they are 0. */
  { .factory = "mpp*enc",
      .property = "bps",
      AS_HARDWARE_LIKES,
      .settings = "rc-mode=cbr",
      .change = "from the next frame on",
      .must = mpp_must },
  /* No bitrate changes a JPEG. */
  { .factory = "v4l2jpegenc",
      .property = "extra-controls",
      .field = "compression_quality",
      BY_QUALITY,
      .settings = "",
      .change = "as the driver likes" },
  /* Since 1.30: gst_v4l2_set_attribute() at once; a video_bitrate of extra-controls is
   * set only when that property is. */
  { .factory = "v4l2*enc",
      .property = "bitrate",
      AS_HARDWARE_LIKES,
      .settings = "extra-controls=c,video_bitrate_mode=1",
      .change = "as the driver likes" },
  /* gst_v4l2_set_controls() at once, and the driver does what it likes. */
  { .factory = "v4l2*enc",
      .property = "extra-controls",
      .field = "video_bitrate",
      AS_HARDWARE_LIKES,
      .settings = "extra-controls=c,video_bitrate_mode=1",
      .change = "as the driver likes" },
  /* Sources that code: of an H.264 camera, the same as before. */
  { .factory = "v4l2src",
      .property = "extra-controls",
      .field = "video_bitrate",
      .caps = CODED,
      AS_HARDWARE_LIKES,
      .settings = "extra-controls=c,video_bitrate_mode=1",
      .change = "as the driver likes" },
  /* set_bitrate(): both at once in UVCX_BITRATE_LAYERS. */
  { .factory = "uvch264src",
      .property = "average-bitrate",
      .along = "peak-bitrate",
      .caps = CODED,
      AS_HARDWARE_LIKES,
      .settings = "rate-control=cbr",
      .change = "as the camera likes" },
  /* PROP_CHANGE_ENCODING; bit/s, of which its description says nothing. */
  { .factory = "rpicamsrc",
      .property = "bitrate",
      .caps = CODED,
      AS_HARDWARE_LIKES,
      .settings = "",
      .change = "from the next frame on" },
  { NULL },
};
