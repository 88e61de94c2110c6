// Comparisons and pages: the tables of `bpo compare`, the figures of `bpo report`.
#include "bpo/core/file.h"
#include "bpo/report/comparison.h"
#include "bpo/report/study_page.h"
#include "python/src/interrupt.h"

namespace bpo::python {
namespace {

using Sets = std::vector<std::string>;

/// A comparison in all its forms.
struct Compared {
  report::Rows rows, numbers;
  std::vector<int> right;
  std::string text, csv, latex, markdown, json;
  std::vector<std::string> notes;
};

Compared compare(const std::vector<std::string>& directories, std::int64_t episodes,
                 std::int64_t seed, bool greedy, const Sets& sets, int threads) {
  const StopOnInterrupt stop;
  const py::gil_scoped_release release;
  const Protocol protocol{.episodes = episodes, .seed = seed, .greedy = greedy, .sets = sets};
  ThreadPool pool(threads > 0 ? threads : ThreadPool::available());
  const Interruptible interruptible(pool, stop.flag());
  NullLog quiet;
  const std::vector<Group> groups = measure_groups(directories, protocol, quiet, pool);
  const report::Comparison all = report::compare(groups);
  Compared out{comparison_table(all), comparison_numbers(all), report::comparison_right()};
  out.text = report::aligned(out.rows, out.right);
  out.csv = report::csv(out.numbers);
  out.latex = report::latex(out.rows, out.right);
  out.markdown = report::markdown(out.rows, out.right);
  out.json = json_text(comparison_json(all, protocol));
  out.notes = report::comparison_notes(groups);
  return out;
}

py::tuple page(const std::vector<std::string>& directories, const std::string& title,
               std::int64_t episodes, std::int64_t seed, std::int64_t episode, bool greedy,
               const Sets& sets, int threads) {
  const StopOnInterrupt stop;
  std::string html;
  std::vector<std::pair<std::string, std::string>> figures;
  {
    const py::gil_scoped_release release;
    const Protocol protocol{.episodes = episodes, .seed = seed, .greedy = greedy, .sets = sets};
    ThreadPool pool(threads > 0 ? threads : ThreadPool::available());
    const Interruptible interruptible(pool, stop.flag());
    NullLog quiet;
    const report::Page made =
        report::study_page({directories, title, protocol, episode}, quiet, pool);
    html = made.html();
    figures = made.figures();
  }
  return py::make_tuple(html, figures);
}

}  // namespace

void bind_reports(py::module_& m) {
  py::class_<Compared>(m, "Compared")
      .def_readonly("rows", &Compared::rows)
      .def_readonly("numbers", &Compared::numbers)
      .def_readonly("right", &Compared::right)
      .def_readonly("text", &Compared::text)
      .def_readonly("csv", &Compared::csv)
      .def_readonly("latex", &Compared::latex)
      .def_readonly("markdown", &Compared::markdown)
      .def_readonly("json", &Compared::json)
      .def_readonly("notes", &Compared::notes);
  m.def("compare", &compare);
  m.def("page", &page);
  m.def("write_file", [](const std::string& path, const std::string& text) {
    write_file_atomic(path, text, Links::kFollowed);
  });
}

}  // namespace bpo::python
