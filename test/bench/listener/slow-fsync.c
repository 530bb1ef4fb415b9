/* Makes every fsync and fdatasync take BENCH_FSYNC_DELAY_US microseconds longer: a slower disk, the same on every machine. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static void wait_as_told(void) {
  const char *delay = getenv("BENCH_FSYNC_DELAY_US");
  if (delay) usleep((useconds_t)atoi(delay));
}

int fsync(int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  wait_as_told();
  return real(fd);
}

int fdatasync(int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  wait_as_told();
  return real(fd);
}
