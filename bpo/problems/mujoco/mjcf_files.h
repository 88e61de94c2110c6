// The files that a MuJoCo model is made of: the one that is named, what it includes, models that it
// attaches, and their meshes, height fields and textures. MuJoCo gets them from memory, so that a
// model that was gathered once stands alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bpo {

struct MjcfFile {
  std::string name;  // without its folder, as MuJoCo looks it up
  std::string bytes;
};

/// An element of an XML text; the text need not be well-formed.
struct XmlTag {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  int line = 0;
  int parent = -1;               // the number of the tag that it is inside of; -1: of none
  std::size_t from = 0, to = 0;  // in the text: its '<', and what follows its attributes

  /// The attribute's value; empty where there is none.
  std::string operator[](std::string_view attribute) const;
};
std::vector<XmlTag> xml_tags(std::string_view text);

/// The model's own file comes first. What is missing is bad_input that names the line.
std::vector<MjcfFile> gather_mjcf(const std::string& path);

/// Files as a TOML table [files], and back. Texts stay readable, others are in base 64.
std::string files_as_toml(const std::vector<MjcfFile>& files);
std::string base64_decoded(const std::string& text);

}  // namespace bpo
