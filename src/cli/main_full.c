/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild-full: all commands. */
#include <stddef.h>

#include "cli.h"

int main(int argc, char **argv)
{
#define EB_ENTRY(name) &eb_cmd_##name,
	static const struct eb_command *const commands[] = {
		EB_REGISTRY_COMMANDS(EB_ENTRY) EB_LIGHT_COMMANDS(EB_ENTRY)
			EB_FULL_COMMANDS(EB_ENTRY) NULL
	};
#undef EB_ENTRY

	return eb_cli_main(argc, argv, commands, NULL);
}
