/* SPDX-License-Identifier: Apache-2.0 */
/* Events: what arrives at the sink, from several threads too; stages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>
#include <time.h>

#include <envbuild/event.h>

struct seen {
	unsigned calls, inside, overlapped;
	struct eb_event last;
	char text[100], file[100];
};

static void sink(void *data, const struct eb_event *ev)
{
	struct seen *s = data;

	if (__atomic_fetch_add(&s->inside, 1, __ATOMIC_SEQ_CST))
		s->overlapped++;
	s->calls++;
	s->last = *ev;
	strncpy(s->text, ev->text ? ev->text : "", sizeof s->text - 1);
	strncpy(s->file, ev->file ? ev->file : "", sizeof s->file - 1);
	__atomic_fetch_sub(&s->inside, 1, __ATOMIC_SEQ_CST);
}

static void texts(void **state)
{
	struct seen s = { 0 };
	struct eb_events *events = eb_events_new(sink, &s);

	(void)state;
	eb_note(events, "%d and %s", 1, "two");
	assert_int_equal(s.last.type, EB_EV_NOTE);
	assert_string_equal(s.text, "1 and two");
	eb_detail(events, "d");
	assert_int_equal(s.last.type, EB_EV_DETAIL);
	eb_warn(events, "w");
	assert_int_equal(s.last.type, EB_EV_WARNING);
	assert_null(s.last.file);
	eb_warn_at(events, "f.yml", 3, 4, "w%d", 2);
	assert_int_equal(s.last.type, EB_EV_WARNING);
	assert_string_equal(s.file, "f.yml");
	assert_string_equal(s.text, "w2");
	assert_int_equal(s.last.line, 3);
	assert_int_equal(s.last.column, 4);
	assert_int_equal(s.calls, 4);
	eb_events_free(events);
}

static void nobody_listens(void **state)
{
	struct eb_stage stage;

	(void)state;
	eb_note(NULL, "%s", "x");
	eb_warn_at(NULL, "f", 1, 1, "x");
	eb_emit(NULL, &(struct eb_event){ .type = EB_EV_NOTE });
	eb_stage_begin(NULL, &stage, "solve");
	eb_stage_end(NULL, &stage);
	eb_events_free(NULL);
	assert_string_equal(stage.name, "solve");
	assert_true(stage.wall_ns < 1000000000);
}

static void stage(void **state)
{
	struct timespec pause = { 0, 20000000 };
	struct seen s = { 0 };
	struct eb_events *events = eb_events_new(sink, &s);
	struct eb_stage st;

	(void)state;
	eb_stage_begin(events, &st, "read");
	assert_int_equal(s.last.type, EB_EV_STAGE_BEGIN);
	assert_string_equal(s.last.name, "read");
	nanosleep(&pause, NULL);
	eb_stage_end(events, &st);
	assert_int_equal(s.last.type, EB_EV_STAGE_END);
	assert_string_equal(s.last.name, "read");
	assert_true(s.last.wall_ns >= 20000000);
	assert_true(s.last.wall_ns == st.wall_ns);
	assert_true(s.last.cpu_ns < s.last.wall_ns);
	eb_events_free(events);
}

static void *emit_many(void *data)
{
	int i;

	for (i = 0; i < 2000; i++)
		eb_note(data, "%d", i);
	return NULL;
}

static void one_at_a_time(void **state)
{
	struct seen s = { 0 };
	struct eb_events *events = eb_events_new(sink, &s);
	pthread_t t[4];
	int i;

	(void)state;
	for (i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, emit_many, events);
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	assert_int_equal(s.calls, 8000);
	assert_int_equal(s.overlapped, 0);
	eb_events_free(events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(nobody_listens),
		cmocka_unit_test(stage),
		cmocka_unit_test(one_at_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
