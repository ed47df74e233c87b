/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the images' table, by reference. */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "cuda_image.h"

const char *eb_flavour_name(enum eb_flavour f)
{
	static const char *const names[] = { "none", "base", "runtime",
					     "devel" };

	return names[f];
}

enum eb_flavour eb_flavour_read(const char *cell)
{
	for (enum eb_flavour f = EB_FLAVOUR_BASE; f <= EB_FLAVOUR_DEVEL; f++)
		if (cell && strcmp(cell, eb_flavour_name(f)) == 0)
			return f;
	return EB_FLAVOUR_NONE;
}

char *eb_cuda_image_name(const char *const *cell)
{
	return eb_asprintf("%s:%s", cell[IMAGE_REPOSITORY], cell[IMAGE_TAG]);
}

void eb_base_row_release(struct eb_base_row *r)
{
	free(r->family);
	free(r->repository);
	free(r->tag);
	free(r->digest);
	free(r->cuda);
	free(r->cudnn);
	free(r->nccl);
	free(r->mpi);
	free(r->rdma);
	free(r->os);
	free(r->glibc);
	free(r->source);
	*r = (struct eb_base_row){ 0 };
}

void eb_base_row_read(const char *const *cell, struct eb_base_row *out)
{
	const char *gone = cell[IMAGE_DELETED];

	*out = (struct eb_base_row){
		.family = eb_strdup(cell[IMAGE_FAMILY]),
		.repository = eb_strdup(cell[IMAGE_REPOSITORY]),
		.tag = eb_strdup(cell[IMAGE_TAG]),
		.digest = eb_strdup(cell[IMAGE_DIGEST]),
		.cuda = eb_strdup(cell[IMAGE_CUDA]),
		.cudnn = eb_strdup(cell[IMAGE_CUDNN]),
		.nccl = eb_strdup(cell[IMAGE_NCCL]),
		.mpi = eb_strdup(cell[IMAGE_MPI]),
		.rdma = eb_strdup(cell[IMAGE_RDMA]),
		.os = eb_strdup(cell[IMAGE_OS]),
		.glibc = eb_strdup(cell[IMAGE_GLIBC]),
		.flavour = eb_flavour_read(cell[IMAGE_FLAVOUR]),
		.deleted = !gone ? -1 : strcmp(gone, "yes") == 0,
		.deprecated = eb_cell_has(cell[IMAGE_NOTE], "deprecated"),
		.source = eb_strdup(cell[IMAGE_SOURCE]),
	};
}

/* Docker Hub has short names; NVIDIA's own registry has the same images. */
static const char *without_host(const char *reference)
{
	static const char *const hosts[] = { "docker.io/library/", "docker.io/",
					     "nvcr.io/" };

	for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
		if (eb_starts(reference, hosts[i]))
			return reference + strlen(hosts[i]);
	return reference;
}

/* Repository and tag; "latest" where there is none. Caller frees both. */
static void split(const char *reference, char **repository, char **tag)
{
	const char *name = without_host(reference);
	size_t all = strcspn(name, "@"), n = all;

	while (n && name[n - 1] != ':' && name[n - 1] != '/')
		n--;
	if (!n || name[n - 1] != ':') {
		*repository = eb_strndup(name, all);
		*tag = eb_strdup("latest");
		return;
	}
	*repository = eb_strndup(name, n - 1);
	*tag = eb_strndup(name + n, all - n);
}

static bool is_dated(const char *tag)
{
	return strspn(tag, "0123456789") == 8 && eb_starts(tag + 8, ".v");
}

/* Azure's images have a tag a build, "20200821.v1", all with the same in
 * them; the row has one, or "latest". */
static bool is_same_tag(const char *const *cell, const char *tag)
{
	const char *of_row = cell[IMAGE_TAG];

	if (strcmp(of_row, tag) == 0)
		return true;
	return strcmp(cell[IMAGE_FAMILY], "azureml") == 0 && is_dated(tag) &&
	       (strcmp(of_row, "latest") == 0 || is_dated(of_row));
}

int eb_base_row_find(const char *reference, struct eb_base_row *out)
{
	eb_autofree char *repository = NULL, *tag = NULL;
	struct eb_table t;
	int found = 0;

	split(reference, &repository, &tag);
	eb_table_open(&t, eb_images_tsv);
	while (!found && eb_table_next(&t)) {
		const char *const *cell = t.row.cell;

		if (strcmp(cell[IMAGE_REPOSITORY], repository) != 0 ||
		    !is_same_tag(cell, tag))
			continue;
		eb_base_row_read(cell, out);
		found = 1;
	}
	eb_table_close(&t);
	return found;
}

/* The version that a tag begins with: "11.2.0" of "11.2.0-cudnn8-...". */
static char *cuda_of_tag(const char *tag)
{
	size_t n = strspn(tag, "0123456789.");

	return n && (tag[n] == '-' || !tag[n]) ? eb_strndup(tag, n) : NULL;
}

/* How much of a tag is alike: the words behind the version. */
static int likeness(const char *a, const char *b)
{
	int alike = 0;

	a += strcspn(a, "-");
	b += strcspn(b, "-");
	for (const char *word = a; *word; word += strcspn(word, "-")) {
		eb_autofree char *one = NULL;

		word++;
		one = eb_strndup(word, strcspn(word, "-"));
		alike += strstr(b, one) != NULL;
	}
	return alike;
}

static bool is_candidate(const char *const *cell, const char *repository,
			 const char *minor)
{
	eb_autofree char *of = NULL;

	if (strcmp(cell[IMAGE_REPOSITORY], repository) != 0 ||
	    !cell[IMAGE_CUDA] ||
	    (cell[IMAGE_DELETED] && strcmp(cell[IMAGE_DELETED], "yes") == 0))
		return false;
	of = eb_cuda_minor(cell[IMAGE_CUDA]);
	return strcmp(of, minor) == 0;
}

static int nearest(const char *repository, const char *tag, const char *minor,
		   struct eb_base_row *out)
{
	struct eb_table t;
	int best = -1;

	eb_table_open(&t, eb_images_tsv);
	while (eb_table_next(&t)) {
		const char *const *cell = t.row.cell;
		int alike;

		if (!is_candidate(cell, repository, minor))
			continue;
		alike = likeness(tag, cell[IMAGE_TAG]);
		if (alike < best)
			continue;
		best = alike;
		eb_base_row_release(out);
		eb_base_row_read(cell, out);
	}
	eb_table_close(&t);
	return best >= 0;
}

int eb_base_row_nearest(const char *reference, struct eb_base_row *out)
{
	eb_autofree char *repository = NULL, *tag = NULL;
	eb_autofree char *cuda = NULL, *minor = NULL;

	*out = (struct eb_base_row){ 0 };
	split(reference, &repository, &tag);
	cuda = cuda_of_tag(tag);
	if (!cuda)
		return 0;
	minor = eb_cuda_minor(cuda);
	return nearest(repository, tag, minor, out);
}
