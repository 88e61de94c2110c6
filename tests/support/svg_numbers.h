// Reads figures back: attributes of elements, and pixels as the data they stand for.
#pragma once

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace bpo::test {

/// The value of an attribute in the first element at or after `from` that has it.
inline std::string attribute(const std::string& xml, const std::string& name,
                             std::size_t from = 0) {
  const std::string begin = " " + name + "=\"";
  const auto at = xml.find(begin, from);
  if (at == std::string::npos) return "";
  const auto value = at + begin.size();
  return xml.substr(value, xml.find('"', value) - value);
}

inline std::vector<double> numbers(std::string text) {
  for (char& c : text) c = c == ',' ? ' ' : c;
  std::istringstream in(text);
  std::vector<double> out;
  for (double x; in >> x;) out.push_back(x);
  return out;
}

/// A plot's data-x or data-y: "low high from to".
struct ReadScale {
  double low = 0.0, high = 1.0, from = 0.0, to = 1.0;
  bool log = false;

  ReadScale(const std::string& svg, const std::string& axis) {
    const std::vector<double> n = numbers(attribute(svg, "data-" + axis));
    if (n.size() == 4) low = n[0], high = n[1], from = n[2], to = n[3];
    log = axis == "x" && attribute(svg, "data-log") == "1";
  }
  double operator()(double pixel) const {
    const double share = (pixel - from) / (to - from);
    return log ? low * std::pow(high / low, share) : low + share * (high - low);
  }
  /// What half a hundredth of a pixel may change.
  double tolerance() const { return 0.006 * (high - low) / std::abs(to - from); }
};

/// The part of the figure from where series k begins.
inline std::string series(const std::string& svg, int k) {
  const auto at = svg.find("<g class=\"series\" data-series=\"" + std::to_string(k) + "\"");
  return at == std::string::npos ? "" : svg.substr(at, svg.find("</g>", at) - at);
}

}  // namespace bpo::test
