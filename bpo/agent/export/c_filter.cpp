#include <fmt/format.h>

#include <cmath>

#include "bpo/agent/export/c_parts.h"
#include "bpo/agent/export/c_source.h"

namespace bpo {
namespace {

std::string literal(double x) { return std::isfinite(x) ? fmt::format("{:a}", x) : "-INFINITY"; }
std::string literal(float x) { return fmt::format("{:a}f", x); }
std::string literal(int x) { return fmt::format("{}", x); }

template <class T>
std::string array_text(const char* type, const std::string& name, const std::vector<T>& values) {
  std::string out = fmt::format("static const {} {}[{}] = {{\n", type, name,
                                std::max<std::size_t>(values.size(), 1));
  std::string line = "   ";
  for (const T& x : values) {
    const std::string word = fmt::format(" {},", literal(x));
    if (line.size() + word.size() > 100) {
      out += line + "\n";
      line = "   ";
    }
    line += word;
  }
  return out + (values.empty() ? "    0" : line) + "};\n";
}

std::string define(const char* name, int value) {
  return fmt::format("#define {} {}\n", name, value);
}

CFilter text_of(const std::monostate&) {
  return {.code = R"(
static void bpo_filter_reset(bpo_policy* p) { memcpy(p->belief, bpo_prior, sizeof p->belief); }
static void bpo_filter_begin(bpo_policy* p, const double* o) {
  (void)p;
  (void)o;
}
static int bpo_filter_update(bpo_policy* p, const double* next) {
  (void)p;
  (void)next;
  return 1;
}
static void bpo_filter_write(bpo_policy* p) { (void)p; }
)"};
}

CFilter text_of(const GridForm& form) {
  CFilter out{.defines = define("BPO_POLICY_FACTORS", form.factors) +
                         define("BPO_POLICY_CELLS", form.cells) +
                         define("BPO_POLICY_CHOICES", form.actions) +
                         define("BPO_POLICY_VALUES", form.observations),
              .state = fmt::format("  double weights[{}]; /* logarithms, by factor and cell */\n",
                                   form.factors * form.cells),
              .tables = c_array("bpo_prior", form.prior) + c_array("bpo_evidence", form.evidence) +
                        c_array("bpo_kind", form.kind),
              .code = c_text::kGridFilter};
  if (!form.move.empty()) {
    out.defines += "#define BPO_POLICY_MOVES\n";
    out.tables += c_array("bpo_moves", form.move) + c_array("bpo_transition", form.transition);
  }
  return out;
}

/// Arrays of all actions' rows, and a struct for each action that points at its own.
std::string rows_text(const std::string& name, const std::vector<SparseRows>& tables) {
  std::string arrays, structs;
  for (std::size_t a = 0; a < tables.size(); ++a) {
    std::vector<int> start{0}, column;
    std::vector<double> value;
    for (int i = 0; i < tables[a].rows(); ++i) {
      for (const SparseRows::Entry& e : tables[a].row(i)) {
        column.push_back(e.column);
        value.push_back(e.value);
      }
      start.push_back(static_cast<int>(column.size()));
    }
    const std::string own = fmt::format("{}_{}", name, a);
    arrays += c_array(own + "_start", start) + c_array(own + "_column", column) +
              c_array(own + "_value", value);
    structs += fmt::format("    {{{0}_start, {0}_column, {0}_value}},\n", own);
  }
  return arrays +
         fmt::format("static const bpo_rows {}[{}] = {{\n{}}};\n", name, tables.size(), structs);
}

CFilter text_of(const StateForm& form) {
  const TabularModel& m = form.tables;
  const auto at = [](int number) {
    return number < 0 ? std::string("((void)(o), 0)") : fmt::format("((int)(o)[{}])", number);
  };
  return {
      .defines = define("BPO_POLICY_HIDDEN_STATES", m.hidden()) +
                 define("BPO_POLICY_SEEN_STATES", m.visible),
      .state = fmt::format("  double probability[{0}], next[{0}]; /* of the hidden states */\n"
                           "  int possible[{0}], to[{0}], possible_count, to_count;\n",
                           m.hidden()),
      .tables = fmt::format(
          "#define BPO_SEEN(o) {}\n#define BPO_HEARD(o) {}\n"
          "typedef struct {{\n  const int *start, *column;\n  const double* value;\n"
          "}} bpo_rows;\n{}{}{}",
          at(form.seen_at), at(form.heard_at), c_array("bpo_initial", m.initial),
          rows_text("bpo_transitions", m.transition), rows_text("bpo_observations", m.observation)),
      .code = c_text::kStateFilter};
}

CFilter text_of(const LightForm& form) {
  const auto number = [](const char* name, double x) {
    return fmt::format("static const double {} = {:a};\n", name, x);
  };
  const auto pair = [](const char* name, const std::array<double, 2>& x) {
    return fmt::format("static const double {}[2] = {{{:a}, {:a}}};\n", name, x[0], x[1]);
  };
  CFilter out{.state = "  double mean[2], variance; /* of the place */\n",
              .tables = pair("bpo_prior_mean", form.mean) + pair("bpo_low", form.low) +
                        pair("bpo_high", form.high) + number("bpo_prior_variance", form.variance) +
                        number("bpo_longest", form.longest)};
  if (!form.leak) {
    out.tables += number("bpo_light", form.light) + number("bpo_least_sd", form.least_sd);
  }
  if (form.moment) out.code = c_text::kMomentFilter;
  out.code += c_text::kKalmanFilter;
  out.defines = form.leak     ? "#define BPO_POLICY_LEAK\n"
                : form.moment ? "#define BPO_POLICY_MOMENT\n"
                              : "";
  return out;
}

}  // namespace

std::string c_array(const std::string& name, const std::vector<float>& values) {
  return array_text("float", name, values);
}
std::string c_array(const std::string& name, const std::vector<double>& values) {
  return array_text("double", name, values);
}
std::string c_array(const std::string& name, const std::vector<int>& values) {
  return array_text("int", name, values);
}

CFilter c_filter(const TakenApart& policy) {
  CFilter out = std::visit([](const auto& form) { return text_of(form); }, policy.filter);
  if (!policy.filter_inside()) out.tables += c_array("bpo_prior", policy.prior());
  if (!policy.sees_estimate()) return out;
  out.defines += "#define BPO_POLICY_SEES_ESTIMATE\n";
  if (const auto* grid = std::get_if<GridForm>(&policy.filter)) {
    out.tables += c_array("bpo_values", grid->values);
  }
  return out;
}

}  // namespace bpo
