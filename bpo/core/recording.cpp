#include "bpo/core/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "bpo/core/error.h"

namespace bpo {
namespace {

constexpr std::size_t kMostRows = 10'000, kMostColumns = 10'000;
constexpr double kRateTolerance = 0.02;

struct Field {
  std::string_view text;
  std::size_t column;  // where it begins in its line, from 1
};

std::vector<Field> split(std::string_view line) {
  std::vector<Field> out;
  for (std::size_t from = 0; from <= line.size();) {
    const std::size_t to = std::min(line.find(',', from), line.size());
    const auto blank = [&](std::size_t i) { return line[i] == ' ' || line[i] == '\t'; };
    std::size_t first = from, last = to;
    while (first < last && blank(first)) ++first;
    while (last > first && blank(last - 1)) --last;
    out.push_back({line.substr(first, last - first), first + 1});
    from = to + 1;
  }
  return out;
}

class Reader {
 public:
  Reader(const std::string& text, const std::string& file, const RecordingFormat& format)
      : text_(text), file_(file), format_(format) {}

  Recording read() {
    if (!next_line()) throw bad_input(file_ + ": is empty; its first line names the columns");
    read_head();
    std::vector<double> row(names_.size());
    double time = 0.0;
    while (next_line()) {
      read_row(row);
      check_time(row[time_], time);
      time = row[time_];
      take(row);
    }
    if (out_.observations.size() < 2) {
      throw bad_input(
          fmt::format("{}: has {} rows; a step takes two", file_, out_.observations.size()));
    }
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(std::size_t column, const std::string& what) const {
    throw bad_input(fmt::format("{}:{}:{}: {}", file_, number_, column, what));
  }

  /// The next line that is neither empty nor a comment.
  bool next_line() {
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      line_ = std::string_view(text_).substr(at_, end - at_);
      at_ = end + 1;
      ++number_;
      if (line_.ends_with('\r')) line_.remove_suffix(1);
      if (line_.find_first_not_of(" \t") != line_.npos && !line_.starts_with('#')) return true;
    }
    return false;
  }

  std::size_t column(const std::string& name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
    const std::vector<std::string> all = wanted();
    std::vector<std::string> others;  // columns of no known meaning
    for (const std::string& there : names_) {
      if (std::find(all.begin(), all.end(), there) == all.end()) others.push_back(there);
    }
    fail(1, fmt::format("there is no column '{}'{}; columns are time, {}", name,
                        did_you_mean(name, others), fmt::join(all, ", ")));
  }
  std::vector<std::string> wanted() const {
    std::vector<std::string> out;
    for (const auto& c : format_.controls) out.push_back(c.column);
    for (const auto& n : format_.observation) {
      if (!n.column.empty() && n.needed) out.push_back(n.column);
    }
    return out;
  }

  void read_head() {
    for (const Field& f : split(line_)) {
      const std::string name(f.text);
      if (name.empty()) fail(f.column, "a column has no name");
      if (std::find(names_.begin(), names_.end(), name) != names_.end()) {
        fail(f.column, fmt::format("two columns are called '{}'", name));
      }
      if (names_.size() >= kMostColumns) fail(f.column, "there are too many columns");
      names_.push_back(name);
    }
    std::vector<bool> used(names_.size(), false);
    const auto use = [&](const std::string& name) {
      const std::size_t i = column(name);
      used[i] = true;
      return i;
    };
    time_ = use("time");
    for (const auto& c : format_.controls) controls_.push_back(use(c.column));
    for (const auto& n : format_.observation) {
      const bool there = std::find(names_.begin(), names_.end(), n.column) != names_.end();
      numbers_.push_back(!n.column.empty() && (n.needed || there) ? std::optional(use(n.column))
                                                                  : std::nullopt);
    }
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (!used[i]) out_.unused.push_back(names_[i]);
    }
    used_ = std::move(used);
  }

  void read_row(std::vector<double>& row) {
    const auto fields = split(line_);
    if (fields.size() != names_.size()) {
      fail(1, fmt::format("this row has {} fields, and the first line names {} columns",
                          fields.size(), names_.size()));
    }
    if (out_.observations.size() >= kMostRows) {
      fail(1, fmt::format("there are more than {} rows; cut the recording", kMostRows));
    }
    fields_ = fields;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto [text, at] = fields[i];
      if (!used_[i]) continue;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), row[i]);
      if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(row[i])) {
        fail(at, fmt::format("{} is '{}'; it must be a finite number", names_[i], text));
      }
    }
  }

  void check_time(double now, double before) const {
    if (out_.observations.empty()) return;
    const double passed = now - before, at = fields_[time_].column;
    if (!(passed > 0.0)) {
      fail(static_cast<std::size_t>(at),
           fmt::format("time goes from {} to {}; it must ascend", before, now));
    }
    if (std::abs(passed - format_.seconds) > kRateTolerance * format_.seconds) {
      fail(static_cast<std::size_t>(at),
           fmt::format("{:.6g} s after the row before; a control step of this robot is {:.6g} s "
                       "(frame_skip time steps): record at that rate, or change frame_skip",
                       passed, format_.seconds));
    }
  }

  void take(const std::vector<double>& row) {
    std::vector<double> o;
    for (std::size_t k = 0; k < format_.observation.size(); ++k) {
      const auto& n = format_.observation[k];
      if (numbers_[k]) {
        o.push_back(row[*numbers_[k]]);
      } else if (n.same_as >= 0) {
        o.push_back(o[static_cast<std::size_t>(n.same_as)]);
      } else if (n.control >= 0 && sent_.size() >= static_cast<std::size_t>(n.steps_before)) {
        o.push_back(sent_[sent_.size() - static_cast<std::size_t>(n.steps_before)]
                         [static_cast<std::size_t>(n.control)]);
      } else {
        o.push_back(0.0);
      }
    }
    std::vector<double> sent, action;
    for (std::size_t i = 0; i < controls_.size(); ++i) {
      const auto& [name, low, high] = format_.controls[i];
      const double u = row[controls_[i]], slack = 1e-6 * (high - low);
      if (u < low - slack || u > high + slack) {
        fail(fields_[controls_[i]].column,
             fmt::format("{} is {:.6g}; it is sent controls in [{:.6g}, {:.6g}]", name, u, low,
                         high));
      }
      sent.push_back(std::clamp(u, low, high));
      action.push_back(std::clamp((2.0 * u - low - high) / (high - low), -1.0, 1.0));
    }
    out_.observations.push_back(std::move(o));
    out_.actions.push_back(std::move(action));
    sent_.push_back(std::move(sent));
  }

  const std::string &text_, &file_;
  const RecordingFormat& format_;
  std::size_t at_ = 0, number_ = 0;
  std::string_view line_;
  std::vector<Field> fields_;
  std::vector<std::string> names_;
  std::vector<bool> used_;
  std::size_t time_ = 0;
  std::vector<std::size_t> controls_;
  std::vector<std::optional<std::size_t>> numbers_;
  std::vector<std::vector<double>> sent_;  // [row]
  Recording out_;
};

}  // namespace

Recording read_recording(const std::string& text, const std::string& file,
                         const RecordingFormat& format) {
  return Reader(text, file, format).read();
}

std::string recording_text(const Recording& recording, const RecordingFormat& format) {
  std::string out = "time";
  for (const auto& c : format.controls) out += "," + c.column;
  for (const auto& n : format.observation) {
    if (!n.column.empty()) out += "," + n.column;
  }
  out += "\n";
  for (std::size_t row = 0; row < recording.observations.size(); ++row) {
    out += fmt::format("{:.9g}", static_cast<double>(row) * format.seconds);
    for (std::size_t i = 0; i < format.controls.size(); ++i) {
      const auto& [name, low, high] = format.controls[i];
      const double a = std::clamp(recording.actions[row][i], -1.0, 1.0);
      out += fmt::format(",{}", 0.5 * (low + high) + 0.5 * (high - low) * a);
    }
    for (std::size_t k = 0; k < format.observation.size(); ++k) {
      if (!format.observation[k].column.empty()) {
        out += fmt::format(",{}", recording.observations[row][k]);
      }
    }
    out += "\n";
  }
  return out;
}

}  // namespace bpo
