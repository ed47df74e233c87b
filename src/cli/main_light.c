/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild: the commands that must answer at once. For every other it becomes
 * envbuild-full, found beside its own executable. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/mem.h>

#include "cli.h"

static const char *const places[] = {
	"libexec/envbuild/envbuild-full",    /* build/ */
	"../libexec/envbuild/envbuild-full", /* PREFIX/bin */
};

/* Does not come back when it works out. */
static int become_full(char **argv)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;

	self[n > 0 ? n : 0] = 0;
	slash = strrchr(self, '/');
	for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
		eb_autofree char *full = eb_asprintf(
			"%.*s/%s", (int)(slash - self), self, places[i]);

		execv(full, argv);
	}
	fprintf(stderr,
		"envbuild: \"envbuild-full\" is not beside \"%s\": %s\n", self,
		strerror(errno));
	return EB_MACHINE;
}

int main(int argc, char **argv)
{
#define EB_ENTRY(name) &eb_cmd_##name,
	static const struct eb_command *const commands[] = { EB_LIGHT_COMMANDS(
		EB_ENTRY) NULL };
#undef EB_ENTRY

	return eb_cli_main(argc, argv, commands, become_full, NULL);
}
