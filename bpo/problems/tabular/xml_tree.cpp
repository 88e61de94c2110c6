#include "bpo/problems/tabular/xml_tree.h"

#include <expat.h>

namespace bpo {
namespace {

constexpr std::size_t kDeepest = 200;

class Parser {
 public:
  Parser(std::string_view text, const std::string& file)
      : text_(text), file_(file), parser_(XML_ParserCreate(nullptr), XML_ParserFree) {
    if (parser_ == nullptr) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), &Parser::begin, &Parser::end);
    XML_SetCharacterDataHandler(parser_.get(), &Parser::characters);
    XML_SetStartDoctypeDeclHandler(parser_.get(), &Parser::document_type);
  }

  std::unique_ptr<XmlNode> parse() {
    constexpr std::size_t kChunk = std::size_t{1} << 20;
    for (std::size_t at = 0; at < text_.size() || at == 0; at += kChunk) {
      const std::string_view part = text_.substr(at, kChunk);
      const bool last = at + part.size() == text_.size();
      const auto status =
          XML_Parse(parser_.get(), part.data(), static_cast<int>(part.size()), last);
      if (refused_) throw bad_place(file_, refused_->first, refused_->second);
      if (status != XML_STATUS_OK) {
        throw bad_place(
            file_, here(),
            fmt::format("not XML: {}", XML_ErrorString(XML_GetErrorCode(parser_.get()))));
      }
      if (last) break;
    }
    return std::move(root_);
  }

 private:
  static Parser& of(void* self) { return *static_cast<Parser*>(self); }

  static void XMLCALL begin(void* self, const XML_Char* name, const XML_Char** attributes) {
    Parser& p = of(self);
    if (p.open_.size() == kDeepest) {
      return p.refuse(fmt::format("elements are nested more than {} deep", kDeepest));
    }
    auto node = std::make_unique<XmlNode>();
    node->name = name;
    node->place = p.here();
    for (; *attributes != nullptr; attributes += 2) {
      node->attributes.emplace_back(attributes[0], attributes[1]);
    }
    XmlNode* const raw = node.get();
    if (p.open_.empty()) {
      p.root_ = std::move(node);
    } else {
      p.open_.back()->children.push_back(std::move(node));
    }
    p.open_.push_back(raw);
  }
  static void XMLCALL end(void* self, const XML_Char*) {
    if (!of(self).open_.empty()) of(self).open_.pop_back();
  }
  static void XMLCALL characters(void* self, const XML_Char* text, int length) {
    Parser& p = of(self);
    if (p.open_.empty()) return;
    XmlNode& node = *p.open_.back();
    const std::string_view more(text, length);
    if (const std::size_t word = more.find_first_not_of(kXmlSpace);
        !node.text_place && word != std::string_view::npos) {
      // A line's end is told by itself, so what is before the word is on its line.
      node.text_place = p.here();
      node.text_place->column += word;
    }
    node.text += more;
  }
  static void XMLCALL document_type(void* self, const XML_Char*, const XML_Char*, const XML_Char*,
                                    int) {
    of(self).refuse("a document type (<!DOCTYPE ...>) has no place here; leave it out");
  }

  void refuse(const std::string& what) {
    if (!refused_) refused_ = {here(), what};
    XML_StopParser(parser_.get(), XML_FALSE);
  }
  Place here() const {
    return {XML_GetCurrentLineNumber(parser_.get()), XML_GetCurrentColumnNumber(parser_.get()) + 1};
  }

  std::string_view text_;
  const std::string& file_;
  std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser_;
  std::unique_ptr<XmlNode> root_;
  std::vector<XmlNode*> open_;
  std::optional<std::pair<Place, std::string>> refused_;
};

}  // namespace

const XmlNode* XmlNode::child(std::string_view called) const {
  for (const auto& node : children) {
    if (node->name == called) return node.get();
  }
  return nullptr;
}

const std::string* XmlNode::attribute(std::string_view called) const {
  for (const auto& [key, value] : attributes) {
    if (key == called) return &value;
  }
  return nullptr;
}

std::unique_ptr<XmlNode> parse_xml(std::string_view text, const std::string& file) {
  return Parser(text, file).parse();
}

}  // namespace bpo
