/* SPDX-License-Identifier: Apache-2.0 */
/* Logins that other programs keep, once they are read. */
#ifndef EB_CHANNEL_LOGIN_INT_H
#define EB_CHANNEL_LOGIN_INT_H

#include <pthread.h>

#include "channel_login.h"

enum eb_login_store { EB_LOGINS_RATTLER, EB_LOGINS_MAMBA, EB_LOGINS_ANACONDA };

struct eb_login_entry {
	enum eb_login_store store;
	enum eb_login_kind kind;
	char *key; /* a host; host and path; a URL */
	char *user, *secret;
};

struct eb_channel_logins {
	pthread_mutex_t lock;
	bool read;
	struct eb_login_entry *v;
	size_t n, alloc;
};

/* channel_login_read.c: all files, in the order in which they count. */
int eb_channel_logins_read(struct eb_channel_logins *l, struct eb_error *err);

#endif
