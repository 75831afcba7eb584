/* rtpadaptsend behind a camera that codes by itself.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "encoder-fixture.h"
#include "send-fixture.h"

#include <gst/app/gstappsrc.h>

/* --- a camera ------------------------------------------------------------------- */

typedef struct
{
  GstAppSrc parent;
  gint bitrate;
} Camera;

typedef GstAppSrcClass CameraClass;

GType camera_get_type (void);
G_DEFINE_TYPE (Camera, camera, GST_TYPE_APP_SRC)

static void
camera_set (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  g_atomic_int_set (&((Camera *) object)->bitrate, g_value_get_int (value));
}

static void
camera_get (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_int (value, g_atomic_int_get (&((Camera *) object)->bitrate));
}

static void
camera_class_init (CameraClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->set_property = camera_set;
  object_class->get_property = camera_get;
  g_object_class_install_property (object_class, 1,
      g_param_spec_int (
          "bitrate", NULL, NULL, 0, 25000000, 0, G_PARAM_READWRITE));
}

static void
camera_init (Camera *camera)
{
}

/* --- it is driven ----------------------------------------------------------------- */

/* Whether it codes is known when its caps come. */
static const struct
{
  const gchar *name, *line, *driven;
  gint value; /* of `bitrate` of what is driven, after 500 kbit/s */
  gint camera;
  const gchar *why;
} rows[] = {
  { "codes", "rpicamsrc name=camera caps=video/x-vp8 ! queue ! rtpvp8pay",
      "camera", 500000, 500000, "in bit/s" },
  { "raw",
      "rpicamsrc name=camera caps=video/x-raw,format=I420,width=160,"
      "height=120,framerate=25/1 ! x264enc name=behind tune=zerolatency ! "
      "rtph264pay",
      "behind", 500, 0, "the encoder stands behind it" },
};

static void
test_camera (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autofree gchar *line = g_strdup_printf (
      "%s ! rtpadaptsend controller=fixed start-bitrate=500000 ! fakesink",
      rows[i].line);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstElement) camera = NULL, driven = NULL;

  g_test_message ("%s", rows[i].why);
  camera = gst_bin_get_by_name (GST_BIN (pipeline), "camera");
  driven = gst_bin_get_by_name (GST_BIN (pipeline), rows[i].driven);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_until (number_get (driven, "bitrate") == rows[i].value);
  g_assert_cmpint (number_get (camera, "bitrate"), ==, rows[i].camera);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

void
tests_add (void)
{
  gst_element_register (NULL, "rpicamsrc", GST_RANK_NONE, camera_get_type ());
  rows_add_by ("/rtpadaptsend/camera", rows, name, test_camera);
}
