/* A barrier (pthread_barrier_t is optional in POSIX, and macOS has none) and large tables, for both programs. */
#ifndef BARRIER_H
#define BARRIER_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct {
	pthread_mutex_t lock;
	pthread_cond_t all;
	int threads, waiting;
	unsigned long round;
} barrier_t;

static void barrier_start(barrier_t *b, int threads) {
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->all, NULL);
	b->threads = threads, b->waiting = 0, b->round = 0;
}

static void barrier_wait(barrier_t *b) {
	pthread_mutex_lock(&b->lock);
	unsigned long round = b->round;
	if (++b->waiting == b->threads) {
		b->waiting = 0;
		b->round++;
		pthread_cond_broadcast(&b->all);
	}
	while (round == b->round) pthread_cond_wait(&b->all, &b->lock);
	pthread_mutex_unlock(&b->lock);
}

/* Returns zeros aligned to a cache line. Large tables are aligned to huge pages, and ask the system for them. */
static void *zeros(size_t bytes) {
	size_t align = bytes >= ((size_t)4 << 20) ? (size_t)2 << 20 : 64;
	void *p = NULL;
	bytes = (bytes + align - 1) / align * align;
	if (posix_memalign(&p, align, bytes) != 0) {
		fprintf(stderr, "out of memory: %zu bytes\n", bytes);
		exit(1);
	}
#ifdef MADV_HUGEPAGE
	if (align > 64) madvise(p, bytes, MADV_HUGEPAGE);
#endif
	memset(p, 0, bytes);
	return p;
}

#endif
