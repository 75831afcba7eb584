/* A certificate and its key, of a stranger that the tests make up.
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements of one process without a certificate of their own share one that
 * GStreamer makes up, so a second identity has to be written down here.
 */
#pragma once

#define STRANGER_PEM                                                   \
  "-----BEGIN CERTIFICATE-----\n"                                      \
  "MIIBfTCCASOgAwIBAgIUYha2jOyQbnSlNaaCDM/Iq2Y/XsswCgYIKoZIzj0EAwIw\n" \
  "EzERMA8GA1UEAwwIc3RyYW5nZXIwIBcNMjYxMTIyMTEyOTIxWhgPMjEyNjEwMjkx\n" \
  "MTI5MjFaMBMxETAPBgNVBAMMCHN0cmFuZ2VyMFkwEwYHKoZIzj0CAQYIKoZIzj0D\n" \
  "AQcDQgAEsuMUC/uFGhoMewSCfhwJQaPP+dZT7HDtVTZXvwA6kcVx3+MXzROfP/2I\n" \
  "vZQTfnat4GadgBKZdgGhKoh4dHP24aNTMFEwHQYDVR0OBBYEFPipQdRCBMlWuAVX\n" \
  "WMFbMW/0gvdlMB8GA1UdIwQYMBaAFPipQdRCBMlWuAVXWMFbMW/0gvdlMA8GA1Ud\n" \
  "EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgQEJm7QL8PlAC+KBqL8Q+Hi5R\n" \
  "726hK3UBpWTcSfWTDawCIQCgpWOa5kHlJ5fIyVS8n6vd/Bf4cHrppmL8XeysP3VC\n" \
  "/g==\n"                                                             \
  "-----END CERTIFICATE-----\n"                                        \
  "-----BEGIN EC PRIVATE KEY-----\n"                                   \
  "MHcCAQEEIE3lyxQ7hcljK0rdwfhDqg95iTsNi5KSWIJydAF6E4QioAoGCCqGSM49\n" \
  "AwEHoUQDQgAEsuMUC/uFGhoMewSCfhwJQaPP+dZT7HDtVTZXvwA6kcVx3+MXzROf\n" \
  "P/2IvZQTfnat4GadgBKZdgGhKoh4dHP24Q==\n"                             \
  "-----END EC PRIVATE KEY-----\n"
