#include "bpo/problems/mujoco/mjcf_text.h"

#include <fmt/format.h>

namespace bpo {
namespace {

bool is_mjcf(const MjcfFile& file) { return file.bytes.find("<mujoco") != std::string::npos; }

}  // namespace

int MjcfText::rewrite(const Which& which, const Change& change, const std::string& inside) {
  int found = 0;
  for (MjcfFile& file : files_) {
    if (!is_mjcf(file)) continue;
    Tags tags = xml_tags(file.bytes);
    for (std::size_t i = tags.size(); i-- > 0;) {
      if (!which(tags, i)) continue;
      ++found;
      XmlTag tag = tags[i];
      change(tag);
      std::string text = "<" + tag.name;
      for (const auto& [key, value] : tag.attributes) {
        const char quote = value.find('"') == std::string::npos ? '"' : '\'';
        text += fmt::format(" {}={}{}{}", key, quote, value, quote);
      }
      std::size_t end = tag.to;
      const bool closed = file.bytes.compare(end, 2, "/>") == 0;
      if (closed && (!inside.empty() || tags[i].name != tag.name)) {
        text += fmt::format(">{}</{}", inside, tag.name);
        ++end;
      } else if (!inside.empty()) {
        text += ">" + inside;
        ++end;
      }
      file.bytes.replace(tag.from, end - tag.from, text);
    }
  }
  return found;
}

void MjcfText::erase(const Which& which) {
  for (MjcfFile& file : files_) {
    if (!is_mjcf(file)) continue;
    const Tags tags = xml_tags(file.bytes);
    for (std::size_t i = tags.size(); i-- > 0;) {
      if (!which(tags, i)) continue;
      const bool closed = file.bytes.compare(tags[i].to, 2, "/>") == 0;
      const std::string end = closed ? "/>" : fmt::format("</{}>", tags[i].name);
      const std::size_t at = file.bytes.find(end, tags[i].to);
      if (at == std::string::npos) continue;
      file.bytes.erase(tags[i].from, at + end.size() - tags[i].from);
    }
  }
}

MjcfText::Tags MjcfText::find(const Which& which) const {
  Tags out;
  for (const MjcfFile& file : files_) {
    if (!is_mjcf(file)) continue;
    const Tags tags = xml_tags(file.bytes);
    for (std::size_t i = 0; i < tags.size(); ++i) {
      if (which(tags, i)) out.push_back(tags[i]);
    }
  }
  return out;
}

void put(XmlTag& tag, const std::string& key, const std::string& value) {
  std::erase_if(tag.attributes, [&](const auto& a) { return a.first == key; });
  if (!value.empty()) tag.attributes.emplace_back(key, value);
}

MjcfText::Which called(const std::string& name) {
  return [name](const MjcfText::Tags& all, std::size_t i) { return all[i].name == name; };
}

bool is_within(const MjcfText::Tags& all, std::size_t i, const std::string& name) {
  for (int p = all[i].parent; p >= 0; p = all[static_cast<std::size_t>(p)].parent) {
    if (all[static_cast<std::size_t>(p)].name == name) return true;
  }
  return false;
}

}  // namespace bpo
