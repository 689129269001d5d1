/* Reference for benchmarks/bandwidth.py: pinned threads that touch their own arrays first, then
 * read them (sum of two arrays, 16 bytes an element) or run a triad (a = b + 3 c, 24 bytes counted).
 * Usage: read {read|triad} BYTES_PER_THREAD ROUNDS CPU...   One line of GB/s, one figure a round. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define HUGE_PAGE (2 << 20)

static int is_triad, rounds;
static size_t elements;
static pthread_barrier_t barrier;
static double starts[1024], ends[1024];
volatile double sink;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

struct work { int index, cpu; };

static double pass(double *restrict a, const double *restrict b, const double *restrict c) {
  double sum = 0;
  if (is_triad)
    for (size_t i = 0; i < elements; i++) a[i] = b[i] + 3.0 * c[i];
  else
    for (size_t i = 0; i < elements; i++) sum += b[i] + c[i];
  return sum;
}

static void *run(void *argument) {
  struct work *work = argument;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(work->cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  double *arrays[3];
  for (int k = 0; k < 3; k++) {
    size_t bytes = elements * sizeof(double);
    if (posix_memalign((void **)&arrays[k], HUGE_PAGE, bytes)) abort();
    madvise(arrays[k], bytes, MADV_HUGEPAGE); /* as numpy does: page walks are not bandwidth */
    for (size_t i = 0; i < elements; i++) arrays[k][i] = 1.0;
  }
  for (int r = 0; r < rounds; r++) {
    pthread_barrier_wait(&barrier);
    starts[work->index] = now();
    for (int k = 0; k < 4; k++) sink = pass(arrays[0], arrays[1], arrays[2]);
    ends[work->index] = now();
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

int main(int argc, char **argv) {
  is_triad = !strcmp(argv[1], "triad");
  elements = strtoull(argv[2], NULL, 10) / (is_triad ? 24 : 16);
  rounds = atoi(argv[3]) + 1; /* the first settles clocks */
  int threads = argc - 4;
  pthread_t ids[1024];
  struct work work[1024];
  pthread_barrier_init(&barrier, NULL, threads + 1);
  for (int i = 0; i < threads; i++) {
    work[i] = (struct work){i, atoi(argv[4 + i])};
    pthread_create(&ids[i], NULL, run, &work[i]);
  }
  for (int r = 0; r < rounds; r++) {
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    double start = starts[0], end = ends[0];
    for (int i = 1; i < threads; i++) {
      if (starts[i] < start) start = starts[i];
      if (ends[i] > end) end = ends[i];
    }
    double bytes = 4.0 * elements * (is_triad ? 24 : 16) * threads;
    if (r) printf("%.3f ", bytes / (end - start) / 1e9);
  }
  for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
  puts("");
  return 0;
}
