// A table of named things; a name that is not there gets a did-you-mean.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bpo/core/error.h"

namespace bpo {

template <class Entry>
class Registry {
 public:
  /// `command` lists the names.
  explicit Registry(std::string what, std::string command = "bpo list")
      : what_(std::move(what)), command_(std::move(command)) {}

  void add(Entry entry) {
    const std::string name = entry.name;
    if (!entries_.emplace(name, std::move(entry)).second) {
      throw std::logic_error("two " + what_ + "s named '" + name + "'");
    }
  }

  /// In the place of the one of its name, if there is one.
  void put(Entry entry) {
    const std::string name = entry.name;
    entries_.insert_or_assign(name, std::move(entry));
  }

  const Entry& at(const std::string& name) const {
    const auto found = entries_.find(name);
    if (found != entries_.end()) return found->second;
    const std::vector<std::string> all = names();
    throw bad_input("unknown " + what_ + " '" + name.substr(0, 60) + "'" + did_you_mean(name, all) +
                    "; `" + command_ + "` shows what there is");
  }

  bool contains(const std::string& name) const { return entries_.count(name) > 0; }

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& [name, entry] : entries_) out.push_back(name);
    return out;
  }
  const std::map<std::string, Entry>& entries() const { return entries_; }

 private:
  std::string what_, command_;
  std::map<std::string, Entry> entries_;
};

}  // namespace bpo
