#include "bpo/terminal/print.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>

#include "bpo/comm/comm.h"
#include "bpo/core/error.h"
#include "bpo/core/text.h"

namespace bpo::terminal {
namespace {

int output_error = 0;  // errno of the first write to standard output that failed

/// Standard error is written to at once and as a whole, so that lines of several threads stay
/// whole.
void write_error(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace

void prepare_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    // Opened the wrong way round: to use it fails, as it should.
    const int null = ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (null != fd && null >= 0) ::close(null);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void print(std::string_view text) {
  if (!comm().is_root()) return;
  const std::string shown = printable_lines(text);
  if (std::fwrite(shown.data(), 1, shown.size(), stdout) != shown.size() && output_error == 0) {
    output_error = errno;
  }
}

void notice(std::string_view text) {
  if (comm().is_root()) last_words(text);
}

void last_words(std::string_view text) { write_error(printable_lines(text)); }

int terminal_columns() {
  if (!comm().is_root() || ::isatty(STDERR_FILENO) != 1) return 0;
  constexpr int kUsual = 80;
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

void live_line(std::string_view text) {
  // The last column stays free: some terminals go on to the next line once it is written to. A byte
  // is at most one column, so counting bytes is on the safe side.
  std::string shown = printable(text);
  const auto most = static_cast<std::size_t>(std::max(1, terminal_columns() - 1));
  if (shown.size() > most) {
    std::size_t end = most;
    while (end > 0 && (shown[end] & 0xC0) == 0x80) --end;
    shown.resize(end);
  }
  write_error("\r\x1b[K" + shown);
}

void clear_live_line() { write_error("\r\x1b[K"); }

int flush_output() {
  errno = 0;
  if (std::fflush(stdout) != 0 && output_error == 0) output_error = errno;
  if (output_error == 0 && std::ferror(stdout) == 0) return 0;
  // Whoever reads has seen enough, as in `bpo list | head -1`: quietly, as by the signal.
  return output_error == EPIPE ? 128 + SIGPIPE : static_cast<int>(ErrorCode::kIo);
}

}  // namespace bpo::terminal
