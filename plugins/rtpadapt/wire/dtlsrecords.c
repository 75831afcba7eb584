/* Which datagrams may come to the DTLS library.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "dtlsrecords.h"

#include <string.h>

/* RFC 6347 4.1: type, version, epoch, sequence number, length. */
#define RECORD_HEAD 13
/* RFC 6347 4.2.2: type, length, message_seq, fragment offset and length. */
#define MESSAGE_HEAD 12
/* RFC 5246 6.2.3 */
#define RECORD_MAX ((1u << 14) + 2048)
/* A chain of certificates is shorter, and a fragment of a message this long does
 * not make the library keep much memory. */
#define MESSAGE_MAX 65536

/* RFC 5246 6.2.1 */
enum
{
  CHANGE_CIPHER_SPEC = 20,
  ALERT = 21,
  HANDSHAKE = 22,
  APPLICATION = 23
};

/* RFC 5246 7.4, RFC 6347 4.2.2, RFC 5077 3.3 and RFC 6066 8. */
enum
{
  HELLO_REQUEST = 0,
  CLIENT_HELLO = 1,
  SERVER_HELLO = 2,
  HELLO_VERIFY_REQUEST = 3,
  NEW_SESSION_TICKET = 4,
  CERTIFICATE = 11,
  SERVER_KEY_EXCHANGE = 12,
  CERTIFICATE_REQUEST = 13,
  SERVER_HELLO_DONE = 14,
  CERTIFICATE_VERIFY = 15,
  CLIENT_KEY_EXCHANGE = 16,
  CERTIFICATE_STATUS = 22
};

static guint
read_number (const guint8 *data, guint bytes)
{
  guint value = 0;

  while (bytes-- > 0)
    value = value << 8 | *data++;
  return value;
}

/* TRUE if that side says such a message before it encrypts.  A HelloRequest asks
 * for a renegotiation, which DTLS-SRTP does not need. */
static gboolean
message_fits_side (guint type, gboolean of_client)
{
  switch (type) {
    case CERTIFICATE:
      return TRUE;
    case CLIENT_HELLO:
    case CERTIFICATE_VERIFY:
    case CLIENT_KEY_EXCHANGE:
      return of_client;
    case SERVER_HELLO:
    case HELLO_VERIFY_REQUEST:
    case NEW_SESSION_TICKET:
    case SERVER_KEY_EXCHANGE:
    case CERTIFICATE_REQUEST:
    case SERVER_HELLO_DONE:
    case CERTIFICATE_STATUS:
      return !of_client;
    default:
      return FALSE;
  }
}

/* TRUE if the record consists of fragments of messages that fit. */
static gboolean
messages_fit (const guint8 *data, gsize size, gboolean of_client)
{
  if (size == 0)
    return FALSE;
  while (size > 0) {
    guint length, offset, part;

    if (size < MESSAGE_HEAD)
      return FALSE;
    length = read_number (data + 1, 3);
    offset = read_number (data + 6, 3);
    part = read_number (data + 9, 3);
    if (!message_fits_side (data[0], of_client) || length > MESSAGE_MAX
        || offset + part > length || part > size - MESSAGE_HEAD
        || (part == 0 && length > 0))
      return FALSE;
    data += MESSAGE_HEAD + part;
    size -= MESSAGE_HEAD + part;
  }
  return TRUE;
}

static gboolean
plain_record_fits (const guint8 *body, gsize size, guint type, gboolean client)
{
  if (type == HANDSHAKE)
    return messages_fit (body, size, client);
  /* RFC 5246 7.1.  No peer sends data in the clear, and anybody can forge an
   * alert. */
  return type == CHANGE_CIPHER_SPEC && size == 1 && body[0] == 1;
}

/* The length of the first record, or 0 if it does not have the form. */
static gsize
record_length (const guint8 *data, gsize size, gboolean of_client)
{
  guint version, epoch, length;

  if (size < RECORD_HEAD || data[0] < CHANGE_CIPHER_SPEC
      || data[0] > APPLICATION)
    return 0;
  version = read_number (data + 1, 2);
  epoch = read_number (data + 3, 2);
  length = read_number (data + 11, 2);
  if ((version != 0xfeff && version != 0xfefd) || length > RECORD_MAX
      || length > size - RECORD_HEAD)
    return 0;
  if (epoch == 0
      && !plain_record_fits (data + RECORD_HEAD, length, data[0], of_client))
    return 0;
  /* A connection does not renegotiate, so a third epoch never comes.  An
   * encrypted record is never empty, because it has a nonce or an
   * authentication code. */
  if (epoch > 1 || (epoch == 1 && length == 0))
    return 0;
  return RECORD_HEAD + length;
}

/* Finds the random of a ClientHello in its first fragment (RFC 6347 4.2.1).  It
 * identifies the attempt, because each repetition has the same random. */
static gboolean
find_random (const guint8 *data, guint8 random[DTLS_RANDOM])
{
  const guint8 *message = data + RECORD_HEAD;

  if (data[0] != HANDSHAKE || read_number (data + 3, 2) != 0
      || message[0] != CLIENT_HELLO || read_number (message + 6, 3) != 0
      || read_number (message + 9, 3) < 2 + DTLS_RANDOM)
    return FALSE;
  memcpy (random, message + MESSAGE_HEAD + 2, DTLS_RANDOM);
  return TRUE;
}

DtlsKind
dtls_records_kind (
    const guint8 *data, gsize size, gboolean server, guint8 random[DTLS_RANDOM])
{
  gsize at = 0, length;

  /* RFC 7983 7 */
  if (size > 0 && data[0] >= 128 && data[0] <= 191)
    return DTLS_SRTP;
  if (size == 0)
    return DTLS_REFUSED;
  while (at < size) {
    length = record_length (data + at, size - at, server);
    if (length == 0)
      return DTLS_REFUSED;
    at += length;
  }
  return server && find_random (data, random) ? DTLS_HELLO : DTLS_RECORDS;
}

gboolean
dtls_records_is_hello (const guint8 *data, gsize size)
{
  return size >= RECORD_HEAD + MESSAGE_HEAD && data[0] == HANDSHAKE
      && read_number (data + 3, 2) == 0 && data[RECORD_HEAD] == CLIENT_HELLO;
}

gboolean
dtls_records_end_hello (const guint8 *data, gsize size)
{
  const guint8 *message = data + RECORD_HEAD;

  if (!dtls_records_is_hello (data, size))
    return FALSE;
  return read_number (message + 6, 3) + read_number (message + 9, 3)
      == read_number (message + 1, 3);
}
