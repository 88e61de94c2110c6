// The page as markup: complete, escaped, self-contained. tests/browser looks at it in a browser.
#include "bpo/report/page.h"

#include <gtest/gtest.h>

#include "bpo/report/line_chart.h"
#include "tests/support/xml.h"

namespace bpo::report {
namespace {

using test::occurrences;
using test::xml_fault;

/// What stands between <main> and </main>, which is well-formed XML.
std::string body(const Page& page) {
  const std::string html = page.html();
  const auto begin = html.find("<main>"), end = html.find("</main>");
  return html.substr(begin, end + 7 - begin);
}

TEST(Page, HoldsWhatWasPutInInOrder) {
  Page page("Title");
  page.heading(2, "One");
  page.paragraph("Words.");
  page.table({{"method", "mean"}, {"bpo", "1.5"}, {"epopt", "-2"}}, {1});
  page.figure(draw(LineChart{"A", "x", "y", {}}), "first");
  page.figure(draw(LineChart{"B", "x", "y", {}}), "second", true);
  page.heading(2, "Two");
  page.figure(draw(LineChart{"C", "x", "y", {}}), "third");
  const std::string text = body(page);
  EXPECT_EQ(xml_fault(text), "");
  EXPECT_EQ(occurrences(text, "<figure"), 3);
  EXPECT_EQ(occurrences(text, "<div class=\"figures\">"), 2) << "figures in a row are together";
  EXPECT_EQ(occurrences(text, "<td class=\"right\">"), 2);
  EXPECT_EQ(occurrences(text, "<tr>"), 3);
  EXPECT_EQ(occurrences(text, "<figure class=\"paper\">"), 1);
  std::size_t at = 0;
  for (const char* word :
       {"<h1>Title", "href=\"#part-1\">One", "href=\"#part-2\">Two", "id=\"part-1\">One", "Words.",
        "<th>method", "first", "second", "id=\"part-2\">Two", "third"}) {
    const auto found = text.find(word, at);
    ASSERT_NE(found, std::string::npos) << word;
    at = found;
  }
}

TEST(Page, AsksTheNetworkForNothing) {
  Page page("t");
  page.figure(draw(LineChart{"A", "x", "y", {}}), "c");
  const std::string html = page.html();
  for (const char* word : {" src=", "url(", "@import", "fetch(", "XMLHttp"}) {
    EXPECT_EQ(html.find(word), std::string::npos) << word;
  }
  EXPECT_EQ(occurrences(html, "http://"), occurrences(html, "http://www.w3.org/2000/svg"));
  EXPECT_EQ(occurrences(html, "https://"), 0);
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
}

TEST(Page, HostileTextStaysText) {
  const std::string hostile = "</title></script><script>alert(1)</script>&\"<img src=x>";
  Page page(hostile);
  page.heading(2, hostile);
  page.heading(3, hostile);
  page.paragraph(hostile);
  page.table({{hostile}, {hostile}});
  page.figure("", hostile);
  page.replay({.strip = "", .belief = "", .data = "{}"}, hostile);
  const std::string html = page.html();
  EXPECT_EQ(occurrences(html, "<script>"), 1) << "the page's own";
  EXPECT_EQ(occurrences(html, "<img"), 0);
  EXPECT_EQ(occurrences(html, "&lt;img src=x&gt;"), 8 + 1) << "title, h1, and all of the above";
  EXPECT_EQ(xml_fault(body(page)), "");
}

TEST(Page, SameCallsSameBytes) {
  const auto make = [] {
    Page page("t");
    page.heading(2, "a");
    page.figure(draw(LineChart{"A", "x", "y", {{"l", {1, 2}, {3, 4}}}}), "c");
    return page.html();
  };
  EXPECT_EQ(make(), make());
}

}  // namespace
}  // namespace bpo::report
