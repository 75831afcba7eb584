/* Random numbers that nobody can guess.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "chance.h"

#include <sys/random.h>

guint64
secure_chance (void)
{
  guint64 bits;

  if (getentropy (&bits, sizeof bits) != 0)
    g_error ("The system has no random numbers.");
  return bits;
}
