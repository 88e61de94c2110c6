// The files of a model as texts in which elements are found, changed and taken away.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bpo/problems/mujoco/mjcf_files.h"

namespace bpo {

class MjcfText {
 public:
  using Tags = std::vector<XmlTag>;
  /// Whether a tag of a file, the i-th of all, is meant.
  using Which = std::function<bool(const Tags& all, std::size_t i)>;
  using Change = std::function<void(XmlTag&)>;

  explicit MjcfText(std::vector<MjcfFile> files) : files_(std::move(files)) {}

  /// Changes the tags that fit, from the last to the first, and gives each `inside` as its first
  /// children; how many.
  int rewrite(const Which& which, const Change& change, const std::string& inside = "");
  void erase(const Which& which);
  Tags find(const Which& which) const;
  bool any(const Which& which) const { return !find(which).empty(); }
  const std::vector<MjcfFile>& files() const { return files_; }

 private:
  std::vector<MjcfFile> files_;
};

/// Sets an attribute, or takes it away where the value is empty.
void put(XmlTag& tag, const std::string& key, const std::string& value);
/// Elements of this name.
MjcfText::Which called(const std::string& name);
/// Whether the i-th tag is inside of one that is called so, at any depth.
bool is_within(const MjcfText::Tags& all, std::size_t i, const std::string& name);

}  // namespace bpo
