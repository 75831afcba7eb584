/* Fuzz target: rtpadapt:// URIs.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The first byte: even, for a sink (a property `host`, no port 0), odd, for a
 * source (`address`); the rest is the URI.  Two elements stand for the bins,
 * with a property of each of their kinds; but for caps, whose text is
 * GStreamer's to read, which takes some of it for a bug of the program.
 */
#include "fuzz.h"

#include "wire/binuri.h"

#include <math.h>

typedef struct
{
  GstElement parent;
  GstStructure *values; /* that were set */
} Bin;

typedef struct
{
  GstElementClass parent;
} BinClass;

typedef Bin SinkBin;
typedef BinClass SinkBinClass;
typedef Bin SrcBin;
typedef BinClass SrcBinClass;

GType sink_bin_get_type (void);
GType src_bin_get_type (void);

G_DEFINE_TYPE (SinkBin, sink_bin, GST_TYPE_ELEMENT)
G_DEFINE_TYPE (SrcBin, src_bin, GST_TYPE_ELEMENT)

/* --- the elements ------------------------------------------------------- */

static void
bin_set (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  gst_structure_set_value (((Bin *) object)->values, pspec->name, value);
}

static void
bin_get (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  const GValue *now
      = gst_structure_get_value (((Bin *) object)->values, pspec->name);

  if (now)
    g_value_copy (now, value);
  else
    g_param_value_set_default (pspec, value);
}

static void
bin_finalize (GObject *object)
{
  gst_structure_free (((Bin *) object)->values);
  G_OBJECT_CLASS (g_type_class_peek (GST_TYPE_ELEMENT))->finalize (object);
}

static void
class_setup (GObjectClass *c, const gchar *host, gint least_port)
{
  const GParamFlags rw
      = (GParamFlags) (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  GParamSpec *props[] = {
    NULL, /* numbers of properties begin at 1 */
    g_param_spec_string (host, "", "", "localhost", rw),
    g_param_spec_int ("port", "", "", least_port, 65535, 5004, rw),
    g_param_spec_boolean ("flag", "", "", FALSE, rw),
    g_param_spec_string ("text", "", "", NULL, rw),
    g_param_spec_string ("key", "", "", NULL, rw),
    g_param_spec_int ("int", "", "", -10, 10, 0, rw),
    g_param_spec_uint ("uint", "", "", 0, 1000, 5, rw),
    g_param_spec_uint64 ("uint64", "", "", 0, G_MAXUINT64, 0, rw),
    g_param_spec_double ("double", "", "", 0, 100, 9, rw),
    g_param_spec_enum ("enum", "", "", GST_TYPE_FORMAT, GST_FORMAT_TIME, rw),
    g_param_spec_uint (
        "told", "", "", 0, 1, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS),
  };

  c->set_property = bin_set;
  c->get_property = bin_get;
  c->finalize = bin_finalize;
  g_object_class_install_properties (c, G_N_ELEMENTS (props), props);
}

static void
sink_bin_class_init (SinkBinClass *klass)
{
  class_setup (G_OBJECT_CLASS (klass), "host", 1);
}

static void
src_bin_class_init (SrcBinClass *klass)
{
  class_setup (G_OBJECT_CLASS (klass), "address", 0);
}

static void
sink_bin_init (SinkBin *bin)
{
  bin->values = gst_structure_new_empty ("values");
}

static void
src_bin_init (SrcBin *bin)
{
  bin->values = gst_structure_new_empty ("values");
}

/* --- the laws ----------------------------------------------------------- */

/* Within the bounds of its property, which setting would not look at. */
static gboolean
check_value (GQuark name, const GValue *value, gpointer bin)
{
  GParamSpec *pspec = g_object_class_find_property (
      G_OBJECT_GET_CLASS (bin), g_quark_to_string (name));
  GValue copy = G_VALUE_INIT;

  g_assert_cmpstr (pspec->name, !=, "key");
  g_assert_cmpstr (pspec->name, !=, "told");
  g_value_init (&copy, G_VALUE_TYPE (value));
  g_value_copy (value, &copy);
  g_assert_false (g_param_value_validate (pspec, &copy));
  if (G_VALUE_HOLDS_DOUBLE (value))
    g_assert_false (isnan (g_value_get_double (value)));
  g_value_unset (&copy);
  return TRUE;
}

/* What a bin says of itself leads to the same place. */
static void
check_get (Bin *bin)
{
  g_autofree gchar *uri = bin_uri_get (GST_ELEMENT (bin)), *again = NULL;
  Bin *other = g_object_new (G_OBJECT_TYPE (bin), NULL);

  gst_object_ref_sink (other);
  g_assert_true (bin_uri_apply (GST_ELEMENT (other), uri, NULL));
  again = bin_uri_get (GST_ELEMENT (other));
  g_assert_cmpstr (uri, ==, again);
  gst_object_unref (other);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzBytes b = fuzz_bytes (data, size);
  Bin *bin = g_object_new (
      fuzz_take (&b, 1) % 2 ? src_bin_get_type () : sink_bin_get_type (), NULL);
  g_autofree gchar *uri = fuzz_text (&b, b.left), *values = NULL;
  g_autoptr (GError) error = NULL;

  gst_object_ref_sink (bin);
  if (bin_uri_apply (GST_ELEMENT (bin), uri, &error)) {
    g_assert_no_error (error);
    gst_structure_foreach (bin->values, check_value, bin);
    values = gst_structure_to_string (bin->values);
    fuzz_note ("%s", values);
    check_get (bin);
  } else {
    g_assert_nonnull (error);
    fuzz_check_message (error);
    g_assert_cmpint (gst_structure_n_fields (bin->values), ==, 0);
  }
  gst_object_unref (bin);
  return 0;
}
