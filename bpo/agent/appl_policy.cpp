#include "bpo/agent/appl_policy.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "bpo/core/error.h"
#include "bpo/problems/tabular/xml_tree.h"

namespace bpo {
namespace {

/// XML's five characters that stand for something else.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

class Reader {
 public:
  Reader(const std::string& file, const AlphaShape& shape, int actions)
      : file_(file), shape_(shape), actions_(actions), out_(shape.visible, shape.hidden) {}

  VectorSets read(std::string_view text) {
    const auto root = parse_xml(text, file_);
    if (root->name != "Policy") fail(*root, "the root is <" + root->name + ">, not <Policy>");
    const XmlNode* const list = root->child("AlphaVector");
    if (list == nullptr) fail(*root, "<AlphaVector> is missing");
    expect(*list, "vectorLength", shape_.hidden);
    expect(*list, "numObsValue", shape_.visible);
    for (const auto& node : list->children) vector(*node);
    if (const auto* const count = list->attribute("numVectors");
        count != nullptr && *count != std::to_string(out_.total())) {
      fail(*list, fmt::format("numVectors says {}, but there are {}", *count, out_.total()));
    }
    for (int x = 0; x < shape_.visible; ++x) {
      if (out_.size(x) == 0) fail(*list, fmt::format("no vector has obsValue=\"{}\"", x));
    }
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const XmlNode& node, const std::string& what) const {
    throw bad_place(file_, node.place, what);
  }
  void expect(const XmlNode& node, const char* name, int wanted) const {
    const int found = attribute(node, name, 1 << 30);
    if (found == wanted) return;
    fail(node, fmt::format("{} is {}, but the problem's is {}", name, found, wanted));
  }
  int attribute(const XmlNode& node, const char* name, int below) const {
    const std::string* const text = node.attribute(name);
    if (text == nullptr) fail(node, fmt::format("a <{}> needs {}=\"...\"", node.name, name));
    int value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc() || end != text->data() + text->size() || value < 0 || value >= below) {
      fail(node, fmt::format("{}=\"{}\" is not a whole number below {}", name, *text, below));
    }
    return value;
  }
  /// The next number of a text, which is cut; false at its end.
  bool number(const XmlNode& node, std::string_view& text, double& value) const {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos) return false;
    text.remove_prefix(first);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || !std::isfinite(value)) {
      fail(node, fmt::format("'{}' is not a number", text.substr(0, text.find(' ')).substr(0, 30)));
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
  }

  void vector(const XmlNode& node) {
    const int action = attribute(node, "action", actions_);
    const int x = attribute(node, "obsValue", shape_.visible);
    std::vector<double> alpha;
    double value = 0.0;
    if (node.name == "Vector") {
      for (std::string_view text = node.text; number(node, text, value);) alpha.push_back(value);
      if (static_cast<int>(alpha.size()) != shape_.hidden) {
        fail(node, fmt::format("{} numbers, not {}", alpha.size(), shape_.hidden));
      }
    } else if (node.name == "SparseVector") {
      alpha.resize(shape_.hidden);
      for (const auto& entry : node.children) {
        std::string_view text = entry->text;
        double at = 0.0;
        const bool both = number(*entry, text, at) && number(*entry, text, value);
        if (!both || at < 0.0 || at >= shape_.hidden || at != std::floor(at)) {
          fail(*entry, fmt::format("an entry is a place below {} and a value", shape_.hidden));
        }
        alpha[static_cast<std::size_t>(at)] = value;
      }
    } else {
      fail(node, fmt::format("<{}> is neither <Vector> nor <SparseVector>", node.name));
    }
    out_.add(x, alpha, action);
  }

  const std::string& file_;
  const AlphaShape shape_;
  const int actions_;
  VectorSets out_;
};

}  // namespace

std::string appl_policy_text(const AlphaPolicy& policy, const std::string& model) {
  std::string out;
  appl_policy_pieces(policy, model)([&](std::string_view piece) { out += piece; });
  return out;
}

Pieces appl_policy_pieces(const AlphaPolicy& policy, const std::string& model) {
  if (policy.shape().stages > 0) {
    throw bad_input(fmt::format("{}: a policy of {} stages, which APPL's format cannot say", model,
                                policy.shape().stages));
  }
  return [&policy, model](const auto& write) {
    const AlphaShape& shape = policy.shape();
    const VectorSets& vectors = policy.vectors();
    write(fmt::format(
        "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<Policy version=\"0.1\" type=\"value\" "
        "model=\"{}\">\n<AlphaVector vectorLength=\"{}\" numObsValue=\"{}\" numVectors=\"{}\">\n",
        escaped(model), shape.hidden, shape.visible, vectors.total()));
    std::string line;
    for (int x = 0; x < vectors.keys(); ++x) {
      for (int i = 0; i < vectors.size(x); ++i) {
        line = fmt::format("<Vector action=\"{}\" obsValue=\"{}\">", vectors.action(x, i), x);
        for (const double v : vectors.vector(x, i)) line += fmt::format("{} ", v);
        write(line + "</Vector>\n");
      }
    }
    write("</AlphaVector> </Policy>\n");
  };
}

VectorSets read_appl_policy(std::string_view text, const std::string& file, const AlphaShape& shape,
                            int actions) {
  return Reader(file, shape, actions).read(text);
}

}  // namespace bpo
