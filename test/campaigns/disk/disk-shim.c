/*
 * Preloaded into a server (LD_PRELOAD). Makes the disk fail below one file, and records the writes and syncs of that
 * file.
 *
 * DISK_FILE     the watched file; everything else is left alone
 * DISK_CONTROL  32 bytes that another process may change at any time (struct control)
 * DISK_RECORD   a file to which each write and sync is appended once it is done (struct record, then a write's bytes)
 * DISK_NO_META_SYNC=1  takes O_DSYNC from an open of the file: what LMDB's noMetaSync does
 *
 * Layouts are read by disk-shim.ts.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, SYNC = 2, TRUNCATE = 3 };
enum { PASS = 0, FAIL = 1, FAIL_AFTER = 2, SHORT = 3 };

struct control {
  /** How a call fails: FAIL does nothing, FAIL_AFTER fails after the work is done, SHORT writes half. */
  int32_t action;
  /** The errno of a failure. */
  int32_t error;
  /** Bits 1 << WRITE and 1 << SYNC. Calls of other kinds pass and are not counted. */
  int32_t kinds;
  /** How many such calls pass before one fails. */
  int32_t passes;
  /** How many then fail; -1: all. */
  int32_t failures;
  /** Counted here by the shim. */
  int32_t seen;
  int32_t failed;
  /** Free space that statfs reports, in KiB; -1: the true value. */
  int32_t free_kib;
};

struct record {
  uint32_t kind;
  uint32_t is_synced;
  uint64_t offset;
  uint64_t length;
};

static struct control none = {0, 0, 0, 0, 0, 0, 0, -1};
static struct control *control = &none;
static int record_descriptor = -1;
static const char *file_path;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
  file_path = getenv("DISK_FILE");
  const char *control_path = getenv("DISK_CONTROL");
  const char *record_path = getenv("DISK_RECORD");
  if (control_path != NULL) {
    int descriptor = syscall(SYS_openat, AT_FDCWD, control_path, O_RDWR | O_CLOEXEC, 0);
    void *mapped = mmap(NULL, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (descriptor < 0 || mapped == MAP_FAILED) abort();
    control = mapped;
    close(descriptor);
  }
  if (record_path != NULL) {
    int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
    record_descriptor = syscall(SYS_openat, AT_FDCWD, record_path, flags, 0600);
    if (record_descriptor < 0) abort();
  }
}

static void *next(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found == NULL) abort();
  return found;
}

static int is_watched(int descriptor) {
  struct stat watched, given;
  if (file_path == NULL || stat(file_path, &watched) != 0 || fstat(descriptor, &given) != 0) return 0;
  return watched.st_ino == given.st_ino && watched.st_dev == given.st_dev;
}

/** Decides whether and how this call fails. */
static int judge(int kind) {
  int verdict = PASS;
  pthread_mutex_lock(&lock);
  if (control->action != PASS && (control->kinds & (1 << kind))) {
    control->seen += 1;
    if (control->passes > 0) control->passes -= 1;
    else if (control->failures != 0) {
      if (control->failures > 0) control->failures -= 1;
      control->failed += 1;
      verdict = control->action;
    }
  }
  pthread_mutex_unlock(&lock);
  return verdict;
}

static void keep(int kind, int descriptor, uint64_t offset, uint64_t length, const struct iovec *parts, int count) {
  if (record_descriptor < 0) return;
  int flags = kind == WRITE ? fcntl(descriptor, F_GETFL) : 0;
  struct record record = {kind, (flags & O_DSYNC) != 0, offset, length};
  struct iovec all[1025] = {{&record, sizeof record}};
  if (count > 1024) abort();
  size_t left = length;
  int used = 1;
  for (int index = 0; index < count && left > 0; index += 1, used += 1) {
    all[used] = parts[index];
    if (all[used].iov_len > left) all[used].iov_len = left;
    left -= all[used].iov_len;
  }
  ssize_t kept = syscall(SYS_writev, record_descriptor, all, used);
  if (kept != (ssize_t)(sizeof record + (kind == WRITE ? length : 0))) abort();
}

static ssize_t total(const struct iovec *parts, int count) {
  ssize_t sum = 0;
  for (int index = 0; index < count; index += 1) sum += parts[index].iov_len;
  return sum;
}

/** All writing calls come through here. @param offset -1: the descriptor's position */
static ssize_t put(int descriptor, const struct iovec *parts, int count, off_t offset) {
  if (!is_watched(descriptor)) {
    return offset < 0 ? syscall(SYS_writev, descriptor, parts, count)
                      : syscall(SYS_pwritev, descriptor, parts, count, offset, 0);
  }
  int verdict = judge(WRITE);
  if (verdict == FAIL) {
    errno = control->error;
    return -1;
  }
  off_t at = offset < 0 ? lseek(descriptor, 0, SEEK_CUR) : offset;
  ssize_t done;
  if (verdict == SHORT) {
    size_t half = parts[0].iov_len < (size_t)total(parts, count) ? parts[0].iov_len : parts[0].iov_len / 2;
    done = syscall(SYS_pwrite64, descriptor, parts[0].iov_base, half, at);
  } else {
    done = syscall(SYS_pwritev, descriptor, parts, count, at, 0);
  }
  if (done > 0) keep(WRITE, descriptor, at, done, parts, count);
  if (done > 0 && offset < 0) lseek(descriptor, at + done, SEEK_SET);
  if (verdict == FAIL_AFTER) {
    errno = control->error;
    return -1;
  }
  return done;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset) {
  struct iovec part = {(void *)bytes, length};
  return put(descriptor, &part, 1, offset);
}
ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
  return pwrite64(descriptor, bytes, length, offset);
}
ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off64_t offset) {
  return put(descriptor, parts, count, offset);
}
ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
  return put(descriptor, parts, count, offset);
}
ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  return put(descriptor, parts, count, -1);
}
ssize_t write(int descriptor, const void *bytes, size_t length) {
  struct iovec part = {(void *)bytes, length};
  if (!is_watched(descriptor)) return syscall(SYS_write, descriptor, bytes, length);
  return put(descriptor, &part, 1, -1);
}

static int sync_by(long number, int descriptor) {
  int is_ours = is_watched(descriptor);
  int verdict = is_ours ? judge(SYNC) : PASS;
  if (verdict == FAIL || verdict == SHORT) {
    errno = control->error;
    return -1;
  }
  int result = syscall(number, descriptor);
  if (is_ours && result == 0) keep(SYNC, descriptor, 0, 0, NULL, 0);
  if (verdict == FAIL_AFTER) {
    errno = control->error;
    return -1;
  }
  return result;
}

int fdatasync(int descriptor) { return sync_by(SYS_fdatasync, descriptor); }
int fsync(int descriptor) { return sync_by(SYS_fsync, descriptor); }

int ftruncate64(int descriptor, off64_t length) {
  int result = syscall(SYS_ftruncate, descriptor, length);
  if (result == 0 && is_watched(descriptor)) keep(TRUNCATE, descriptor, length, 0, NULL, 0);
  return result;
}
int ftruncate(int descriptor, off_t length) { return ftruncate64(descriptor, length); }

int open64(const char *path, int flags, ...) {
  int mode = 0;
  if (flags & (O_CREAT | O_TMPFILE)) {
    va_list list;
    va_start(list, flags);
    mode = va_arg(list, int);
    va_end(list);
  }
  if (getenv("DISK_NO_META_SYNC") != NULL && file_path != NULL && strcmp(path, file_path) == 0) flags &= ~O_SYNC;
  return syscall(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

static int free_of(const char *name, const char *path, void *result) {
  int (*real)(const char *, void *) = next(name);
  int code = real(path, result);
  struct statfs *told = result;
  if (code == 0 && control->free_kib >= 0) told->f_bavail = (uint64_t)control->free_kib * 1024 / told->f_bsize;
  return code;
}

int statfs64(const char *path, struct statfs64 *result) { return free_of("statfs64", path, result); }
int statfs(const char *path, struct statfs *result) { return free_of("statfs", path, result); }
