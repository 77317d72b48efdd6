/*
 * LD_PRELOAD shim: makes chosen file calls fail, fall short, lie or stop the process, and bends the clock.
 *
 *   SHIM_PATH   only files whose path contains this
 *   SHIM_OP     write | sync | rename | make (a new file: only stop-after)
 *   SHIM_AT     the first call to touch, from 1     SHIM_TIMES  how many from there on (default 1)
 *   SHIM_EVERY  instead: every n-th call
 *   SHIM_DO     EIO | ENOSPC | half | lie | stop | stop-after
 *   SHIM_WATCH  what to log: files whose path contains this (default SHIM_PATH)
 *   SHIM_LOG    a line per deed, sync and new name: "hit <op>", "sync done|failed", "make|drop name",
 *               each with size and path; "say ACK 0 <id>"
 *   SHIM_CLOCK  a file of two native int64: milliseconds to add, and a time in ms that stands still (0: it runs)
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum deed { PASS, FAIL, HALF, LIE, STOP, STOP_AFTER };

static const char *wanted_path, *watched_path, *wanted_op, *log_path;
static long first = 1, times = 1, every;
static enum deed deed;
static int failure;
static atomic_long calls;
static volatile int64_t *bent;

static long number(const char *name, long otherwise) {
  const char *text = getenv(name);
  return text ? atol(text) : otherwise;
}

static void read_deed(const char *text) {
  if (!text) return;
  if (!strcmp(text, "half")) deed = HALF;
  else if (!strcmp(text, "lie")) deed = LIE;
  else if (!strcmp(text, "stop")) deed = STOP;
  else if (!strcmp(text, "stop-after")) deed = STOP_AFTER;
  else {
    deed = FAIL;
    failure = !strcmp(text, "ENOSPC") ? ENOSPC : !strcmp(text, "EDQUOT") ? EDQUOT : EIO;
  }
}

__attribute__((constructor)) static void read_wishes(void) {
  wanted_path = getenv("SHIM_PATH");
  watched_path = getenv("SHIM_WATCH") ? getenv("SHIM_WATCH") : wanted_path;
  wanted_op = getenv("SHIM_OP");
  log_path = getenv("SHIM_LOG");
  first = number("SHIM_AT", 1);
  times = number("SHIM_TIMES", 1);
  every = number("SHIM_EVERY", 0);
  read_deed(getenv("SHIM_DO"));
  const char *clock_file = getenv("SHIM_CLOCK");
  int fd = clock_file ? open(clock_file, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void *map = mmap(0, 16, PROT_READ, MAP_SHARED, fd, 0);
  if (map != MAP_FAILED) bent = map;
}

static int wanted(const char *path) { return wanted_path && strstr(path, wanted_path) != 0; }
static int watched(const char *path) { return log_path && watched_path && strstr(path, watched_path) != 0; }

static int path_of(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, PATH_MAX - 1);
  if (n < 0) return 0;
  path[n] = 0;
  return 1;
}

static void note(const char *what, const char *how, long long size, const char *path) {
  char line[PATH_MAX + 64];
  if (!log_path) return;
  int n = snprintf(line, sizeof line, "%s %s %lld %s\n", what, how, size, path);
  int out = syscall(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (out < 0) return;
  syscall(SYS_write, out, line, n);
  syscall(SYS_close, out);
}

/* What to do with this call. */
static enum deed verdict(const char *op, const char *path) {
  if (!wanted_op || strcmp(op, wanted_op) || deed == PASS || !wanted(path)) return PASS;
  long n = atomic_fetch_add(&calls, 1) + 1;
  int hit = every ? n % every == 0 : n >= first && n < first + times;
  if (hit) note("hit", op, 0, path);
  return hit ? deed : PASS;
}

static void halt(void) { syscall(SYS_kill, getpid(), SIGSTOP); }

static void note_sync(int result, int fd, const char *path) {
  struct stat st;
  if (watched(path) && !fstat(fd, &st)) note("sync", result ? "failed" : "done", st.st_size, path);
}

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/* The body of every write call: `whole` and `half` are the real calls, `size` what a lie answers. */
#define WRITE(fd, size, whole, half) \
  char path[PATH_MAX]; \
  enum deed what = fd > 2 && path_of(fd, path) ? verdict("write", path) : PASS; \
  if (what == FAIL) { errno = failure; return -1; } \
  if (what == LIE) return size; \
  if (what == HALF) return half; \
  if (what == STOP) halt(); \
  ssize_t done = whole; \
  if (what == STOP_AFTER) halt(); \
  return done

static size_t halved(size_t n) { return n > 1 ? n / 2 : n; }

static size_t total(const struct iovec *v, int count) {
  size_t sum = 0;
  for (int i = 0; i < count; i++) sum += v[i].iov_len;
  return sum;
}

/* What the program acknowledges stands in the log between the syncs it rests on. */
static void note_said(const char *text, size_t n) {
  char id[256];
  if (!log_path || n < 5 || n > sizeof id || strncmp(text, "ACK ", 4)) return;
  memcpy(id, text + 4, n - 5);
  id[n - 5] = 0;
  note("say", "ACK", 0, id);
}

ssize_t write(int fd, const void *b, size_t n) {
  REAL(write);
  if (fd == 1) note_said(b, n);
  WRITE(fd, (ssize_t)n, real(fd, b, n), real(fd, b, halved(n)));
}
ssize_t pwrite(int fd, const void *b, size_t n, off_t at) {
  REAL(pwrite);
  WRITE(fd, (ssize_t)n, real(fd, b, n, at), real(fd, b, halved(n), at));
}
ssize_t pwrite64(int fd, const void *b, size_t n, off64_t at) {
  REAL(pwrite64);
  WRITE(fd, (ssize_t)n, real(fd, b, n, at), real(fd, b, halved(n), at));
}
ssize_t writev(int fd, const struct iovec *v, int c) {
  REAL(writev);
  struct iovec part = {v[0].iov_base, halved(v[0].iov_len)};
  WRITE(fd, (ssize_t)total(v, c), real(fd, v, c), real(fd, &part, 1));
}
ssize_t pwritev(int fd, const struct iovec *v, int c, off_t at) {
  REAL(pwritev);
  struct iovec part = {v[0].iov_base, halved(v[0].iov_len)};
  WRITE(fd, (ssize_t)total(v, c), real(fd, v, c, at), real(fd, &part, 1, at));
}
ssize_t pwritev64(int fd, const struct iovec *v, int c, off64_t at) {
  REAL(pwritev64);
  struct iovec part = {v[0].iov_base, halved(v[0].iov_len)};
  WRITE(fd, (ssize_t)total(v, c), real(fd, v, c, at), real(fd, &part, 1, at));
}

/* A sync that fails has not synced: the rig drops the bytes afterwards. */
#define SYNC(fd, whole) \
  char path[PATH_MAX]; \
  if (!path_of(fd, path)) return whole; \
  enum deed what = verdict("sync", path); \
  if (what == STOP) halt(); \
  int done = what == FAIL ? -1 : what == LIE ? 0 : whole; \
  note_sync(done, fd, path); \
  if (what == FAIL) errno = failure; \
  if (what == STOP_AFTER) halt(); \
  return done

int fsync(int fd) {
  REAL(fsync);
  SYNC(fd, real(fd));
}
int fdatasync(int fd) {
  REAL(fdatasync);
  SYNC(fd, real(fd));
}

int rename(const char *from, const char *to) {
  REAL(rename);
  enum deed what = verdict("rename", to);
  if (what == FAIL) { errno = failure; return -1; }
  if (what == LIE) return 0;
  int done = real(from, to);
  if (!done && watched(to)) note("make", "name", 0, to);
  return done;
}

/* ---- new names, for the rig to know which of them a folder's sync has covered */

static int is_new(const char *path) { return (watched(path) || wanted(path)) && syscall(SYS_faccessat, AT_FDCWD, path, F_OK); }

static void made(const char *path) {
  if (watched(path)) note("make", "name", 0, path);
  if (verdict("make", path) == STOP_AFTER) halt();
}

#define OPEN(path, flags) \
  REAL(open); \
  va_list rest; \
  va_start(rest, flags); \
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0; \
  va_end(rest); \
  int fresh = flags & O_CREAT && is_new(path); \
  int fd = real(path, flags, mode); \
  if (fd >= 0 && fresh) made(path); \
  return fd

int open(const char *path, int flags, ...) { OPEN(path, flags); }
int open64(const char *path, int flags, ...) { OPEN(path, flags); }

int unlink(const char *path) {
  REAL(unlink);
  int done = real(path);
  if (!done && watched(path)) note("drop", "name", 0, path);
  return done;
}

int mkdir(const char *path, mode_t mode) {
  REAL(mkdir);
  int done = real(path, mode);
  if (!done && watched(path)) note("make", "name", 0, path);
  return done;
}

/* ---- the clock: Date.now() asks gettimeofday or clock_gettime, depending on the version of V8 */

static void bend(int64_t *seconds, int64_t *nanos) {
  int64_t ms = bent[1] ? bent[1] : *seconds * 1000 + *nanos / 1000000 + bent[0];
  *seconds = ms / 1000;
  *nanos = ms % 1000 * 1000000;
}

int clock_gettime(clockid_t id, struct timespec *t) {
  int done = syscall(SYS_clock_gettime, id, t);
  if (done || !bent || (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE)) return done;
  int64_t s = t->tv_sec, n = t->tv_nsec;
  bend(&s, &n);
  t->tv_sec = s;
  t->tv_nsec = n;
  return 0;
}

int gettimeofday(struct timeval *t, void *zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  t->tv_sec = now.tv_sec;
  t->tv_usec = now.tv_nsec / 1000;
  return 0;
}
