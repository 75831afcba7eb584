/* What the payload types are that rtpadaptsrc lets in.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "srcpayload.h"

#include "parts/extmap.h"

#include <gst/rtp/rtp.h>
#include <gst/rtpadapt/feedback/colourext.h>
#include <gst/rtpadapt/feedback/tfrcfb.h>

#define DYNAMIC_FIRST 96 /* RFC 3551 6 */

/* A codec as SDP writes it: NAME/clock-rate/channels (RFC 8866 6.6). */
typedef struct
{
  gchar *name;
  guint rate, channels; /* 0: not said */
} Codec;

static gboolean
read_number (const gchar *text, guint64 max, guint *number)
{
  guint64 value;

  if (!g_ascii_string_to_unsigned (text, 10, 1, max, &value, NULL))
    return FALSE;
  *number = (guint) value;
  return TRUE;
}

static gboolean
is_name (const gchar *text)
{
  for (const gchar *c = text; *c; c++) {
    if (!g_ascii_isalnum (*c) && *c != '-' && *c != '.' && *c != '_')
      return FALSE;
  }
  return *text != 0;
}

static gboolean
codec_parse (Codec *codec, const gchar *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "/", 4);
  guint n = g_strv_length (parts);

  *codec = (Codec){ 0 };
  if (n < 1 || n > 3 || !is_name (parts[0])
      || (n > 1 && !read_number (parts[1], G_MAXINT, &codec->rate))
      || (n > 2 && !read_number (parts[2], 255, &codec->channels)))
    return FALSE;
  codec->name = g_ascii_strup (parts[0], -1);
  return TRUE;
}

/* What is neither seen nor heard, by the names that its depayloaders take: KLV (RFC 6597),
 * GStreamer's own, ONVIF. */
static const gchar *const applications[]
    = { "SMPTE336M", "X-GST", "VND.ONVIF.METADATA", NULL };

/* Audio is what GStreamer knows, whatever its clock, and all else whose clock is not that
 * of video. */
static const gchar *
codec_media (const Codec *codec)
{
  if (g_strv_contains (applications, codec->name))
    return "application";
  if (gst_rtp_payload_info_for_name ("video", codec->name))
    return "video";
  return g_str_equal (codec->name, "OPUS")
          || gst_rtp_payload_info_for_name ("audio", codec->name)
          || (codec->rate && codec->rate != 90000)
      ? "audio"
      : "video";
}

static guint
codec_rate (const Codec *codec, const gchar *media)
{
  const GstRTPPayloadInfo *info
      = gst_rtp_payload_info_for_name (media, codec->name);

  if (codec->rate)
    return codec->rate;
  if (g_str_equal (codec->name, "OPUS"))
    return 48000; /* RFC 7587 4.1 */
  return info && info->clock_rate ? info->clock_rate : 90000;
}

static GstCaps *
codec_caps (const Codec *codec)
{
  const gchar *media = codec_media (codec);
  GstCaps *caps = gst_caps_new_simple ("application/x-rtp", "media",
      G_TYPE_STRING, media, "encoding-name", G_TYPE_STRING, codec->name,
      "clock-rate", G_TYPE_INT, (gint) codec_rate (codec, media), NULL);

  if (codec->channels) {
    g_autofree gchar *channels = g_strdup_printf ("%u", codec->channels);

    gst_caps_set_simple (
        caps, "encoding-params", G_TYPE_STRING, channels, NULL);
  }
  return caps;
}

/* --- the table ---------------------------------------------------------- */

static void
extensions_add (GstCaps *caps, gboolean twcc)
{
  if (twcc)
    gst_caps_set_simple (
        caps, SRC_EXT_TWCC, G_TYPE_STRING, EXTMAP_TWCC_URI, NULL);
  gst_caps_set_simple (caps, SRC_EXT_SEND_TS, G_TYPE_STRING, RA_SEND_TS_URI,
      SRC_EXT_COLOUR, G_TYPE_STRING, RA_COLOUR_EXT_URI, NULL);
}

/* `caps` is taken over. */
static void
entry_set (SrcPayloads *table, guint pt, GstCaps *caps, gboolean twcc)
{
  const gchar *media;

  caps = gst_caps_make_writable (caps);
  media = gst_structure_get_string (gst_caps_get_structure (caps, 0), "media");
  gst_caps_set_simple (caps, "payload", G_TYPE_INT, (gint) pt, NULL);
  /* So that rtpsession makes a PLI of a request for a key frame. */
  if (g_strcmp0 (media, "video") == 0)
    gst_caps_set_simple (caps, "rtcp-fb-nack-pli", G_TYPE_BOOLEAN, TRUE, NULL);
  extensions_add (caps, twcc);
  gst_clear_caps (&table->caps[pt]);
  table->caps[pt] = caps;
}

/* RFC 3551 6. */
static void
fill_static (SrcPayloads *table, gboolean twcc)
{
  for (guint pt = 0; pt < DYNAMIC_FIRST; pt++) {
    const GstRTPPayloadInfo *info = gst_rtp_payload_info_for_pt ((guint8) pt);

    if (info && info->clock_rate)
      entry_set (table, pt,
          gst_caps_new_simple ("application/x-rtp", "media", G_TYPE_STRING,
              info->media, "encoding-name", G_TYPE_STRING, info->encoding_name,
              "clock-rate", G_TYPE_INT, (gint) info->clock_rate, NULL),
          twcc);
  }
}

static gboolean
fill_encoding (SrcPayloads *table, const SrcPayloadSettings *s, GError **error)
{
  Codec codec;
  GstCaps *caps;

  if (!s->encoding || !*s->encoding)
    return TRUE;
  if (!codec_parse (&codec, s->encoding)) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "encoding-name \"%s\" is no name of a codec, as H264 or OPUS/48000",
        s->encoding);
    return FALSE;
  }
  caps = codec_caps (&codec);
  for (guint pt = DYNAMIC_FIRST; pt < SRC_PAYLOAD_TYPES; pt++)
    entry_set (table, pt, gst_caps_copy (caps), s->twcc);
  gst_caps_unref (caps);
  g_free (codec.name);
  return TRUE;
}

/* Why no media can have that payload type, or NULL. */
static const gchar *
type_problem (const SrcPayloadSettings *s, guint64 pt)
{
  if (pt >= SRC_PAYLOAD_TYPES)
    return "a payload type has 7 bits";
  if (pt >= 64 && pt < DYNAMIC_FIRST) /* RFC 5761 4 */
    return "that payload type looks like RTCP";
  if (pt_is_fec ((guint) pt))
    return "that payload type is of FEC, so that the sender has to take another";
  if (pt_is_rtx ((guint) pt) && s->retransmission)
    return "that payload type is of retransmissions, so that the sender has to take "
           "another";
  return NULL;
}

/* `seen`: the payload types of the entries before. */
static gboolean
fill_entry (SrcPayloads *table, const gchar *text, const SrcPayloadSettings *s,
    gboolean *seen, const gchar **problem)
{
  g_auto (GStrv) sides = g_strsplit (text, "=", 2);
  guint64 pt;
  Codec codec;

  *problem = NULL;
  if (g_strv_length (sides) != 2
      || !g_ascii_string_to_unsigned (
          g_strstrip (sides[0]), 10, 0, G_MAXUINT, &pt, NULL)
      || (*problem = type_problem (s, pt)) != NULL
      || (*problem = seen[pt] ? "that payload type is there twice" : NULL)
      || !codec_parse (&codec, g_strstrip (sides[1])))
    return FALSE;
  seen[pt] = TRUE;
  entry_set (table, (guint) pt, codec_caps (&codec), s->twcc);
  g_free (codec.name);
  return TRUE;
}

static gboolean
fill_map (SrcPayloads *table, const SrcPayloadSettings *s, GError **error)
{
  g_auto (GStrv) entries = g_strsplit (s->pt_map ? s->pt_map : "", ",", -1);
  gboolean seen[SRC_PAYLOAD_TYPES] = { FALSE };
  const gchar *problem;

  for (guint i = 0; entries[i]; i++) {
    if (fill_entry (table, entries[i], s, seen, &problem))
      continue;
    if (!*g_strstrip (entries[i]))
      continue;
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "\"%s\" in pt-map is no payload type with its codec, as "
        "96=H264/90000 or 97=OPUS/48000/2%s%s",
        entries[i], problem ? ": " : "", problem ? problem : "");
    return FALSE;
  }
  return TRUE;
}

/* Why packets of these caps would be dropped, or NULL.  `*pt` becomes the payload type;
 * it is left alone where there is none. */
static const gchar *
caps_problem (const SrcPayloadSettings *s, const GstStructure *one, gint *pt)
{
  gint rate = 0;

  if (!gst_structure_has_name (one, "application/x-rtp"))
    return "they are not application/x-rtp";
  gst_structure_get_int (one, "clock-rate", &rate);
  if (rate <= 0)
    return "they lack a clock-rate";
  return gst_structure_get_int (one, "payload", pt)
      ? type_problem (s, (guint64) (gint64) *pt)
      : NULL;
}

static gboolean
fill_caps (SrcPayloads *table, const SrcPayloadSettings *s, GError **error)
{
  guint n
      = s->caps && !gst_caps_is_any (s->caps) ? gst_caps_get_size (s->caps) : 0;

  /* The first one counts, as in all caps. */
  for (guint i = n; i-- > 0;) {
    g_autoptr (GstCaps) one = gst_caps_copy_nth (s->caps, i);
    guint first = DYNAMIC_FIRST, last = SRC_PAYLOAD_TYPES - 1;
    gint pt = -1;
    const gchar *problem
        = caps_problem (s, gst_caps_get_structure (one, 0), &pt);

    if (problem) {
      g_autofree gchar *text = gst_caps_to_string (one);

      g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
          "No packet can have the caps \"%s\": %s", text, problem);
      return FALSE;
    }
    if (pt >= 0)
      first = last = (guint) pt;
    for (guint p = first; p <= last; p++)
      entry_set (table, p, gst_caps_copy (one), s->twcc);
  }
  return TRUE;
}

static GstCaps *
repair_caps (const gchar *encoding)
{
  return gst_caps_new_simple ("application/x-rtp", "media", G_TYPE_STRING,
      "video", "encoding-name", G_TYPE_STRING, encoding, "clock-rate",
      G_TYPE_INT, 90000, NULL);
}

/* After all others: these numbers are not to be had. */
static void
fill_repair (SrcPayloads *table, const SrcPayloadSettings *s)
{
  static const struct
  {
    guint pt;
    const gchar *encoding;
  } codes[] = { { PT_FEC, "ULPFEC" }, { PT_RS, "X-RTPADAPT-RS" } };

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++) {
    GstCaps *fec = repair_caps (codes[i].encoding);

    /* rtpbin's payload demuxer then drops them, behind the storage. */
    gst_caps_set_simple (fec, "is-fec", G_TYPE_BOOLEAN, TRUE, NULL);
    entry_set (table, codes[i].pt, fec, s->twcc);
  }
  if (!s->retransmission)
    return;
  entry_set (table, PT_RTX, repair_caps ("RTX"), s->twcc);
  entry_set (table, PT_RS_RTX, repair_caps ("RTX"), s->twcc);
}

gboolean
src_payloads_fill (
    SrcPayloads *table, const SrcPayloadSettings *settings, GError **error)
{
  *table = (SrcPayloads){ .retransmission = settings->retransmission };
  fill_static (table, settings->twcc);
  if (!fill_encoding (table, settings, error)
      || !fill_map (table, settings, error)
      || !fill_caps (table, settings, error)) {
    src_payloads_clear (table);
    return FALSE;
  }
  fill_repair (table, settings);
  return TRUE;
}

void
src_payloads_clear (SrcPayloads *table)
{
  for (guint pt = 0; pt < SRC_PAYLOAD_TYPES; pt++)
    gst_clear_caps (&table->caps[pt]);
}

gboolean
src_payloads_is_video (const SrcPayloads *table, guint pt)
{
  const GstCaps *caps = table->caps[pt];

  return caps && !pt_is_fec (pt) && !pt_is_rtx (pt)
      && !g_strcmp0 (
          gst_structure_get_string (gst_caps_get_structure (caps, 0), "media"),
          "video");
}

void
src_payloads_kinds (
    const SrcPayloads *table, SrcPayloadKind kinds[SRC_PAYLOAD_TYPES])
{
  for (guint pt = 0; pt < SRC_PAYLOAD_TYPES; pt++) {
    if (pt_is_fec (pt) || (pt_is_rtx (pt) && table->retransmission))
      kinds[pt] = SRC_PAYLOAD_REPAIR;
    else
      kinds[pt] = table->caps[pt] ? SRC_PAYLOAD_MEDIA : SRC_PAYLOAD_UNKNOWN;
  }
}

GstCaps *
src_payloads_any (void)
{
  GstCaps *caps = gst_caps_new_empty_simple ("application/x-rtp");

  extensions_add (caps, TRUE);
  return caps;
}
