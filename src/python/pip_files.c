/* SPDX-License-Identifier: Apache-2.0 */
/* Requirements files of other machines, as a lock remembers them. */
#include <stdlib.h>

#include <envbuild/index.h>

void eb_pip_files_release(struct eb_pip_files *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->v[i].url);
	free(f->v);
	*f = (struct eb_pip_files){ 0 };
}
