/* SPDX-License-Identifier: Apache-2.0 */
/* Logins for channels that other programs keep in files. */
#ifndef EB_CHANNEL_LOGIN_H
#define EB_CHANNEL_LOGIN_H

#include <stdbool.h>

#include <envbuild/error.h>

enum eb_login_kind { EB_LOGIN_BASIC, EB_LOGIN_BEARER, EB_LOGIN_TOKEN };

/* Read when one is asked for, then kept; any thread may ask. */
struct eb_channel_logins;
struct eb_channel_logins *eb_channel_logins_new(void);
void eb_channel_logins_free(struct eb_channel_logins *l);

/* For a credential-free URL; `tokens`: the anaconda client's count, too. 1, 0
 * nobody has one, -1 EB_INPUT. `*user` is NULL but for EB_LOGIN_BASIC; owned
 * by `l`. */
struct eb_channel_login {
	enum eb_login_kind kind;
	const char *user, *secret;
};
int eb_channel_login_find(struct eb_channel_logins *l, const char *url,
			  bool tokens, struct eb_channel_login *out,
			  struct eb_error *err);

#endif
