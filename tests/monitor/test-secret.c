/* rtpadapt-monitor hides keys and passwords in a command line.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "../rows.h"
#include "secret.h"

/* 30 bytes: key and salt of aes-128-icm (RFC 3711 8.2) */
#define KEY "000102030405060708090A0B0C0D0E0F101112131415161718191a1b1c1d"

static const struct
{
  const gchar *command[4], *shown, *why;
} rows[] = {
  { { "gst-launch-1.0", "rtpadaptsink", "key=" KEY }, /* an argument each */
      "gst-launch-1.0 rtpadaptsink key=***", "a property" },
  { { "x ! rtpadaptsink key=abc host=h" }, "x ! rtpadaptsink key=*** host=h",
      "a whole pipeline in one argument, and a short key" },
  { { "rtpadaptsink key = abc ! x" }, "rtpadaptsink key = *** ! x",
      "gst-launch takes blanks around =" },
  { { "key", "=", "abc" }, "key = ***", "and as arguments of their own" },
  { { "key=\"a b\" host=h" }, "key=*** host=h", "quoted, with a blank" },
  { { "key='a b' host=h" }, "key=*** host=h", "quoted once" },
  { { "sh -c \"x key=\\\"a b\\\" host=h\"" }, "sh -c \"x key=*** host=h\"",
      "a quote in a quote" },
  { { "x key=\"abc" }, "x key=***", "a quote without an end" },
  { { "key=a\\ b host=h" }, "key=*** host=h", "a blank that is escaped" },
  { { "key=(string)abc host=h" }, "key=(string)*** host=h", "with its type" },
  { { "caps=\"application/x-srtp,srtp-key=(buffer)abc,roc=1\"" },
      "caps=\"application/x-srtp,srtp-key=(buffer)***,roc=1\"", "of caps" },
  { { "rtpadapt://h:5004?a=1&key=abc&b=2" },
      "rtpadapt://h:5004?a=1&key=***&b=2", "in a URI" },
  { { "rtpadapt://h:5004?key%3Dabc&b=2" }, "rtpadapt://h:5004?key%3D***&b=2",
      "in a URI, escaped" },
  { { "sink::key=abc" }, "sink::key=***", "of a child" },
  { { "SRTP_KEY=abc", "prog" }, "SRTP_KEY=*** prog",
      "a variable of the shell" },
  { { "prog", "--key", "abc", "x" }, "prog --key *** x", "an option" },
  { { "prog", "--srtp-key", "abc", "x" }, "prog --srtp-key *** x",
      "a longer option" },
  { { "prog", "{\"key\": \"abc\"}" }, "prog {\"key\": ***}", "JSON" },
  { { "prog", KEY, "x" }, "prog *** x", "a key that nothing names" },
  { { "srtsink", "passphrase=abc" }, "srtsink passphrase=***", "of SRT" },
  { { "prog",
        "key=\xff"
        "abc" },
      "prog key=***", "not UTF-8" },
  { { "rtpadaptsink key-file=/etc/key host=h" },
      "rtpadaptsink key-file=/etc/key host=h", "a path is no secret" },
  { { "x264enc key-int-max=30 ! rtph264depay request-keyframe=true" },
      "x264enc key-int-max=30 ! rtph264depay request-keyframe=true",
      "key frames are none" },
  { { "git", "0123456789abcdef0123456789abcdef01234567" },
      "git 0123456789abcdef0123456789abcdef01234567",
      "a short number is none" },
};

static void
test_row (gconstpointer data)
{
  guint r = GPOINTER_TO_UINT (data);
  const gchar *command[5] = { NULL };
  g_autofree gchar *shown = NULL;

  g_test_message ("%s", rows[r].why);
  for (guint i = 0; i < 4; i++)
    command[i] = rows[r].command[i];
  shown = secret_hide (command);
  g_assert_cmpstr (shown, ==, rows[r].shown);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  rows_add ("/secret", rows, test_row);
  return g_test_run ();
}
