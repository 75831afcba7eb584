/* What do we add to what a chain decides? Measured with traffic of our own.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "loop.h"

G_BEGIN_DECLS

#define LINK_SELF_TEST_CHAIN "bottleneck rate=60M queue=100ms ! delay 5ms"
#define LINK_SELF_TEST_JOBS 3

typedef struct _LinkSelfTest LinkSelfTest;

/* Completes `cfg`.  (transfer full) */
LinkSelfTest *link_self_test_new (LinkConfig *cfg, gdouble seconds);
/* A sender in a; a receiver in b, and one that only sleeps. */
void link_self_test_jobs (
    LinkSelfTest *t, LinkJob jobs[LINK_SELF_TEST_JOBS], const LinkHost *hosts);
/* After the run: an object of JSON; `self` is the loop's.  (transfer full) */
gchar *link_self_test_result (LinkSelfTest *t, const gchar *self);
void link_self_test_free (LinkSelfTest *t);

G_END_DECLS
