/* Shifts the real-time clock of a process: LD_PRELOAD this library, and write the shift in seconds to $CLOCK_SHIFT_FILE.
   The monotonic clock does not change, as with a real jump. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* No machine has run for so many seconds. */
static const time_t realtime_min = 1000000000;

static long shift_seconds(void) {
  const char *path = getenv("CLOCK_SHIFT_FILE");
  if (path == NULL) return 0;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[32] = {0};
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  return length > 0 ? strtol(text, NULL, 10) : 0;
}

int clock_gettime(clockid_t id, struct timespec *time) {
  static int (*original)(clockid_t, struct timespec *);
  if (original == NULL) original = dlsym(RTLD_NEXT, "clock_gettime");
  int result = original(id, time);
  if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) time->tv_sec += shift_seconds();
  return result;
}

int gettimeofday(struct timeval *time, void *zone) {
  static int (*original)(struct timeval *, void *);
  if (original == NULL) original = dlsym(RTLD_NEXT, "gettimeofday");
  int result = original(time, zone);
  if (result == 0) time->tv_sec += shift_seconds();
  return result;
}

/* The deadline was computed with the shifted clock, and the kernel does not know the shift. Monotonic ones are small. */
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *deadline) {
  static int (*original)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  if (original == NULL) original = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  struct timespec real = *deadline;
  if (real.tv_sec > realtime_min) real.tv_sec -= shift_seconds();
  return original(condition, mutex, &real);
}
