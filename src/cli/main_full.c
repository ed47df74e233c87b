/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild-full: all commands. */
#include <malloc.h>
#include <stddef.h>

#include <envbuild/team.h>

#include "cli.h"

/* What the threads of a build free lies in as many heaps as there were threads
 * (measured: 25 MB of a large build's peak); two are enough for them, whose
 * large buffers are few and live long. */
static void share_memory(void)
{
#ifdef __GLIBC__
	mallopt(M_ARENA_MAX, 2);
#endif
}

int main(int argc, char **argv)
{
#define EB_ENTRY(name) &eb_cmd_##name,
	static const struct eb_command *const commands[] = {
		EB_REGISTRY_COMMANDS(EB_ENTRY) EB_LIGHT_COMMANDS(EB_ENTRY)
			EB_FULL_COMMANDS(EB_ENTRY) NULL
	};
#undef EB_ENTRY

	share_memory();
	return eb_cli_main(argc, argv, commands, NULL, eb_shared_open);
}
