// A library to preload: it makes the N-th call of a function of the C library fail.
//   BPO_FAIL=write:3:ENOSPC    the third call that counts fails, all others are real
//   BPO_FAIL=write:3+:ENOSPC   the third and all later ones fail
//   BPO_FAIL=write:3:SHORT     a read or a write moves only half of its bytes
//   BPO_FAIL_TOLD=FILE         what failed is written there, so that a test knows that it did
// Calls count from the first line of main() on, so the loader and constructors are left alone. Of
// calls on files only those count that use a relative path (the program's own, for a test starts
// it in a directory made for it), one below that directory, or a descriptor opened by these. Of
// allocations those of 32 KB and more count. Text for the terminal goes from stdio to the system
// inside of glibc and cannot be caught here; tests point it at /dev/full instead.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr std::size_t kLargeAllocation = 32 << 10;
constexpr int kShort = 0;  // in place of an errno
constexpr int kDescriptors = 1024;

struct ErrorName {
  const char* name;
  int value;
};
constexpr ErrorName kErrors[] = {{"SHORT", kShort},  {"EACCES", EACCES}, {"EAGAIN", EAGAIN},
                                 {"EINTR", EINTR},   {"EIO", EIO},       {"EMFILE", EMFILE},
                                 {"ENOLCK", ENOLCK}, {"ENOMEM", ENOMEM}, {"ENOSPC", ENOSPC},
                                 {"EDQUOT", EDQUOT}};

char call[32];      // the function that fails; empty: none
char start[512]{};  // the directory in which the program was started
long first = 0;
bool for_good = false;
int error_number = 0;
std::atomic<long> calls{0};
std::array<std::atomic<bool>, kDescriptors> own{};

void tell(const char* what) {
  const char* file = std::getenv("BPO_FAIL_TOLD");
  if (file == nullptr) return;
  const long fd = ::syscall(SYS_open, file, O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::syscall(SYS_write, fd, what, std::strlen(what));
  ::syscall(SYS_write, fd, "\n", 1);
  ::syscall(SYS_close, fd);
}

/// Whether this call of `name` has to fail; errno is then set.
bool fails(const char* name, const char* what) {
  if (std::strcmp(name, call) != 0) return false;
  const long n = ++calls;
  if (n < first || (n > first && !for_good)) return false;
  if (n == first) tell(what);
  errno = error_number;
  return true;
}

/// The same for a call on a descriptor; told is the file behind it.
bool fails(const char* name, int fd) {
  char link[40], path[512];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const long length = ::syscall(SYS_readlink, link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = '\0';
  return fails(name, path);
}

bool ours(const char* path) {
  if (path == nullptr) return false;
  return path[0] != '/' || (start[0] != '\0' && std::strncmp(path, start, std::strlen(start)) == 0);
}
bool ours(int fd) { return fd >= 0 && fd < kDescriptors && own[static_cast<std::size_t>(fd)]; }

int remember(int fd, bool is_own) {
  if (fd >= 0 && fd < kDescriptors) own[static_cast<std::size_t>(fd)] = is_own;
  return fd;
}

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

/// Leaves `call` empty, and so all calls real, where nothing or nonsense is asked for.
void read_plan() {
  const char* text = std::getenv("BPO_FAIL");
  char name[sizeof call], error[16], sign = 0;
  if (text == nullptr || ::getcwd(start, sizeof start) == nullptr) return;
  if (std::sscanf(text, "%31[^:]:%ld%c", name, &first, &sign) != 3) return;
  for_good = sign == '+';
  const char* last = std::strrchr(text, ':');
  if (std::sscanf(last, ":%15s", error) != 1) return;
  for (const ErrorName& known : kErrors) {
    if (std::strcmp(known.name, error) != 0) continue;
    error_number = known.value;
    std::strcpy(call, name);
  }
}

using Main = int (*)(int, char**, char**);
Main program_main;

int counted_main(int argc, char** argv, char** environment) {
  read_plan();
  return program_main(argc, argv, environment);
}

}  // namespace

extern "C" int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(),
                                 void (*loader_fini)(), void* stack_end) {
  program_main = main;
  return next<decltype(&__libc_start_main)>("__libc_start_main")(counted_main, argc, argv, init,
                                                                 fini, loader_fini, stack_end);
}

// Opening is written out because of the mode, which is there only where a file may be made.
#define BPO_OPEN(name, parameters, arguments)                            \
  extern "C" int name parameters {                                       \
    mode_t mode = 0;                                                     \
    if ((flags & (O_CREAT | O_TMPFILE)) != 0) {                          \
      va_list rest;                                                      \
      va_start(rest, flags);                                             \
      mode = va_arg(rest, mode_t);                                       \
      va_end(rest);                                                      \
    }                                                                    \
    if (ours(path) && fails("open", path)) return -1;                    \
    return remember(next<decltype(&name)>(#name) arguments, ours(path)); \
  }
BPO_OPEN(open, (const char* path, int flags, ...), (path, flags, mode))
BPO_OPEN(open64, (const char* path, int flags, ...), (path, flags, mode))
BPO_OPEN(openat, (int at, const char* path, int flags, ...), (at, path, flags, mode))
BPO_OPEN(openat64, (int at, const char* path, int flags, ...), (at, path, flags, mode))

#define BPO_CALL(family, result, name, parameters, arguments, which, failure) \
  extern "C" result name parameters {                                         \
    if (ours(which) && fails(family, which)) return failure;                  \
    return next<decltype(&name)>(#name) arguments;                            \
  }
#define BPO_FD_CALL(family, name, parameters, arguments) \
  BPO_CALL(family, int, name, parameters, arguments, fd, -1)
#define BPO_PATH_CALL(family, name, parameters, arguments) \
  BPO_CALL(family, int, name, parameters, arguments, path, -1)

BPO_FD_CALL("fsync", fsync, (int fd), (fd))
BPO_FD_CALL("fsync", fdatasync, (int fd), (fd))
BPO_FD_CALL("ftruncate", ftruncate, (int fd, off_t size) noexcept, (fd, size))
BPO_FD_CALL("ftruncate", ftruncate64, (int fd, off64_t size) noexcept, (fd, size))
BPO_FD_CALL("fstat", fstat, (int fd, struct stat* out) noexcept, (fd, out))
BPO_FD_CALL("fstat", fstat64, (int fd, struct stat64* out) noexcept, (fd, out))
BPO_FD_CALL("flock", flock, (int fd, int operation) noexcept, (fd, operation))
BPO_PATH_CALL("stat", stat, (const char* path, struct stat* out) noexcept, (path, out))
BPO_PATH_CALL("stat", stat64, (const char* path, struct stat64* out) noexcept, (path, out))
BPO_PATH_CALL("stat", lstat, (const char* path, struct stat* out) noexcept, (path, out))
BPO_PATH_CALL("stat", lstat64, (const char* path, struct stat64* out) noexcept, (path, out))
BPO_PATH_CALL("stat", fstatat, (int at, const char* path, struct stat* out, int flags) noexcept,
              (at, path, out, flags))
BPO_PATH_CALL("stat", fstatat64, (int at, const char* path, struct stat64* out, int flags) noexcept,
              (at, path, out, flags))
BPO_PATH_CALL("stat", access, (const char* path, int mode) noexcept, (path, mode))
BPO_PATH_CALL("mkdir", mkdir, (const char* path, mode_t mode) noexcept, (path, mode))
BPO_PATH_CALL("unlink", unlink, (const char* path) noexcept, (path))
BPO_PATH_CALL("unlink", unlinkat, (int at, const char* path, int flags) noexcept, (at, path, flags))
BPO_PATH_CALL("unlink", remove, (const char* path) noexcept, (path))
BPO_PATH_CALL("rename", rename, (const char* path, const char* to) noexcept, (path, to))
BPO_PATH_CALL("rename", renameat, (int at, const char* path, int at_to, const char* to) noexcept,
              (at, path, at_to, to))
BPO_CALL("realpath", char*, realpath, (const char* path, char* out) noexcept, (path, out), path,
         nullptr)
BPO_CALL("readdir", dirent*, readdir, (DIR * directory), (directory), ::dirfd(directory), nullptr)
BPO_CALL("readdir", dirent64*, readdir64, (DIR * directory), (directory), ::dirfd(directory),
         nullptr)

/// The whole or half of the bytes, or -1.
#define BPO_MOVE(family, name, parameters, arguments) \
  extern "C" ssize_t name parameters {                \
    if (ours(fd) && fails(family, fd)) {              \
      if (error_number != kShort) return -1;          \
      size = (size + 1) / 2;                          \
    }                                                 \
    return next<decltype(&name)>(#name) arguments;    \
  }
BPO_MOVE("read", read, (int fd, void* to, size_t size), (fd, to, size))
BPO_MOVE("read", pread, (int fd, void* to, size_t size, off_t at), (fd, to, size, at))
BPO_MOVE("read", pread64, (int fd, void* to, size_t size, off64_t at), (fd, to, size, at))
BPO_MOVE("write", write, (int fd, const void* from, size_t size), (fd, from, size))
BPO_MOVE("write", pwrite, (int fd, const void* from, size_t size, off_t at), (fd, from, size, at))

/// The system gives the descriptor back also when closing failed.
extern "C" int close(int fd) {
  const bool failed = ours(fd) && fails("close", fd);
  const int error = errno;
  remember(fd, false);
  const int result = next<decltype(&close)>("close")(fd);
  if (failed) errno = error;
  return failed ? -1 : result;
}

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*start)(void*), void* argument) noexcept {
  if (fails("thread", "a new thread"))
    return error_number;  // it returns the error, unlike all others
  return next<decltype(&pthread_create)>("pthread_create")(thread, attributes, start, argument);
}

// To look malloc up might need memory; glibc has second names for these.
extern "C" void* __libc_malloc(size_t size);
extern "C" void* __libc_calloc(size_t count, size_t size);
extern "C" void* __libc_realloc(void* old, size_t size);
extern "C" void* __libc_memalign(size_t alignment, size_t size);

namespace {
bool no_memory(size_t size) {
  return size >= kLargeAllocation && fails("memory", "a large allocation");
}
}  // namespace

extern "C" void* malloc(size_t size) noexcept {
  return no_memory(size) ? nullptr : __libc_malloc(size);
}
extern "C" void* calloc(size_t count, size_t size) noexcept {
  return no_memory(count * size) ? nullptr : __libc_calloc(count, size);
}
extern "C" void* realloc(void* old, size_t size) noexcept {
  return no_memory(size) ? nullptr : __libc_realloc(old, size);
}
extern "C" void* aligned_alloc(size_t alignment, size_t size) noexcept {
  return no_memory(size) ? nullptr : __libc_memalign(alignment, size);
}
extern "C" int posix_memalign(void** out, size_t alignment, size_t size) noexcept {
  if (no_memory(size)) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}
