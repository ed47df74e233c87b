/* SPDX-License-Identifier: Apache-2.0 */
/* --password-stdin: the password of a registry from standard input. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/mem.h>

#include "cli.h"

#define MAX_PASSWORD ((size_t)64 << 10)

/* Nothing of it stays in memory that is given back. */
static void wipe(char **buffer)
{
	if (*buffer)
		explicit_bzero(*buffer, MAX_PASSWORD + 1);
	free(*buffer);
}

static int read_input(char *buffer, size_t *n, struct eb_error *err)
{
	ssize_t got;

	*n = 0;
	do {
		got = read(STDIN_FILENO, buffer + *n, MAX_PASSWORD + 1 - *n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return eb_err_errno(err, EB_MACHINE, errno,
					    "reading the password from "
					    "standard input");
		*n += (size_t)got;
	} while (got && *n <= MAX_PASSWORD);
	if (*n > MAX_PASSWORD)
		return eb_err_set(err, EB_INPUT,
				  "the password on standard input is longer "
				  "than %zu bytes",
				  MAX_PASSWORD);
	return 0;
}

static int take(struct eb_config *c, char *text, size_t n, struct eb_error *err)
{
	if (n && text[n - 1] == '\n')
		n--;
	if (n && text[n - 1] == '\r')
		n--;
	if (!n || memchr(text, '\0', n))
		return eb_err_set(err, EB_INPUT,
				  "standard input holds no password");
	c->password = eb_strndup(text, n);
	return 0;
}

static int check(const struct eb_cli *cli, struct eb_error *err)
{
	const struct eb_config *c = &cli->config;

	if (!c->username)
		return eb_err_set(err, EB_USAGE,
				  "option \"--password-stdin\" needs "
				  "\"--username\"");
	if (eb_strv_has(&cli->args, "-"))
		return eb_err_set(err, EB_USAGE,
				  "standard input cannot be both \"-\" and the "
				  "password");
	return 0;
}

int eb_cli_password(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(wipe) char *buffer = NULL;
	size_t n;

	if (!cli->config.password_stdin || cli->config.password)
		return 0;
	if (check(cli, err) < 0)
		return -1;
	buffer = eb_malloc(MAX_PASSWORD + 1);
	if (read_input(buffer, &n, err) < 0)
		return -1;
	return take(&cli->config, buffer, n, err);
}
