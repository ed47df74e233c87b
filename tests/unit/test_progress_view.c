/* SPDX-License-Identifier: Apache-2.0 */
/* The live view, with the time given. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cli/progress_view.h"

#define SECOND 1000000000ULL

struct screen {
	char *text;
	size_t size;
	struct eb_view view;
};

static void open_screen(struct screen *s)
{
	*s = (struct screen){ 0 };
	s->view.out = open_memstream(&s->text, &s->size);
	s->view.width = 40;
}

static void close_screen(struct screen *s)
{
	eb_view_clear(&s->view);
	eb_view_release(&s->view);
	fclose(s->view.out);
	free(s->text);
}

/* What was painted since the last look. */
static const char *look(struct screen *s)
{
	static char seen[4096];

	fflush(s->view.out);
	snprintf(seen, sizeof seen, "%s", s->text);
	rewind(s->view.out);
	return seen;
}

static void emit(struct screen *s, enum eb_event_type type, const char *name,
		 uint64_t done, uint64_t total, uint64_t now)
{
	struct eb_event ev = { .type = type,
			       .name = name,
			       .kind = "fetch",
			       .done = done,
			       .total = total };

	eb_view_event(&s->view, &ev, now);
}

static void test_tasks(void **state)
{
	struct screen s;

	(void)state;
	open_screen(&s);
	emit(&s, EB_EV_TASK_BEGIN, "torch", 0, 4000000, SECOND);
	assert_non_null(strstr(look(&s), "torch"));
	emit(&s, EB_EV_TASK_STEP, "torch", 2000000, 4000000, 2 * SECOND);
	assert_non_null(strstr(look(&s), "2.00 MB of 4.00 MB"));
	assert_int_equal(s.view.lines, 2);
	assert_int_equal(s.view.fetched, 2000000);
	emit(&s, EB_EV_TASK_END, "torch", 0, 4000000, 3 * SECOND);
	assert_non_null(strstr(look(&s), "1 done, 2.00 MB"));
	assert_int_equal(s.view.lines, 1);
	close_screen(&s);
}

/* Ten times a second at most. */
static void test_rate(void **state)
{
	struct screen s;

	(void)state;
	open_screen(&s);
	emit(&s, EB_EV_TASK_BEGIN, "a", 0, 100, SECOND);
	look(&s);
	emit(&s, EB_EV_TASK_STEP, "a", 50, 100, SECOND + SECOND / 20);
	assert_int_equal(s.view.painted, SECOND);
	emit(&s, EB_EV_TASK_STEP, "a", 60, 100, SECOND + SECOND / 5);
	assert_int_equal(s.view.painted, SECOND + SECOND / 5);
	close_screen(&s);
}

/* Hostile names neither wrap nor reach the terminal as they are. */
static void test_names(void **state)
{
	struct screen s;
	char name[200];

	(void)state;
	memset(name, 'x', sizeof name);
	memcpy(name, "\033[2J", 4);
	name[sizeof name - 1] = 0;
	open_screen(&s);
	emit(&s, EB_EV_TASK_BEGIN, name, 0, 0, SECOND);
	assert_null(strstr(look(&s), "\033[2J"));
	assert_int_equal(s.view.lines, 2);
	close_screen(&s);
}

static void test_many(void **state)
{
	struct screen s;
	char name[16];

	(void)state;
	open_screen(&s);
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof name, "p%d", i);
		emit(&s, EB_EV_TASK_BEGIN, name, 0, 0, SECOND);
	}
	assert_int_equal(s.view.n, EB_VIEW_TASKS);
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof name, "p%d", i);
		emit(&s, EB_EV_TASK_END, name, 0, 0, 2 * SECOND);
	}
	assert_int_equal(s.view.n, 0);
	assert_int_equal(s.view.finished, 40);
	close_screen(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
