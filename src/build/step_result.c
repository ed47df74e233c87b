/* SPDX-License-Identifier: Apache-2.0 */
/* Results of executed steps: in the store, and in the team's registry. */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/team.h>

#include "step.h"

#define FACT "step"
#define STORY "step-story" /* result -> how long it took, its log */

/* --- the store
 * --------------------------------------------------------------------
 */
int eb_result_remember(struct eb_build *b, const struct eb_digest *key,
		       const struct eb_digest *result, struct eb_error *err)
{
	char hex[EB_HEX_SIZE], text[EB_DIGEST_TEXT];

	return eb_store_put_fact(b->store, FACT, eb_digest_hex(key, hex),
				 eb_digest_text(result, text), result, err);
}

int eb_result_recall(struct eb_build *b, const struct eb_digest *key,
		     struct eb_digest *result, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_DIGEST_TEXT);
	char hex[EB_HEX_SIZE];
	int rc = eb_store_find_fact(b->store, FACT, eb_digest_hex(key, hex),
				    &text, err);

	if (rc <= 0)
		return rc;
	if (eb_digest_parse(text.data, result) < 0)
		return 0;
	return eb_store_has(b->store, result, err);
}

int eb_result_tell_story(struct eb_build *b, const struct eb_digest *result,
			 uint64_t ns, const char *log, struct eb_error *err)
{
	const char *slash = log ? strrchr(log, '/') : NULL;
	eb_autojson json_t *j =
		json_pack("{s:I}", "milliseconds", (json_int_t)(ns / 1000000));
	EB_AUTOBUF(text, EB_MAX_TEXT);
	char hex[EB_HEX_SIZE];

	if (slash)
		json_object_set_new(j, "log", json_string(slash + 1));
	eb_json_canonical(j, &text);
	return eb_store_put_fact(b->store, STORY, eb_digest_hex(result, hex),
				 text.data, NULL, err);
}

int eb_step_story(struct eb_store *store, const struct eb_digest *result,
		  struct eb_lock_step *out, struct eb_error *err)
{
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_TEXT);
	eb_autojson json_t *j = NULL;
	char hex[EB_HEX_SIZE];
	json_int_t took;
	int rc = eb_store_find_fact(store, STORY, eb_digest_hex(result, hex),
				    &text, err);

	if (rc <= 0)
		return rc;
	j = eb_json_parse(text.data, text.len, STORY, &why);
	if (!j)
		return 0;
	took = eb_json_int(j, "milliseconds", 0);
	out->milliseconds = took > 0 ? (uint64_t)took : 0;
	free(out->log);
	out->log = eb_strdup(eb_json_str(j, "log"));
	return 1;
}

/* --- the registry
 * -------------------------------------------------------------
 */
int eb_result_ask_team(struct eb_build *b, const struct eb_digest *key,
		       struct eb_digest *result, struct eb_error *err)
{
	uint64_t size;
	int rc = b->team ? eb_team_step_find(b->team, key, b->store, result,
					     &size, err)
			 : 0;

	if (rc > 0 && eb_result_remember(b, key, result, err) < 0)
		return -1;
	return rc;
}

int eb_result_tell_team(struct eb_build *b, const struct eb_digest *key,
			struct eb_digest *result, struct eb_error *err)
{
	uint64_t size;

	if (!b->team)
		return 0;
	return eb_team_step_put(b->team, key, b->store, result, &size, err) < 0
		       ? -1
		       : 0;
}
