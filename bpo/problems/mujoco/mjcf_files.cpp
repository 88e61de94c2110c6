#include "bpo/problems/mujoco/mjcf_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <filesystem>

#include "bpo/core/error.h"
#include "bpo/core/file.h"

namespace bpo {
namespace {

constexpr std::size_t kMostFiles = 500, kMostBytes = std::size_t{1} << 27;

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Walks through a text that nobody has checked.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<XmlTag> tags() {
    std::vector<XmlTag> out;
    std::vector<int> open;
    while (skip_to('<')) {
      if (text_.substr(at_).starts_with("<!--")) {
        jump(text_.find("-->", at_));
        continue;
      }
      ++at_;
      if (at_ < text_.size() && text_[at_] == '/' && !open.empty()) open.pop_back();
      if (at_ >= text_.size() || !std::isalpha(static_cast<unsigned char>(text_[at_]))) continue;
      XmlTag tag{.line = line_, .parent = open.empty() ? -1 : open.back(), .from = at_ - 1};
      tag.name = word();
      while (attribute(tag)) {
      }
      tag.to = at_;
      if (at_ >= text_.size() || text_[at_] != '/') open.push_back(static_cast<int>(out.size()));
      out.push_back(std::move(tag));
    }
    return out;
  }

 private:
  void jump(std::size_t to) {
    to = std::min(to, text_.size());
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
    at_ = to;
  }
  bool skip_to(char c) {
    jump(text_.find(c, at_));
    return at_ < text_.size();
  }
  std::string word() {
    const std::size_t from = at_;
    while (at_ < text_.size() && !is_space(text_[at_]) &&
           std::string_view("=/><\"'").find(text_[at_]) == std::string_view::npos) {
      ++at_;
    }
    return std::string(text_.substr(from, at_ - from));
  }
  void skip_spaces() {
    std::size_t to = at_;
    while (to < text_.size() && is_space(text_[to])) ++to;
    jump(to);
  }
  /// Reads one; false at the tag's end.
  bool attribute(XmlTag& tag) {
    skip_spaces();
    const std::string name = word();
    skip_spaces();
    if (name.empty() || at_ >= text_.size() || text_[at_] != '=') return false;
    ++at_;
    skip_spaces();
    if (at_ >= text_.size() || (text_[at_] != '"' && text_[at_] != '\'')) return false;
    const std::size_t from = at_ + 1, to = std::min(text_.find(text_[at_], from), text_.size());
    tag.attributes.emplace_back(name, std::string(text_.substr(from, to - from)));
    jump(std::min(to + 1, text_.size()));
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

bool is_plain_text(const std::string& bytes) {
  return bytes.find("'''") == std::string::npos && !bytes.ends_with('\'') &&
         std::all_of(bytes.begin(), bytes.end(),
                     [](char c) { return c == '\n' || c == '\t' || (c >= ' ' && c <= '~'); });
}

/// Where a model's meshes and textures are. A model that another attaches has its own places.
struct Places {
  std::filesystem::path folder, meshes, textures;
  bool strip = false;
};

class Gatherer {
 public:
  explicit Gatherer(const std::string& path) {
    add(path, "");
    follow(path, files_[0].bytes, places_of(path));
  }

  std::vector<MjcfFile> files() {
    for (const auto& [file, tag, places] : assets_) {
      const auto& folder = tag.name == "texture" ? places.textures : places.meshes;
      for (const auto& [key, value] : tag.attributes) {
        if (!key.starts_with("file") || value.empty()) continue;
        const std::string name =
            places.strip ? std::filesystem::path(value).filename().string() : value;
        add((places.folder / folder / name).string(), fmt::format("{}:{}: ", file, tag.line));
      }
    }
    return std::move(files_);
  }

 private:
  struct Asset {
    std::string file;
    XmlTag tag;
    const Places& places;  // a later tag may still say where they are
  };

  Places& places_of(const std::string& model) {
    return places_.emplace_back(
        Places{.folder = std::filesystem::path(model).parent_path(), .meshes = {}, .textures = {}});
  }

  void follow(const std::string& file, const std::string& text, Places& places) {
    for (XmlTag& tag : xml_tags(text)) {
      if (tag.name == "compiler") {
        for (const auto& [key, value] : tag.attributes) {
          if (key == "meshdir" || key == "assetdir") places.meshes = value;
          if (key == "texturedir" || key == "assetdir") places.textures = value;
          if (key == "strippath") places.strip = value == "true";
        }
      } else if (tag.name == "include" || tag.name == "model") {
        const std::string path = (places.folder / tag["file"]).string();
        if (add(path, fmt::format("{}:{}: ", file, tag.line))) {
          follow(path, std::string(files_.back().bytes),
                 tag.name == "model" ? places_of(path) : places);
        }
      } else if (tag.name == "mesh" || tag.name == "hfield" || tag.name == "texture" ||
                 tag.name == "skin" || tag.name == "flexcomp") {
        assets_.push_back({file, std::move(tag), places});
      }
    }
  }

  /// False if it is there already.
  bool add(const std::string& path, const std::string& place) {
    const std::string name = std::filesystem::path(path).filename().string();
    if (const auto known = std::find(paths_.begin(), paths_.end(), path); known != paths_.end()) {
      return false;
    }
    if (!is_plain_text(name) || name.find_first_of("'\n") != std::string::npos) {
      throw bad_input(
          fmt::format("{}a file's name may not hold quotes or control characters", place));
    }
    const auto same = [&](const MjcfFile& file) { return file.name == name; };
    if (std::any_of(files_.begin(), files_.end(), same)) {
      throw bad_input(
          fmt::format("{}two files of the model are called {}; rename one", place, name));
    }
    if (files_.size() >= kMostFiles) {
      throw bad_input(fmt::format("{}more than {} files", place, kMostFiles));
    }
    try {
      files_.push_back({name, read_file(path, kMostBytes - bytes_, Links::kFollowed)});
    } catch (const Error& error) {
      throw bad_input(place + error.what());
    }
    bytes_ += files_.back().bytes.size();
    paths_.push_back(path);
    return true;
  }

  std::deque<Places> places_;
  std::vector<MjcfFile> files_;
  std::vector<std::string> paths_;
  std::size_t bytes_ = 0;
  std::vector<Asset> assets_;
};

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64(const std::string& bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += i + k <= bytes.size() ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
    }
  }
  return out;
}

}  // namespace

std::string XmlTag::operator[](std::string_view attribute) const {
  for (const auto& [key, value] : attributes) {
    if (key == attribute) return value;
  }
  return "";
}

std::vector<XmlTag> xml_tags(std::string_view text) { return Scanner(text).tags(); }

std::vector<MjcfFile> gather_mjcf(const std::string& path) { return Gatherer(path).files(); }

std::string files_as_toml(const std::vector<MjcfFile>& files) {
  std::string out = "\n# The model itself, so that this file stands alone.\n";
  for (const MjcfFile& file : files) {
    out += fmt::format("[[file]]\nname = '{}'\n", file.name);
    out += is_plain_text(file.bytes) ? fmt::format("text = '''\n{}'''\n", file.bytes)
                                     : fmt::format("base64 = \"{}\"\n", base64(file.bytes));
  }
  return out;
}

std::string base64_decoded(const std::string& text) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) throw bad_input("not base 64");
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if ((count += 6) < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 255);
  }
  return out;
}

}  // namespace bpo
