// Tables for people and programs: whatever a name holds, it stays in its cell.
#include "bpo/report/table.h"

#include <gtest/gtest.h>

namespace bpo::report {
namespace {

const Rows kRows{{"run", "mean"}, {"a_b|c, \"d\" 5%", "1 +- 2"}};

TEST(Table, AlignsColumns) {
  EXPECT_EQ(aligned({{"a", "10"}, {"long", "9"}}, {1}), "a     10\nlong   9\n");
}

TEST(Table, Csv) {
  EXPECT_EQ(csv(kRows), "run,mean\n\"a_b|c, \"\"d\"\" 5%\",1 +- 2\n");
  EXPECT_EQ(csv({{"two\nlines", ""}}), "\"two\nlines\",\n");
}

TEST(Table, Markdown) {
  EXPECT_EQ(markdown(kRows, {1}), "| run | mean |\n|---|---:|\n| a\\_b\\|c, \"d\" 5% | 1 +- 2 |\n");
  EXPECT_EQ(markdown({{"a\nb"}}), "| a b |\n|---|\n") << "a row is a line";
}

TEST(Table, Latex) {
  EXPECT_EQ(latex(kRows, {1}),
            "\\begin{tabular}{lr} \\toprule\nrun & mean \\\\ \\midrule\n"
            "a\\_b|c, \"d\" 5\\% & 1 $\\pm$ 2 \\\\\n\\bottomrule\n\\end{tabular}\n");
  EXPECT_NE(latex({{"\\x{~^$&#"}}).find("\\textbackslash{}x\\{\\~{}\\^{}\\$\\&\\#"),
            std::string::npos);
}

}  // namespace
}  // namespace bpo::report
