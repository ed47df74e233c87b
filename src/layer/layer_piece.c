/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces: a fixed number of buffers that go from thread to thread and come
 * back when their last user drops them. */
#include "part_flow.h"

struct eb_pieces {
	pthread_mutex_t mutex;
	pthread_cond_t came_back;
	struct eb_piece *unused;
	size_t size;
	bool closed;
	unsigned n;
	struct eb_piece piece[];
};

struct eb_pieces *eb_pieces_new(unsigned n, size_t size)
{
	struct eb_pieces *all =
		eb_calloc(1, sizeof *all + n * sizeof *all->piece);
	unsigned i;

	pthread_mutex_init(&all->mutex, NULL);
	pthread_cond_init(&all->came_back, NULL);
	all->size = size;
	all->n = n;
	for (i = n; i--;) {
		all->piece[i].home = all;
		all->piece[i].next = all->unused;
		all->unused = &all->piece[i];
	}
	return all;
}

struct eb_piece *eb_piece_take(struct eb_pieces *all)
{
	struct eb_piece *p = NULL;

	pthread_mutex_lock(&all->mutex);
	while (!all->unused && !all->closed)
		pthread_cond_wait(&all->came_back, &all->mutex);
	if (!all->closed) {
		p = all->unused;
		all->unused = p->next;
		p->users = 1;
		p->n = 0;
	}
	pthread_mutex_unlock(&all->mutex);
	if (p && !p->data)
		p->data = eb_malloc(all->size);
	return p;
}

struct eb_piece *eb_piece_share(struct eb_piece *p)
{
	pthread_mutex_lock(&p->home->mutex);
	p->users++;
	pthread_mutex_unlock(&p->home->mutex);
	return p;
}

void eb_piece_drop(struct eb_piece *p)
{
	struct eb_pieces *all = p->home;

	pthread_mutex_lock(&all->mutex);
	if (--p->users == 0) {
		p->next = all->unused;
		all->unused = p;
		pthread_cond_signal(&all->came_back);
	}
	pthread_mutex_unlock(&all->mutex);
}

void eb_pieces_close(struct eb_pieces *all)
{
	pthread_mutex_lock(&all->mutex);
	all->closed = true;
	pthread_cond_broadcast(&all->came_back);
	pthread_mutex_unlock(&all->mutex);
}

void eb_pieces_free(struct eb_pieces *all)
{
	unsigned i;

	if (!all)
		return;
	for (i = 0; i < all->n; i++)
		free(all->piece[i].data);
	pthread_cond_destroy(&all->came_back);
	pthread_mutex_destroy(&all->mutex);
	free(all);
}
