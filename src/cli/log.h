/* SPDX-License-Identifier: Apache-2.0 */
/* A log file, written line by line. */
#ifndef EB_LOG_H
#define EB_LOG_H

#include <envbuild/event.h>

struct eb_log;

struct eb_log *eb_log_open(const char *title); /* NULL: none can be kept */
const char *eb_log_path(const struct eb_log *log);
void eb_log_line(struct eb_log *log, const char *what, const char *text);
void eb_log_close(struct eb_log *log); /* NULL is fine */

#endif
