/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files that read a wheel and make entries of it. */
#ifndef EB_WHEEL_INT_H
#define EB_WHEEL_INT_H

#include <envbuild/buf.h>
#include <envbuild/str.h>
#include <envbuild/tags.h>
#include <envbuild/wheel.h>

#include "zip_dir.h"

/* What RECORD says of a member. */
struct eb_wheel_row {
	struct eb_digest sha256;
	bool has_sha256; /* signatures of RECORD may come without */
	bool no_size;	 /* its row leaves the size out */
	unsigned times;	 /* rows that say so */
	char *hash;	 /* its text where it is not the usual, or NULL */
};

/* A program that an entry point asks for. */
struct eb_wheel_point {
	char *command, *module, *function; /* "a.b", "c.d" */
};
struct eb_wheel_points {
	struct eb_wheel_point *point; /* sorted by command */
	size_t n, alloc;
};

struct eb_wheel {
	char *what; /* the file's name, for messages */
	struct eb_wheel_limits limits;
	struct eb_wheel_name name;
	struct eb_zipdir zip;
	struct eb_wheel_row *row; /* one a member of zip */
	char *dist_info;	  /* "torch-1.6.0.dist-info" */
	char *data;		  /* "torch-1.6.0.data" */
	char *metadata;
	size_t metadata_len;
	char *format; /* Wheel-Version where its minor is newer, or NULL */
	struct eb_wheel_points points;
};

/* --- wheel_read.c ------------------------------------------------------- */
/* A member of dist-info by its name in it, verified by its CRC and, where
 * rows are known, its sha256. 1; 0: there is none. Caller frees. */
int eb_wheel_member(const struct eb_wheel *w, const char *name, char **text,
		    size_t *len, struct eb_error *err);
/* The same of any member; more than `metadata` bytes are refused. */
int eb_wheel_text(const struct eb_wheel *w, const struct eb_zipdir_member *m,
		  char **text, struct eb_error *err);

/* --- wheel_header.c ----------------------------------------------------- */
/* The value of the first field of that name among the headers of a text like
 * a mail's; NULL when there is none. Caller frees. */
char *eb_wheel_header(const char *text, size_t len, const char *field);

/* --- wheel_requires.c --------------------------------------------------- */
/* EB_INPUT: a marker of its METADATA is nested too deep; names the line. */
int eb_wheel_check_requires(const struct eb_wheel *w, struct eb_error *err);

/* --- wheel_rows.c ------------------------------------------------------- */
int eb_wheel_read_rows(struct eb_wheel *w, struct eb_error *err);
const struct eb_wheel_row *eb_wheel_row_of(const struct eb_wheel *w,
					   const struct eb_zipdir_member *m);
/* What a record made of the path list has to know of a row beyond the entry,
 * one JSON object: "hash" and "size", texts where they are not the usual ones;
 * "rows", how many say so, where it is not one. NULL when there is nothing;
 * caller frees. */
char *eb_wheel_note(const char *hash, bool no_size, unsigned rows);
/* RECORD, INSTALLER ... of dist-info: written anew when a wheel is installed,
 * never taken from it. */
bool eb_wheel_is_generated(const char *name_in_dist_info);
/* "sha256=..." as RECORD has it; `text` has EB_WHEEL_HASH_SIZE bytes. */
#define EB_WHEEL_HASH_SIZE 52
char *eb_wheel_hash(const struct eb_digest *sha256, char *text);

/* --- wheel_csv.c -------------------------------------------------------- */
struct eb_wheel_csv {
	const char *at, *end;
	unsigned line;	/* of the row that was read last, from 1 */
	char *field[3]; /* absent ones are "" */
};
/* The next row: 1, 0 at the end, -1 when a quote is not closed. */
int eb_wheel_csv_next(struct eb_wheel_csv *c);
void eb_wheel_csv_release(struct eb_wheel_csv *c);
/* A field, quoted where that is needed. */
void eb_wheel_csv_add(struct eb_buf *out, const char *field);

/* --- wheel_points.c ----------------------------------------------------- */
int eb_wheel_read_points(struct eb_wheel *w, struct eb_error *err);
void eb_wheel_points_release(struct eb_wheel_points *p);
/* What is made of them for this Python: pip's own commands get its version.
 * Points into nothing of `from`. */
void eb_wheel_points_for(const struct eb_wheel_points *from,
			 const char *python_minor, struct eb_wheel_points *to);
bool eb_wheel_points_have(const struct eb_wheel_points *p, const char *command);

/* --- wheel_script.c ----------------------------------------------------- */
int eb_wheel_add_launchers(const struct eb_wheel *w,
			   const struct eb_wheel_points *points,
			   const struct eb_wheel_target *t,
			   struct eb_entries *out, struct eb_error *err);
/* A member of .data/scripts at `path`: 1 when its first line asked for another
 * and a new text was added, 0 when it goes as it is. */
int eb_wheel_add_script(const struct eb_wheel *w,
			const struct eb_zipdir_member *m, const char *path,
			const struct eb_wheel_target *t, struct eb_entries *out,
			struct eb_error *err);

/* --- wheel_map.c -------------------------------------------------------- */
struct eb_wheel_place {
	char *path; /* "opt/env/...", owned; NULL: does not enter the image */
	bool script;
};
int eb_wheel_map(const struct eb_wheel *w, const char *member,
		 const struct eb_wheel_target *t, struct eb_wheel_place *out,
		 struct eb_error *err);
/* Of everything that a wheel brings. */
int64_t eb_wheel_mtime(const struct eb_wheel_target *t);
/* "opt/env/lib/python3.7/site-packages"; caller frees. */
char *eb_wheel_site(const struct eb_wheel_target *t);
/* "python3.7m": the folder of headers, and of the free-threaded "python3.13t";
 * caller frees. */
char *eb_wheel_include(const struct eb_wheel_target *t);

/* "WHAT" WHY, malformed. */
int eb_wheel_bad(const struct eb_wheel *w, struct eb_error *err,
		 const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
