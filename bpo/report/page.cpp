#include "bpo/report/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "bpo/report/svg.h"

namespace bpo::report {

void Page::open_figures() {
  if (!in_figures_) body_ += "<div class=\"figures\">\n";
  in_figures_ = true;
}

void Page::close_figures() {
  if (in_figures_) body_ += "</div>\n";
  in_figures_ = false;
}

void Page::heading(int level, std::string_view text) {
  close_figures();
  const std::string id = fmt::format("part-{}", contents_.size() + 1);
  const int h = std::clamp(level, 2, 4);
  if (h == 2) contents_.emplace_back(id, text);
  body_ += fmt::format("<h{0}{1}>{2}</h{0}>\n", h, h == 2 ? fmt::format(" id=\"{}\"", id) : "",
                       svg_escape(text));
}

void Page::paragraph(std::string_view text) {
  close_figures();
  body_ += fmt::format("<p>{}</p>\n", svg_escape(text));
}

void Page::table(const Rows& rows, const std::vector<int>& right) {
  close_figures();
  body_ += "<div class=\"table\"><table>\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const char* cell = r == 0 ? "th" : "td";
    body_ += r == 0 ? "<thead><tr>" : r == 1 ? "<tbody><tr>" : "<tr>";
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      const bool flush = std::find(right.begin(), right.end(), static_cast<int>(c)) != right.end();
      body_ += fmt::format("<{0}{1}>{2}</{0}>", cell, flush ? " class=\"right\"" : "",
                           svg_escape(rows[r][c]));
    }
    body_ += r == 0 ? "</tr></thead>\n" : "</tr>\n";
  }
  body_ += rows.size() > 1 ? "</tbody></table></div>\n" : "</table></div>\n";
}

void Page::figure(std::string_view svg, std::string_view caption, bool paper) {
  open_figures();
  figures_.emplace_back(svg, caption);
  body_ += fmt::format("<figure{}>\n{}<figcaption>{}</figcaption>\n</figure>\n",
                       paper ? " class=\"paper\"" : "", svg, svg_escape(caption));
}

void Page::replay(const Replay& replay, std::string_view caption) {
  open_figures();
  body_ += fmt::format(
      "<figure class=\"replay\">\n<div class=\"strip\">{}</div>\n"
      "<div class=\"player\" hidden=\"\">{}</div>\n<script type=\"application/json\">{}</script>\n"
      "<figcaption>{}</figcaption>\n</figure>\n",
      replay.strip, replay.belief, replay.data, svg_escape(caption));
}

std::string Page::html() const {
  std::string nav;
  for (const auto& [id, text] : contents_) {
    nav += fmt::format("<li><a href=\"#{}\">{}</a></li>", id, svg_escape(text));
  }
  if (contents_.size() > 1) nav = fmt::format("<nav><ul>{}</ul></nav>\n", nav);
  if (contents_.size() < 2) nav.clear();
  // The policy makes sure of it: not even a mistake could ask the network for anything.
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n{2}{3}{4}"
      "</main>\n<script>{5}</script>\n</body>\n</html>\n",
      svg_escape(title_), kPageStyle, nav, body_, in_figures_ ? "</div>\n" : "", kPageScript);
}

}  // namespace bpo::report
