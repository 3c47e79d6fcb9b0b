/* Measures the peak rates of this machine, by which the benchmarks divide: square roots, fused multiply-adds and bytes
 * of memory per second.
 *
 * usage: ceiling sqrt|fma|read|update THREADS
 *
 * Prints one number, the best of several rounds: elements per second of one thread for sqrt and fma (with the widest
 * vectors that this was compiled for), bytes per second of all threads together for read (one stream) and update (three
 * streams, each read and written in place, like those of an optimiser).
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "barrier.h"

#if defined(__AVX512F__)
#define LANES 16
#elif defined(__AVX__)
#define LANES 8
#else
#define LANES 4
#endif
typedef float vector __attribute__((vector_size(4 * LANES)));

#if defined(__AVX512F__)
#include <immintrin.h>
static inline vector root(vector x) { return (vector)_mm512_sqrt_ps((__m512)x); }
static inline vector fused(vector a, vector b, vector c) { return (vector)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c); }
#elif defined(__AVX__) && defined(__FMA__)
#include <immintrin.h>
static inline vector root(vector x) { return (vector)_mm256_sqrt_ps((__m256)x); }
static inline vector fused(vector a, vector b, vector c) { return (vector)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c); }
#else
static inline vector root(vector x) {
	for (int i = 0; i < LANES; i++) x[i] = __builtin_sqrtf(x[i]);
	return x;
}
static inline vector fused(vector a, vector b, vector c) { return a * b + c; }
#endif

#if defined(__x86_64__) || defined(__i386__)
#define REGISTER "v"
#else
#define REGISTER "w" /* of arm64 */
#endif

enum { CHAINS = 12, ROUNDS = 7, MAX_THREADS = 64 };
static const size_t FLOATS = (size_t)48 << 20; /* per stream and thread: 192 MiB, beyond any cache */

static int threads, updating;

/* Of one thread processor time, from which other work on the machine takes less than from that of the clock. */
static double now(void) {
	struct timespec t;
	clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static volatile float sink;

/* Twelve independent chains hide the latency of a fused multiply-add; they are variables, not an array, so that they
 * stay in registers. The empty asm is opaque to the compiler, so it cannot hoist the root of an unchanged number
 * out of the loop. */
#define EACH(do) do(0) do(1) do(2) do(3) do(4) do(5) do(6) do(7) do(8) do(9) do(10) do(11)
#define START(c) vector x##c = b * (float)(c + 3);
#define ROOT(c) y = root(x##c); __asm__ volatile("" : "+" REGISTER(x##c) : REGISTER(y));
#define FUSED(c) x##c = fused(x##c, a, b); __asm__ volatile("" : "+" REGISTER(x##c));
#define KEEP(c) sink += x##c[0];

static double arithmetic(int roots) {
	vector a = (vector){0} + 0.75f, b = (vector){0} + 0.5f, y;
	EACH(START)
	long n = 2000000;
	double start = now();
	if (roots) {
		for (long i = 0; i < n; i++) { EACH(ROOT) }
	} else {
		for (long i = 0; i < n; i++) { EACH(FUSED) }
	}
	double seconds = now() - start;
	EACH(KEEP)
	return (double)n * CHAINS * LANES / seconds;
}

static float *stream[MAX_THREADS][3];
static barrier_t barrier;

static void sweep(int t) {
	vector *a = (vector *)stream[t][0], *b = (vector *)stream[t][1], *c = (vector *)stream[t][2];
	size_t n = FLOATS / LANES;
	if (updating) {
		for (size_t i = 0; i < n; i++) {
			b[i] = b[i] * 0.9f + 0.1f;
			c[i] = c[i] * 0.9f + 0.1f;
			a[i] += b[i] * c[i];
		}
		return;
	}
	vector s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
	for (size_t i = 0; i < n; i += 4) {
		s0 += a[i], s1 += a[i + 1], s2 += a[i + 2], s3 += a[i + 3];
	}
	s0 += s1 + s2 + s3;
	sink += s0[0];
}

static double elapsed;

static void *work(void *arg) {
	int t = (int)(intptr_t)arg;
	barrier_wait(&barrier);
	double start = now();
	sweep(t);
	barrier_wait(&barrier);
	if (t == 0) elapsed = now() - start;
	return NULL;
}

static double memory(void) {
	pthread_t id[MAX_THREADS];
	barrier_start(&barrier, threads);
	for (intptr_t t = 1; t < threads; t++)
		if (pthread_create(&id[t], NULL, work, (void *)t) != 0) exit(1);
	work((void *)0);
	for (int t = 1; t < threads; t++) pthread_join(id[t], NULL);
	return (double)FLOATS * sizeof(float) * threads * (updating ? 6 : 1) / elapsed;
}

int main(int argc, char **argv) {
	if (argc != 3 || (threads = atoi(argv[2])) < 1 || threads > MAX_THREADS) {
		fprintf(stderr, "usage: ceiling sqrt|fma|read|update THREADS\n");
		return 1;
	}
	int roots = strcmp(argv[1], "sqrt") == 0, compute = roots || strcmp(argv[1], "fma") == 0;
	updating = strcmp(argv[1], "update") == 0;
	if (!compute)
		for (int t = 0; t < threads; t++)
			for (int s = 0; s < (updating ? 3 : 1); s++)
				stream[t][s] = zeros(FLOATS * sizeof(float));
	double best = 0;
	for (int r = 0; r < ROUNDS; r++) {
		double x = compute ? arithmetic(roots) : memory();
		if (x > best) best = x;
	}
	printf("%.6g\n", best);
	return 0;
}
