/* SPDX-License-Identifier: Apache-2.0 */
/* Packages that are chosen already, as what is asked for. */
#include <string.h>

#include <envbuild/channel.h>
#include <envbuild/spec.h>

struct eb_exact_package *eb_exact_add(struct eb_exact *x)
{
	EB_GROW(x->package, x->n, x->alloc);
	x->package[x->n] = (struct eb_exact_package){ 0 };
	return &x->package[x->n++];
}

void eb_exact_free(struct eb_exact *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->n; i++) {
		eb_record_release(&x->package[i].record);
		free(x->package[i].channel);
	}
	free(x->package);
	eb_strv_release(&x->pip_requested);
	free(x);
}

int eb_exact_fits(const struct eb_record *r, const char *platform,
		  struct eb_error *err)
{
	const char *subdir = eb_conda_subdir(platform);

	if (!r->subdir || !strcmp(r->subdir, "noarch") ||
	    (subdir && !strcmp(r->subdir, subdir)))
		return 0;
	eb_err_set(err, EB_INPUT, "%s %s is a package for %s, not for %s",
		   r->name, r->version, r->subdir, subdir ? subdir : platform);
	return eb_err_hint(err, "--platform names the image's");
}

static int by_name(const void *a, const void *b)
{
	const struct eb_exact_package *p = a, *q = b;

	return strcmp(p->record.name, q->record.name);
}

static int place(const struct eb_spec *s, const struct eb_exact_package *p,
		 struct eb_error *err)
{
	return p->line ? eb_err_at(err, s->file, p->line, p->column) : -1;
}

static int check_names(const struct eb_spec *s, struct eb_error *err)
{
	const struct eb_exact *x = s->exact;

	for (size_t i = 0; i + 1 < x->n; i++) {
		const struct eb_exact_package *a = &x->package[i], *b = a + 1;

		if (strcmp(a->record.name, b->record.name) != 0)
			continue;
		eb_err_set(err, EB_INPUT,
			   "\"%s\" has two packages \"%s\": %s and %s", s->file,
			   a->record.name, a->record.fn, b->record.fn);
		return place(s, a->line > b->line ? a : b, err);
	}
	return 0;
}

/* Each once, in an order that the file's does not matter for. */
static void take_channels(struct eb_spec *s)
{
	const struct eb_exact *x = s->exact;

	for (size_t i = 0; i < x->n; i++) {
		const struct eb_exact_package *p = &x->package[i];
		const char *channel =
			p->channel ? p->channel : p->record.channel;

		if (!eb_strv_has(&s->channels, channel))
			eb_strv_add(&s->channels, channel);
	}
}

/* "name=1.0=py37_0"; with several channels each says its own, for the order
 * of channels hides packages. */
static int add_line(struct eb_spec *s, const struct eb_exact_package *p,
		    struct eb_error *err)
{
	const struct eb_record *r = &p->record;
	bool several = s->channels.n > 1;
	eb_autofree char *text =
		eb_asprintf("%s%s%s=%s=%s", several ? r->channel : "",
			    several ? "::" : "", r->name, r->version, r->build);
	struct eb_matchspec *m = eb_matchspec_parse(text, EB_STRICT, err);

	if (!m || !eb_matchspec_name(m) ||
	    strcmp(eb_matchspec_name(m), r->name) != 0) {
		if (m)
			eb_err_set(err, EB_INPUT, "\"%s\" is no package's name",
				   r->name);
		eb_matchspec_free(m);
		return place(s, p, err);
	}
	s->conda_at[s->n_conda] = (struct eb_spec_line){
		.line = p->line, .column = p->column, .text = eb_steal(text)
	};
	s->conda[s->n_conda++] = m;
	return 0;
}

int eb_spec_take_exact(struct eb_spec *s, struct eb_error *err)
{
	struct eb_exact *x = s->exact;

	if (x->n)
		qsort(x->package, x->n, sizeof *x->package, by_name);
	if (check_names(s, err) < 0)
		return -1;
	take_channels(s);
	s->conda = eb_calloc(x->n + 1, sizeof *s->conda);
	s->conda_at = eb_calloc(x->n + 1, sizeof *s->conda_at);
	for (size_t i = 0; i < x->n; i++)
		if (add_line(s, &x->package[i], err) < 0)
			return -1;
	return 0;
}
