/* SPDX-License-Identifier: Apache-2.0 */
/* The URLs of channels: texts alone, nothing is looked up. */
#ifndef EB_CHANNEL_URL_H
#define EB_CHANNEL_URL_H

#include <stdbool.h>
#include <stddef.h>

#include <envbuild/channel.h>

/* $VAR and ${VAR} by the environment; NULL on an undefined one, and when the
 * result is longer than `max`. */
char *eb_channel_expand(const char *text, size_t max, struct eb_error *err);
/* Scheme and host in lower case, no default port, no double or final slash,
 * no known subdir at its end; login and token stay. NULL when it is no
 * channel's URL. */
char *eb_channel_url_normal(const char *url);
/* Without login and token. */
char *eb_channel_canonical(const char *url);
/* file:// URL of an absolute path, and back (NULL when it is none). */
char *eb_channel_file_url(const char *path);
char *eb_channel_file_path(const char *url);
/* RFC 3986 reference against a base URL that ends with a slash. */
char *eb_channel_join(const char *base, const char *reference);

/* Length of the text without a final known subdir; its own length where
 * there is none. "conda-forge/linux-64" -> 11. */
size_t eb_channel_without_subdir(const char *channel);

#endif
