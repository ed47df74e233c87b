/* SPDX-License-Identifier: Apache-2.0 */
/* The form that works here, found once. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/buf.h>

#include "sandbox_form.h"

/* One answer a question: with and without network, root alone or more ids,
 * for people or confined, counted or not. The user and ENVBUILD_RUNTIME may
 * change in between (tests do). */
struct answer {
	bool known;
	uid_t user;
	char *chosen;
	struct eb_form form;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct answer answers[2][2][2][2];

static void __attribute__((destructor)) forget(void)
{
	size_t i;

	for (i = 0; i < 16; i++) {
		struct answer *a =
			&answers[i >> 3][i >> 2 & 1][i >> 1 & 1][i & 1];

		eb_form_release(&a->form);
		free(a->chosen);
	}
}

static const char *chosen_runtime(void)
{
	const char *chosen = getenv("ENVBUILD_RUNTIME");

	return chosen ? chosen : "";
}

static bool still_holds(const struct answer *a)
{
	return a->known && a->user == geteuid() &&
	       strcmp(a->chosen, chosen_runtime()) == 0;
}

static void remember(struct answer *a, const struct eb_form *f)
{
	eb_form_release(&a->form);
	free(a->chosen);
	a->known = true;
	a->user = geteuid();
	a->chosen = eb_strdup(chosen_runtime());
	eb_form_copy(&a->form, f);
}

static int none_works(const struct eb_buf *said, bool ids, struct eb_error *err)
{
	const char *chosen = chosen_runtime();

	if (said->len)
		eb_err_set(err, EB_MACHINE, "no OCI runtime works here: %s",
			   said->data);
	else if (*chosen)
		eb_err_set(err, EB_MACHINE,
			   "\"%s\" (ENVBUILD_RUNTIME) is not there, or has no "
			   "form that fits",
			   chosen);
	else
		eb_err_set(err, EB_MACHINE,
			   "no OCI runtime: runc and crun are not in PATH%s",
			   ids ? ", or none can map more ids than one" : "");
	return eb_err_hint(err,
			   "install runc or crun; without root, user "
			   "namespaces have to be allowed%s",
			   ids ? " and /etc/subuid needs a line for the user"
			       : "");
}

static int try_all(struct answer *a, const struct eb_form_use *use,
		   const char *tmp, struct eb_error *err)
{
	struct eb_forms f EB_CLEANUP(eb_forms_release) = { 0 };
	long before;
	size_t i;
	EB_AUTOBUF(said, EB_MAX_TEXT);

	eb_forms_list(&f, use);
	if (use->confined)
		eb_forms_quick_first(&f);
	before = eb_form_recall(&f, use);
	if (before >= 0) {
		remember(a, &f.form[before]);
		return 0;
	}
	for (i = 0; i < f.n; i++) {
		struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

		if (eb_form_try(&f.form[i], use, tmp, &why) == 0) {
			remember(a, &f.form[i]);
			eb_form_keep(&f, use, i);
			return 0;
		}
		eb_buf_addf(&said, "%s%s", said.len ? "; " : "", why.message);
	}
	return none_works(&said, use->ids, err);
}

int eb_form_find(const struct eb_form_use *use, const char *tmp,
		 struct eb_form *out, struct eb_error *err)
{
	bool host = use->network == EB_NETWORK_HOST;
	struct answer *a =
		&answers[host][use->ids][use->confined][use->counted];
	int result = 0;

	pthread_mutex_lock(&lock);
	if (!still_holds(a))
		result = try_all(a, use, tmp, err);
	if (result == 0)
		eb_form_copy(out, &a->form);
	pthread_mutex_unlock(&lock);
	return result;
}
