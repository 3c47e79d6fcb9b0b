/* The yardstick: one training step of SpherE-2D (variant released) in plain C with pthreads, vectorised by the compiler.
 * The known side of a positive is rotated once and shared by its negatives; every thread has its own table of gradients;
 * Adam is dense, sums the tables and clears them. Each table row is 2*D floats: real parts, then imaginary parts.
 *
 * usage: yardstick FILE THREADS STEPS
 *
 * yardstick_bench_test.go writes FILE, see read_all below. With draws in FILE the program prints "loss STEP LOSS" per step.
 * Otherwise it draws positives and negatives itself, runs a few steps to warm up and then STEPS steps, and prints
 * "step_ns MEDIAN": the median time of a step in nanoseconds, including the draws.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "barrier.h"

enum { MAX_THREADS = 64, WARM_UP = 3, HEAD = 0, TAIL = 1 };

typedef struct { int32_t head, relation, tail; } triple;
typedef struct { int32_t entity, side; } negative;

typedef struct {
	int32_t entities, relations, dim, batch, negatives, given_steps, has_params, triples;
	double gamma, epsilon, head_factor, tail_factor, temperature, rate, beta1, beta2, adam_epsilon;
} header;

typedef struct { float *value, *first, *second; } tensor; /* parameters and Adam's moments */

typedef struct {
	uint64_t random;
	float *center, *radius, *phase; /* gradient tables */
	float *q, *p, *gq, *gp;         /* rows */
	float *dist, *pull;
	double *score, *weight, *soft, *sigm;
	negative *drawn;
	double loss;
	pthread_t id;
	int number;
} worker;

static header H;
static int N2; /* 2*dim */
static tensor center, radius, phase;
static float *cosine, *sine; /* relations x dim */
static triple *train;
static uint64_t *tail_chance;  /* per relation, of 2^32 */
static uint64_t *known;        /* hash set of training triples, 0 is empty */
static uint64_t known_mask;
static int32_t *given; /* given_steps x batch x (3 + 2*negatives) */
static worker workers[MAX_THREADS];
static int threads, steps;
static long now_step; /* from 1 */
static double batch_loss;
static barrier_t barrier;
static double *step_ns;

static void fail(const char *what) {
	fprintf(stderr, "yardstick: %s\n", what);
	exit(1);
}

static float *floats(size_t n) { return zeros(n * sizeof(float)); }

static uint64_t next_random(uint64_t *s) { /* xorshift64* */
	*s ^= *s >> 12;
	*s ^= *s << 25;
	*s ^= *s >> 27;
	return *s * 0x2545F4914F6CDD1Dull;
}

static uint32_t below(uint64_t *s, uint32_t n) { return (uint32_t)((next_random(s) >> 32) * n >> 32); }

static uint64_t triple_key(int32_t h, int32_t r, int32_t t) {
	return ((uint64_t)h * H.relations + r) * H.entities + t + 1;
}

static uint64_t slot_of(uint64_t key) { return (key * 0x9E3779B97F4A7C15ull >> 20) & known_mask; }

static int is_known(uint64_t key) {
	for (uint64_t i = slot_of(key); known[i]; i = (i + 1) & known_mask)
		if (known[i] == key) return 1;
	return 0;
}

static triple draw(uint64_t *s, negative *out) {
	triple x = train[below(s, H.triples)];
	for (int j = 0; j < H.negatives; j++) {
		int side = (next_random(s) >> 32) < tail_chance[x.relation] ? TAIL : HEAD;
		int32_t e;
		do e = below(s, H.entities);
		while (is_known(side == TAIL ? triple_key(x.head, x.relation, e) : triple_key(e, x.relation, x.tail)));
		out[j] = (negative){e, side};
	}
	return x;
}

static float distance(const float *restrict q, const float *restrict c) {
	int n = H.dim;
	float sum = 0;
	for (int j = 0; j < n; j++) {
		float x = c[j] - q[j], y = c[n + j] - q[n + j];
		sum += sqrtf(x * x + y * y);
	}
	return sum;
}

/* Adds w times the gradient of the distance by c to gc, and subtracts it from gq. */
static void push(float *restrict gc, float *restrict gq, const float *restrict c, const float *restrict q, float w) {
	int n = H.dim;
	for (int j = 0; j < n; j++) {
		float x = c[j] - q[j], y = c[n + j] - q[n + j];
		float squares = x * x + y * y;
		float s = squares > 0 ? w / sqrtf(squares) : 0;
		gc[j] += s * x;
		gc[n + j] += s * y;
		gq[j] -= s * x;
		gq[n + j] -= s * y;
	}
}

static float *row(float *table, int32_t e) { return table + (size_t)e * N2; }

static void one_positive(worker *w, triple x, const negative *neg) {
	int n = H.dim, k = H.negatives;
	const float *cs = cosine + (size_t)x.relation * n, *sn = sine + (size_t)x.relation * n;
	const float *h = row(center.value, x.head), *t = row(center.value, x.tail);
	float *restrict q = w->q, *restrict p = w->p, *restrict gq = w->gq, *restrict gp = w->gp;
	for (int j = 0; j < n; j++) {
		q[j] = h[j] * cs[j] - h[n + j] * sn[j];
		q[n + j] = h[j] * sn[j] + h[n + j] * cs[j];
		p[j] = t[j] * cs[j] + t[n + j] * sn[j];
		p[n + j] = t[n + j] * cs[j] - t[j] * sn[j];
	}

	float fh = H.head_factor, ft = H.tail_factor;
	float rho_h = fabsf(radius.value[x.head]), rho_t = fabsf(radius.value[x.tail]);
	w->dist[0] = distance(q, t) - (fh * rho_h + ft * rho_t);
	for (int j = 0; j < k; j++) {
		const float *c = row(center.value, neg[j].entity);
		float rho = fabsf(radius.value[neg[j].entity]);
		w->dist[1 + j] = neg[j].side == TAIL ? distance(q, c) - (fh * rho_h + ft * rho)
		                                     : distance(p, c) - (fh * rho + ft * rho_t);
	}
	for (int j = 0; j <= k; j++) {
		w->pull[j] = w->dist[j] > 0;
		w->score[j] = H.gamma - fmaxf(w->dist[j], 0);
	}
	w->score[0] = -w->score[0];

	double most = w->score[1], total = 0;
	for (int j = 2; j <= k; j++) most = fmax(most, w->score[j]);
	for (int j = 1; j <= k; j++) w->weight[j] = exp(H.temperature * (w->score[j] - most));
	for (int j = 1; j <= k; j++) total += w->weight[j];
	for (int j = 1; j <= k; j++) w->weight[j] /= total;
	w->weight[0] = 1;
	for (int j = 0; j <= k; j++) w->sigm[j] = exp(-fabs(w->score[j]));
	for (int j = 0; j <= k; j++) {
		double e = w->sigm[j];
		w->soft[j] = log(1 + e) + fmax(w->score[j], 0);
		w->sigm[j] = (w->score[j] > 0 ? 1 : e) / (1 + e);
	}
	double loss = 0;
	for (int j = 0; j <= k; j++) loss += w->weight[j] * w->soft[j];
	w->loss += loss;

	memset(gq, 0, N2 * sizeof(float));
	memset(gp, 0, N2 * sizeof(float));
	double scale = 1.0 / (2.0 * H.batch);
	float to_head = 0, to_tail = 0;
	for (int j = 0; j <= k; j++) {
		if (w->pull[j] == 0) continue;
		float pull = (j == 0 ? 1 : -1) * w->weight[j] * w->sigm[j] * scale;
		int32_t e = j == 0 ? x.tail : neg[j - 1].entity;
		if (j == 0 || neg[j - 1].side == TAIL) {
			push(row(w->center, e), gq, row(center.value, e), q, pull);
			to_head -= fh * pull;
			if (j == 0) to_tail -= ft * pull;
			else w->radius[e] -= ft * pull;
		} else {
			push(row(w->center, e), gp, row(center.value, e), p, pull);
			to_tail -= ft * pull;
			w->radius[e] -= fh * pull;
		}
	}
	w->radius[x.head] += to_head;
	w->radius[x.tail] += to_tail;

	float *restrict gh = row(w->center, x.head), *restrict gr = w->phase + (size_t)x.relation * n;
	for (int j = 0; j < n; j++) {
		gh[j] += gq[j] * cs[j] + gq[n + j] * sn[j];
		gh[n + j] += gq[n + j] * cs[j] - gq[j] * sn[j];
		gr[j] += (gq[n + j] * q[j] - gq[j] * q[n + j]) - (gp[n + j] * p[j] - gp[j] * p[n + j]);
	}
	float *restrict gt = row(w->center, x.tail);
	for (int j = 0; j < n; j++) {
		gt[j] += gp[j] * cs[j] - gp[n + j] * sn[j];
		gt[n + j] += gp[j] * sn[j] + gp[n + j] * cs[j];
	}
}

static void adam(tensor t, size_t from, size_t to, float *tables[], float chain) {
	float b1 = H.beta1, b2 = H.beta2, eps = H.adam_epsilon;
	float rate = H.rate / (1 - pow(H.beta1, now_step)), root = 1 / sqrt(1 - pow(H.beta2, now_step));
	float *restrict v0 = t.value, *restrict m0 = t.first, *restrict s0 = t.second, *restrict g0 = tables[0];
	for (int w = 1; w < threads; w++) {
		float *restrict other = tables[w];
		if (w == threads - 1) break; /* the last one is added below, in the same loop as the update */
		for (size_t i = from; i < to; i++) g0[i] += other[i], other[i] = 0;
	}
	if (threads == 1) {
		for (size_t i = from; i < to; i++) {
			float g = g0[i] * chain;
			g0[i] = 0;
			m0[i] = b1 * m0[i] + (1 - b1) * g;
			s0[i] = b2 * s0[i] + (1 - b2) * g * g;
			v0[i] -= rate * m0[i] / (sqrtf(s0[i]) * root + eps);
		}
		return;
	}
	float *restrict last = tables[threads - 1];
	for (size_t i = from; i < to; i++) {
		float g = (g0[i] + last[i]) * chain;
		g0[i] = 0;
		last[i] = 0;
		m0[i] = b1 * m0[i] + (1 - b1) * g;
		s0[i] = b2 * s0[i] + (1 - b2) * g * g;
		v0[i] -= rate * m0[i] / (sqrtf(s0[i]) * root + eps);
	}
}

static double bound(void) { return (H.gamma + H.epsilon) / H.dim; }

static void prepare(int32_t from, int32_t to) {
	float scale = M_PI / bound();
	for (size_t i = (size_t)from * H.dim; i < (size_t)to * H.dim; i++) {
		cosine[i] = cosf(phase.value[i] * scale);
		sine[i] = sinf(phase.value[i] * scale);
	}
}

static void part(int n, int number, int *from, int *to) {
	*from = (int)((int64_t)n * number / threads);
	*to = (int)((int64_t)n * (number + 1) / threads);
}

static void one_step(worker *w, long step) {
	int from, to;
	part(H.batch, w->number, &from, &to);
	w->loss = 0;
	for (int i = from; i < to; i++) {
		if (H.given_steps > 0) {
			int32_t *g = given + ((size_t)(step - 1) * H.batch + i) * (3 + 2 * (size_t)H.negatives);
			one_positive(w, (triple){g[0], g[1], g[2]}, (negative *)(g + 3));
		} else {
			triple x = draw(&w->random, w->drawn);
			one_positive(w, x, w->drawn);
		}
	}
	barrier_wait(&barrier);

	if (w->number == 0) {
		batch_loss = 0;
		for (int i = 0; i < threads; i++) batch_loss += workers[i].loss;
		batch_loss /= 2.0 * H.batch;
	}
	float *tables[MAX_THREADS];
	part(H.entities, w->number, &from, &to);
	for (int i = 0; i < threads; i++) tables[i] = workers[i].center;
	adam(center, (size_t)from * N2, (size_t)to * N2, tables, 1);
	for (int i = 0; i < threads; i++) tables[i] = workers[i].radius;
	for (int e = from; e < to; e++) { /* rho is the absolute value of the raw radius */
		float sign = (radius.value[e] > 0) - (radius.value[e] < 0);
		for (int i = 0; i < threads; i++) tables[i][e] *= sign;
	}
	adam(radius, from, to, tables, 1);
	part(H.relations, w->number, &from, &to);
	for (int i = 0; i < threads; i++) tables[i] = workers[i].phase;
	adam(phase, (size_t)from * H.dim, (size_t)to * H.dim, tables, M_PI / bound());
	prepare(from, to);
	barrier_wait(&barrier);
}

static double clock_ns(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void *work(void *arg) {
	worker *w = arg;
	for (long step = 1; step <= steps; step++) {
		if (w->number == 0) now_step = step;
		barrier_wait(&barrier);
		double start = clock_ns();
		one_step(w, step);
		if (w->number == 0) {
			step_ns[step - 1] = clock_ns() - start;
			if (H.given_steps > 0) printf("loss %ld %.9g\n", step, batch_loss);
		}
	}
	return NULL;
}

static void get(void *to, size_t size, size_t n, FILE *f) {
	if (fread(to, size, n, f) != n) fail("FILE is too short");
}

static tensor make(size_t n) { return (tensor){floats(n), floats(n), floats(n)}; }

static void uniform(float *x, size_t n, double most, uint64_t *s) {
	for (size_t i = 0; i < n; i++) x[i] = most * ((double)(next_random(s) >> 11) / (1ull << 52) - 1);
}

static void read_all(const char *name) {
	FILE *f = fopen(name, "rb");
	if (!f) fail("FILE cannot be opened");
	get(&H, sizeof H, 1, f);
	N2 = 2 * H.dim;
	size_t entity = (size_t)H.entities * N2, relation = (size_t)H.relations * H.dim;
	center = make(entity), radius = make(H.entities), phase = make(relation);
	cosine = floats(relation), sine = floats(relation);
	tail_chance = zeros(H.relations * sizeof *tail_chance);
	get(tail_chance, sizeof *tail_chance, H.relations, f);
	train = zeros((size_t)H.triples * sizeof *train);
	get(train, sizeof *train, H.triples, f);
	if (H.has_params) {
		get(center.value, sizeof(float), entity, f);
		get(radius.value, sizeof(float), H.entities, f);
		get(phase.value, sizeof(float), relation, f);
	} else {
		uint64_t s = 42;
		uniform(center.value, entity, bound() / 2, &s);
		uniform(radius.value, H.entities, bound() / 2, &s);
		uniform(phase.value, relation, bound(), &s);
	}
	size_t draws = (size_t)H.given_steps * H.batch * (3 + 2 * (size_t)H.negatives);
	given = zeros(draws * sizeof *given + 1);
	get(given, sizeof *given, draws, f);
	fclose(f);

	known_mask = 1;
	while (known_mask < 2 * (uint64_t)H.triples) known_mask *= 2;
	known = zeros(known_mask * sizeof *known);
	known_mask--;
	for (int i = 0; i < H.triples; i++) {
		uint64_t key = triple_key(train[i].head, train[i].relation, train[i].tail), at = slot_of(key);
		while (known[at]) at = (at + 1) & known_mask;
		known[at] = key;
	}
	prepare(0, H.relations);
}

static int ascending(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv) {
	if (argc != 4) fail("usage: yardstick FILE THREADS STEPS");
	threads = atoi(argv[2]), steps = atoi(argv[3]);
	if (threads < 1 || threads > MAX_THREADS || steps < 1) fail("THREADS or STEPS is out of range");
	read_all(argv[1]);
	steps = H.given_steps > 0 ? H.given_steps : steps + WARM_UP;
	step_ns = zeros(steps * sizeof *step_ns);
	barrier_start(&barrier, threads);
	int k = H.negatives + 1;
	for (int i = 0; i < threads; i++) {
		worker *w = &workers[i];
		w->number = i;
		w->random = 88172645463325252ull + 977 * (uint64_t)i;
		w->center = floats((size_t)H.entities * N2), w->radius = floats(H.entities);
		w->phase = floats((size_t)H.relations * H.dim);
		w->q = floats(N2), w->p = floats(N2), w->gq = floats(N2), w->gp = floats(N2);
		w->dist = floats(k), w->pull = floats(k);
		w->score = zeros(k * sizeof(double)), w->weight = zeros(k * sizeof(double));
		w->soft = zeros(k * sizeof(double)), w->sigm = zeros(k * sizeof(double));
		w->drawn = zeros(k * sizeof(negative));
	}
	for (int i = 1; i < threads; i++)
		if (pthread_create(&workers[i].id, NULL, work, &workers[i]) != 0) fail("a thread cannot be started");
	work(&workers[0]);
	for (int i = 1; i < threads; i++) pthread_join(workers[i].id, NULL);
	if (H.given_steps == 0) {
		int n = steps - WARM_UP;
		qsort(step_ns + WARM_UP, n, sizeof *step_ns, ascending);
		printf("step_ns %.0f\n", step_ns[WARM_UP + n / 2]);
	}
	return 0;
}
