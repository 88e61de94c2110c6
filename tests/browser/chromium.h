// A page in headless Chromium. It is shown in frames of a page around it, which looks into them
// after they have loaded: at two widths, and in a sandbox where no script runs. What it finds it
// writes as JSON into its own text, and that is what is read back.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/cli/process.h"

namespace bpo::test {

namespace fs = std::filesystem;

inline std::string find_chromium() {
  std::istringstream path(std::getenv("PATH") != nullptr ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(path, folder, ':');) {
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
      const std::string file = folder + "/" + name;
      if (::access(file.c_str(), X_OK) == 0) return file;
    }
  }
  return "";
}

struct Seen {
  nlohmann::json found;  // what the script's `look` returned
  std::string console;   // lines that a page wrote to the console, errors above all
  std::string sandbox;   // lines that say that a script was not allowed to run
};

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

class BrowserTest : public cli::CliTest {
 protected:
  void SetUp() override {
    chromium_ = find_chromium();
    if (chromium_.empty()) {
      GTEST_SKIP() << "no Chromium found: `apt-get install chromium`, which `make test` does";
    }
  }

  /// Shows `html`; `look` is the body of a JavaScript function of (wide, narrow, still): the
  /// windows of the frames, the last one without scripts.
  Seen look(const std::string& html, const std::string& look) const {
    const std::string inside = replaced(replaced(html, "&", "&amp;"), "\"", "&quot;");
    const auto frame = [&](const char* id, int width, const char* more) {
      return fmt::format(
          "<iframe id=\"{}\" style=\"border:0;width:{}px;height:900px\" {} "
          "srcdoc=\"{}\"></iframe>\n",
          id, width, more, inside);
    };
    cli::spill(
        dir_ / "around.html",
        fmt::format("<!DOCTYPE html><meta charset=\"utf-8\"><body>\n{}{}{}<pre id=\"found\"></pre>"
                    "<script>onload = () => {{\n"
                    "const frame = id => document.getElementById(id).contentWindow;\n"
                    "const look = (wide, narrow, still) => {{ {} }};\n"
                    "let found;\n"
                    "try {{ found = look(frame('wide'), frame('narrow'), frame('still')); }}\n"
                    "catch (error) {{ found = {{failed: String(error.stack)}}; }}\n"
                    "document.getElementById('found').textContent = JSON.stringify(found);\n"
                    "}}</script></body>",
                    frame("wide", 1200, ""), frame("narrow", 360, ""),
                    frame("still", 1200, "sandbox=\"allow-same-origin\""), look));
    const std::string command = fmt::format(
        "cd '{}' && timeout 100 '{}' --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "
        "--no-first-run --disable-extensions --disable-breakpad --user-data-dir=profile "
        "--enable-logging=stderr "
        "--window-size=1300,1000 --dump-dom 'file://{}/around.html' >dom.html 2>log.txt",
        dir_.string(), chromium_, dir_.string());
    const int status = std::system(command.c_str());
    // Its helpers may outlive it by a moment.
    EXPECT_TRUE(eventually([&] {
      std::error_code error;
      fs::remove_all(dir_ / "profile", error);
      return !error;
    }));
    const std::string dom = cli::slurp(dir_ / "dom.html"), log = cli::slurp(dir_ / "log.txt");
    EXPECT_EQ(status, 0) << log;
    Seen seen;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
      if (line.find("CONSOLE") == std::string::npos) continue;
      // What the sandbox says is no fault of the page: it shows that no script ran there.
      const bool sandbox = line.find("Blocked script execution") != std::string::npos;
      (sandbox ? seen.sandbox : seen.console) += line + "\n";
    }
    const std::string mark = "<pre id=\"found\">";
    const auto begin = dom.rfind(mark), end = dom.find("</pre>", begin);
    if (begin == std::string::npos || end == std::string::npos) {
      ADD_FAILURE() << "nothing was found in " << dom.substr(0, 500) << log;
      return seen;
    }
    std::string json = dom.substr(begin + mark.size(), end - begin - mark.size());
    json = replaced(replaced(replaced(json, "&lt;", "<"), "&gt;", ">"), "&amp;", "&");
    seen.found = nlohmann::json::parse(json, nullptr, false);
    EXPECT_TRUE(seen.found.is_object()) << json;
    EXPECT_FALSE(seen.found.contains("failed")) << seen.found;
    return seen;
  }

  std::string chromium_;
};

/// JavaScript: what can be asked of any page in window `w`.
inline const std::string kAskPage = R"js(
  const all = (w, what) => [...w.document.querySelectorAll(what)];
  const ask = w => ({
    width: w.innerWidth,
    scroll: w.document.documentElement.scrollWidth,
    requests: w.performance.getEntriesByType('resource').map(entry => entry.name),
    images: all(w, 'img, object, embed, iframe, link[rel=stylesheet]').length,
    scripts: all(w, 'script:not([type])').length,
    figures: all(w, 'figure').length,
    shown: all(w, 'figure').filter(figure => [...figure.querySelectorAll('svg')].some(svg => {
      const box = svg.getBoundingClientRect();
      return box.width > 200 && box.height > 50;
    })).length,
    captions: all(w, 'figcaption').map(node => node.textContent),
    bad: all(w, 'svg *').filter(node => [...node.attributes].some(
      a => /NaN|Infinity|undefined|null/.test(a.value) && a.name !== 'data-name')).length,
    outside: all(w, 'svg').filter(svg => !svg.ownerSVGElement)
      .flatMap(svg => [...svg.querySelectorAll(':scope > text, :scope > g text')].filter(text => {
        const a = svg.getBoundingClientRect(), b = text.getBoundingClientRect();
        return b.width > 0 && (b.left < a.left - 1 || b.right > a.right + 1 ||
                               b.top < a.top - 1 || b.bottom > a.bottom + 1);
      })).map(text => text.textContent),
  });
)js";

}  // namespace bpo::test
