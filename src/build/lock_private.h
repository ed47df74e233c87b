/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the reader and the writer of locks. */
#ifndef EB_LOCK_PRIVATE_H
#define EB_LOCK_PRIVATE_H

#define EB_LOCK_MAGIC "envbuild-lock"

#endif
