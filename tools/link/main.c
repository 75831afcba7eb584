/* rtpadapt-link: two hosts and a path of link models between them, in real
 * time, with the truth about every packet.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "selftest.h"

#include <locale.h>

static gchar *there, *back, *log_file, *packets_file;
static gchar **commands_a, **commands_b;
static gint64 seed = 1;
static gdouble seconds, interval = .1;
static gboolean self_test, version;

/* Chains and commands have names of files in them: they stay bytes, whatever the
 * locale. */
static const GOptionEntry entries[] = {
  { "there", 0, 0, G_OPTION_ARG_FILENAME, &there,
      "the way from a to b; nothing: no delay, no loss", "CHAIN" },
  { "back", 0, 0, G_OPTION_ARG_FILENAME, &back,
      "the way from b to a (only the delays of --there)", "CHAIN" },
  { "seed", 0, 0, G_OPTION_ARG_INT64, &seed, "of the models' losses (1)", "N" },
  { "a", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &commands_a,
      "run by sh in a; may be repeated; the run ends with the last of them",
      "COMMAND" },
  { "b", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &commands_b,
      "run by sh in b; at the end what still runs gets SIGINT, 5 s later "
      "SIGKILL",
      "COMMAND" },
  { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds,
      "ends after that at the latest; of --self-test (10)", "S" },
  { "log", 0, 0, G_OPTION_ARG_FILENAME, &log_file,
      "lines of JSON: each flow's packets, losses by their cause, and queue; - "
      "for stdout",
      "FILE" },
  { "interval", 0, 0, G_OPTION_ARG_DOUBLE, &interval, "of --log (0.1)", "S" },
  { "packets", 0, 0, G_OPTION_ARG_FILENAME, &packets_file,
      "CSV: the fate of each packet", "FILE" },
  { "self-test", 0, 0, G_OPTION_ARG_NONE, &self_test,
      "50 Mb/s in 5,000 packets/s of its own: what does it add to the delay?",
      NULL },
  { "version", 0, 0, G_OPTION_ARG_NONE, &version, "print it", NULL },
  { NULL },
};

/* The propagation of a chain without all else. */
static gchar *
delays_of (const gchar *chain)
{
  g_auto (GStrv) parts = g_strsplit (chain, "!", -1);
  GString *out = g_string_new (NULL);

  for (guint i = 0; parts[i]; i++) {
    const gchar *part = g_strstrip (parts[i]);

    if (g_str_has_prefix (part, "delay") && g_ascii_isspace (part[5]))
      g_string_append_printf (out, "%s%s", out->len ? " ! " : "", part);
  }
  return g_string_free (out, FALSE);
}

static gboolean
options_check (GError **error)
{
  const gchar *wrong = NULL;

  /* what a time in ns and the memory of --self-test can hold */
  if (!(seconds >= 0 && seconds <= 1e6))
    wrong = "--seconds: expected 0 to 1e6";
  else if (!(interval >= .001 && interval <= 1e6))
    wrong = "--interval: expected 0.001 to 1e6";
  else if (self_test && (commands_a || commands_b))
    wrong = "--self-test has commands of its own";
  else if (self_test && seconds > 3600)
    wrong = "--self-test: at most 3600 s";
  if (wrong)
    g_set_error_literal (
        error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, wrong);
  return !wrong;
}

static gboolean
options_read (gint *argc, gchar ***argv, GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);

  g_option_context_set_summary (context,
      "Two network namespaces, a and b, and a path of link models between "
      "them, in real\ntime.  Without commands: a shell in a.  All ends with "
      "it.\n"
      "  rtpadapt-link --there 'bottleneck rate=3M queue=100ms ! delay 25ms ! "
      "bernoulli 5%' \\\n"
      "    --log link.jsonl --b 'iperf3 -s -1' --a 'sleep 1; iperf3 -c "
      "$RTPADAPT_B'");
  g_option_context_set_description (context,
      "The commands find the addresses in RTPADAPT_A, RTPADAPT_B, RTPADAPT_A6 "
      "and\nRTPADAPT_B6.  The models are those of rtpadapt-sim --list; a "
      "schedule counts from\nthe direction's first packet.\n"
      "The exit status is 0 if no command failed before it was asked to end; 1 "
      "if one\ndid, or if there can be no link; 2 for a wrong option or chain; "
      "128 + N after\nsignal N.  A second signal kills the commands at once.\n"
      "If root starts it, also by sudo, it runs the commands as root, and its "
      "files belong to root.\nWhere users may make namespaces it needs no root.");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, argc, argv, error))
    return FALSE;
  if (*argc > 1) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "'%s': only options; a command is the value of --a or --b", (*argv)[1]);
    return FALSE;
  }
  return options_check (error);
}

static void
environment_set (const LinkHost hosts[LINK_HOSTS])
{
  for (guint i = 0; i < LINK_HOSTS; i++) {
    g_autofree gchar *upper = g_ascii_strup (hosts[i].name, -1);
    g_autofree gchar *name = g_strdup_printf ("RTPADAPT_%s", upper);
    g_autofree gchar *name6 = g_strdup_printf ("RTPADAPT_%s6", upper);
    g_autofree gchar *name_ns = g_strdup_printf ("RTPADAPT_%s_NS", upper);
    g_autofree gchar *ns = g_strdup_printf ("/proc/1/fd/%d", hosts[i].ns);

    g_setenv (name, hosts[i].address, TRUE);
    g_setenv (name6, hosts[i].has_address6 ? hosts[i].address6 : "", TRUE);
    g_setenv (name_ns, ns, TRUE);
  }
}

/* (transfer full) */
static LinkJob *
jobs_new (const LinkHost hosts[LINK_HOSTS], LinkSelfTest *test, guint *n)
{
  guint n_a = commands_a ? g_strv_length (commands_a) : 0;
  guint n_b = commands_b ? g_strv_length (commands_b) : 0;
  LinkJob *jobs = g_new0 (LinkJob, n_a + n_b + LINK_SELF_TEST_JOBS);

  for (guint i = 0; i < n_a + n_b; i++) {
    jobs[i].host = i >= n_a;
    jobs[i].command = i < n_a ? commands_a[i] : commands_b[i - n_a];
  }
  *n = n_a + n_b;
  if (test) {
    link_self_test_jobs (test, jobs, hosts);
    *n = LINK_SELF_TEST_JOBS;
  } else if (n_a == 0) {
    (*n)++; /* all zero: a shell in a */
    g_printerr ("This shell is in a, %s; b is %s. In b: nsenter "
                "--net=$RTPADAPT_B_NS COMMAND\n",
        hosts[0].address, hosts[1].address);
  }
  return jobs;
}

/* Packets, until it is over. */
static gboolean
link_serve (LinkLoop *loop, const LinkHost hosts[LINK_HOSTS], LinkJobs *jobs,
    LinkSelfTest *test, gint *status, GError **error)
{
  LinkLog log;
  gboolean ok = link_log_init (&log, log_file, packets_file, error);

  if (ok) {
    g_autofree gchar *self = NULL, *result = NULL;

    *status = link_loop_run (loop, hosts, jobs, &log);
    self = link_loop_self (loop);
    link_log_self (&log, self);
    if (test) {
      result = link_self_test_result (test, self);
      g_print ("%s\n", result);
    }
  }
  return link_log_clear (&log, ok ? error : NULL) && ok;
}

static gboolean
link_run (LinkLoop *loop, LinkSelfTest *test, gint *status, GError **error)
{
  LinkHost hosts[LINK_HOSTS];
  g_autofree LinkJob *jobs = NULL;
  LinkJobs running;
  guint n;
  gboolean ok = link_hosts_init (hosts, error);

  if (ok) {
    environment_set (hosts);
    jobs = jobs_new (hosts, test, &n);
    ok = link_jobs_init (&running, jobs, n, hosts, error);
  }
  if (ok) {
    ok = link_serve (loop, hosts, &running, test, status, error);
    link_jobs_clear (&running);
  }
  link_hosts_clear (hosts);
  return ok;
}

static gboolean
run (gint *status, GError **error)
{
  g_autofree gchar *delays = NULL;
  LinkConfig cfg
      = { there, back, (guint64) seed, ra_span (seconds), ra_span (interval) };
  LinkSelfTest *test = NULL;
  LinkLoop *loop;
  gboolean ok;

  if (!cfg.there)
    cfg.there = self_test ? LINK_SELF_TEST_CHAIN : "";
  if (!cfg.back)
    cfg.back = delays = delays_of (cfg.there);
  if (self_test) {
    test = link_self_test_new (&cfg, seconds > 0 ? seconds : 10);
    cfg.seconds = 0; /* its sender knows when it is over */
  }
  loop = link_loop_new (&cfg, error);
  ok = loop && link_run (loop, test, status, error);
  if (test)
    link_self_test_free (test);
  if (loop)
    link_loop_free (loop);
  return ok;
}

static gboolean
version_print (void)
{
  g_print ("rtpadapt-link " RA_VERSION "\n");
  return TRUE;
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  gint status = 0;

  setlocale (LC_CTYPE, ""); /* names in messages; numbers keep their point */
  if (!options_read (&argc, &argv, &error)
      || !(version ? version_print () : run (&status, &error))) {
    g_printerr ("rtpadapt-link: %s\n", error->message);
    status = error->domain == G_OPTION_ERROR || error->domain == RA_LINK_ERROR
        ? 2
        : 1;
    g_error_free (error);
  }
  g_free (there);
  g_free (back);
  g_free (log_file);
  g_free (packets_file);
  g_strfreev (commands_a);
  g_strfreev (commands_b);
  return status;
}
