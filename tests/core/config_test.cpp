#include "bpo/core/config.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bpo/core/error.h"
#include "tests/support/options.h"

namespace bpo {
namespace {

TEST(Config, ReadsToml) {
  const Options o = read_toml(
      "[problem]\nrate = 0.25\nbins = 7\nseed = -3\nnoisy = true\nkind = 'maze'\nmass = 2\n");
  EXPECT_EQ(o.rate, 0.25);
  EXPECT_EQ(o.scale, 1.0) << "not mentioned";
  EXPECT_EQ(o.bins, 7);
  EXPECT_EQ(o.seed, -3);
  EXPECT_TRUE(o.noisy);
  EXPECT_EQ(o.kind, "maze");
  EXPECT_EQ(o.mass, 2.0);
}

TEST(Config, ReadsEveryWayToWriteATable) {
  EXPECT_EQ(read_toml("problem.bins = 3").bins, 3);
  EXPECT_EQ(read_toml("problem = {bins = 4}").bins, 4);
  EXPECT_EQ(read_toml("\xEF\xBB\xBF# .......... a.b ....\r\n[problem]\r\nbins = 0x10\r\n").bins,
            16);
  Options deep;
  Config config = Config::from_toml("[algo.net]\nbins = 5", "run.toml");
  config.read("algo.net", deep);
  config.finish();
  EXPECT_EQ(deep.bins, 5);
}

TEST(Config, ReadsAssignments) {
  EXPECT_EQ(read_set("problem.rate=0.75").rate, 0.75);
  EXPECT_EQ(read_set("problem.rate=1").rate, 1.0) << "an integer is a number";
  EXPECT_EQ(read_set("problem.bins=1e3").bins, 1000) << "a whole number is an integer";
  EXPECT_EQ(read_set("problem.bins=1_000").bins, 1000);
  EXPECT_EQ(read_set("problem.seed=-9223372036854775808").seed,
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(read_set("problem.seed=1e18").seed, 1000000000000000000);
  EXPECT_TRUE(read_set("problem.noisy=true").noisy);
  EXPECT_EQ(read_set("problem.kind=maze").kind, "maze");
  EXPECT_EQ(read_set("problem.mass=prior").mass, std::nullopt);
  EXPECT_EQ(read_set("problem.mass=0").mass, 0.0);
}

TEST(Config, NamesKeyOriginAndWhatWouldWork) {
  EXPECT_EQ(refused_set("problem.bins=0"),
            "problem.bins = 0 (--set): must be an integer in [1, 1000000]");
  EXPECT_EQ(refused_set("problem.bin=3"),
            "--set problem.bin=3: unknown key 'problem.bin' (did you mean 'problem.bins'?)");
  EXPECT_EQ(refused_set("bins=3"),
            "--set bins=3: unknown key 'bins' (did you mean 'problem.bins'?)");
  EXPECT_EQ(
      refused_set("problem.kind=tigre"),
      "problem.kind = \"tigre\" (--set): must be one of 'tiger', 'maze' (did you mean 'tiger'?)");
  EXPECT_EQ(refused_set("problem.noisy=1"), "problem.noisy = 1 (--set): must be true or false");
  EXPECT_EQ(refused_set("problem.mass=-1"),
            "problem.mass = -1 (--set): must be a number in [0, 1e+300] or 'prior'");
  EXPECT_EQ(refused_set("problem.seed=1e19"),
            "problem.seed = 1e+19 (--set): must be an integer in [-2^63, 2^63)");
  EXPECT_EQ(refused_toml("[problem]\n\nbins = 0\n"),
            "problem.bins = 0 (run.toml:3:8): must be an integer in [1, 1000000]");
  EXPECT_EQ(refused_toml("[problem]\nscale = nan"),
            "problem.scale = nan (run.toml:2:9): must be a number in (-inf, inf)");
  EXPECT_EQ(refused_toml("rates = 2"), "run.toml:1:9: unknown key 'rates'");
}

TEST(Config, RefusesWrongTypesAndRanges) {
  for (const char* bad :
       {"rate=1.0000001", "rate=-1e-300", "rate=nan",   "rate=inf",       "rate=-inf",
        "rate=0.5x",      "rate=",        "rate=true",  "rate='1'",       "scale=inf",
        "scale=-nan",     "scale=word",   "bins=1.5",   "bins=true",      "bins=1000001",
        "bins=-1",        "bins=nan",     "bins=ten",   "seed=1e19",      "seed=-1e19",
        "seed=0.1",       "noisy=yes",    "noisy=0",    "noisy=True",     "kind=3",
        "kind=true",      "kind=",        "kind=Tiger", "mass=posterior", "mass=inf",
        "mass=false"}) {
    const std::string message = refused_set(std::string("problem.") + bad);
    EXPECT_TRUE(contains(message, " (--set): must be ")) << bad << ": " << message;
  }
  for (const char* bad :
       {"rate = '0.5'", "bins = 1.5", "bins = '3'", "seed = inf", "noisy = 'true'"}) {
    const std::string message = refused_toml(std::string("problem.") + bad);
    EXPECT_TRUE(contains(message, " (run.toml:1:")) << bad << ": " << message;
  }
}

TEST(Config, ComparesIntegersExactly) {
  struct Wide {
    std::int64_t n = 0;
    void visit(OptionVisitor& v) { v.integer("n", n, {0, 0x1p53}, ""); }
  } wide;
  Config config;
  config.set("n=9007199254740992");
  config.read("", wide);
  EXPECT_EQ(wide.n, std::int64_t{1} << 53);
  config.set("n=9007199254740993");
  EXPECT_EQ(refusal([&] { config.read("", wide); }),
            "n = 9007199254740993 (--set): must be an integer in [0, 9007199254740992]");
}

TEST(Config, ChecksTheStructsOwnValues) {
  Options options;
  options.bins = 0;
  Config config;
  EXPECT_EQ(refusal([&] { config.read("problem", options); }),
            "problem.bins = 0 (default): must be an integer in [1, 1000000]");
}

TEST(Config, RefusesMalformedAssignments) {
  EXPECT_EQ(refused_set("problem.bins"), "--set problem.bins: must be key=value");
  EXPECT_EQ(refused_set(""), "--set : must be key=value");
  for (const std::string bad :
       {"=3", ".=3", "problem.=3", ".bins=3", "a..b=3", "a b=3", "a.b.c.d=3", "\"a\"=3", " a=3"}) {
    EXPECT_TRUE(contains(refused_set(bad), ": bad key: a key is one to three names")) << bad;
  }
  EXPECT_TRUE(contains(refused_set(std::string(65, 'k') + "=1"), "at most 64 letters"));
  for (const std::string& bad :
       {std::string("a=\0b", 4), std::string("a\0=b", 4), std::string("a=\xFF"),
        std::string("a=\xC3\xA9"), std::string("a=1\nb=2")}) {
    EXPECT_EQ(refused_set(bad), "--set: only printable ASCII is accepted");
  }
  for (const std::string bad :
       {"9223372036854775808", "-9223372036854775809", "1e999", "-1e999", ".5", "5.", "007", "1__0",
        "2020-01-01", "1e99999999999999999999"}) {
    EXPECT_TRUE(contains(refused_set("problem.scale=" + bad), ": not a number of 64 bits")) << bad;
  }
}

TEST(Config, TheLastAssignmentWins) {
  Config config;
  config.set("problem.bins=3");
  config.set("problem.bins=4");
  EXPECT_EQ(read(config).bins, 4);
}

TEST(Config, SyntaxErrorsCarryThePlace) {
  const std::string message = refused_toml("[problem]\nrate = 0.5\nbins = = 3\n");
  EXPECT_TRUE(message.starts_with("run.toml:3:8: ")) << message;
}

TEST(Config, RefusesWhatIsNoOption) {
  for (const std::string bad : {"a = [1, 2]", "[[a]]\nb = 1", "a = 2020-01-01", "a = 07:30:00"}) {
    EXPECT_TRUE(contains(refused_toml(bad), ": a is an array or a date; must be")) << bad;
  }
  for (const std::string bad :
       {"\"\" = 1", "\"a.b\" = 1", "'a b' = 1", "\"caf\xC3\xA9\" = 1", "[a.b.c]\nd = 1",
        "a.b.c.d = 1", "a = {b = {c = {d = 1}}}", "[a.b.c]"}) {
    EXPECT_TRUE(contains(refused_toml(bad), ": bad key \"")) << bad;
    EXPECT_TRUE(contains(refused_toml(bad), "run.toml:1:")) << refused_toml(bad);
  }
}

TEST(Config, RefusesBrokenText) {
  for (const std::string& bad :
       {std::string("= 1"), std::string(" = "), std::string("[]"), std::string("[problem"),
        std::string("[problem]\nbins = 1\nbins = 2"),
        std::string("problem.bins = 1\n[problem]\nbins = 2"), std::string("[problem]\n[problem]"),
        std::string("a = 9223372036854775808"), std::string("a = 1e999"),
        std::string("a = 1e99999999999999999999"), std::string("a\0 = 1", 6),
        std::string("a = '\0'", 7), std::string("\0", 1), std::string("a = '\xFF'"),
        std::string("a = '\xC3'"), std::string("a = '\xED\xA0\x80'"), std::string("# \x80\n"),
        std::string("\xFF\xFE") + std::string("a\0", 2), std::string("a = \"\\uD800\"")}) {
    const std::string message = refused_toml(bad);
    EXPECT_TRUE(message.starts_with("run.toml:")) << bad << ": " << message;
  }
}

TEST(Config, TakesUnicodeInCommentsOnly) {
  for (int c = 0xA0; c <= 0xFFFF; c += 5) {
    if (c >= 0xD800 && c < 0xE000) continue;  // surrogates are no characters
    std::string utf8;
    if (c >= 0x800) {
      utf8 = {char(0xE0 | c >> 12), char(0x80 | (c >> 6 & 0x3F)), char(0x80 | (c & 0x3F))};
    } else {
      utf8 = {char(0xC0 | c >> 6), char(0x80 | (c & 0x3F))};
    }
    EXPECT_EQ(read_toml("problem.bins = 3  # " + utf8 + "\n").bins, 3) << c;
    refused_toml("problem." + utf8 + " = 3");
    refused_toml("problem.bins = 3" + utf8 + "3");
    refused_toml("problem.kind = 'maze" + utf8 + "'");
  }
}

TEST(Config, RefusesHugeInput) {
  const auto repeated = [](const std::string& part, std::size_t n) {
    std::string out;
    while (n-- > 0) out += part;
    return out;
  };
  EXPECT_EQ(refused_toml(std::string((1 << 20) + 1, '#')), "run.toml: larger than 1 MiB");
  EXPECT_NO_THROW(read_toml(std::string(1 << 20, '#')));
  EXPECT_TRUE(contains(refused_toml("\n[a" + repeated(".a", 400000) + "]"),
                       "run.toml: more than 4096 dots"));
  EXPECT_TRUE(
      contains(refused_toml(repeated("a.", 400000) + "a = 1"), "run.toml: more than 4096 dots"));
  refused_toml("a = " + repeated("[", 1000000));
  refused_toml(repeated("[", 1000000));
  refused_toml("a = " + repeated("{a = ", 200000));
  refused_toml("[a" + repeated(".a", 4096) + "]");
  refused_toml("a = " + repeated("{a" + repeated(".a", 16) + " = [\n", 256));
  refused_toml(repeated("k", 1000000) + " = 1");
  refused_toml("a = " + repeated("9", 1000000));
  refused_set("problem.scale=" + repeated("9", 1000000));
  const std::string message = refused_set("problem.kind=" + repeated("x", 1000000));
  EXPECT_LT(message.size(), 300u);
}

TEST(Config, AMisspeltDefaultIsAnErrorOfTheCode) {
  const auto with_default = [](const std::string& key) {
    Config config;
    config.set_default(key, std::int64_t{3});
    Options options;
    config.read("problem", options);
    config.finish();  // it is nobody's input
    config.finish_defaults();
    return options.bins;
  };
  EXPECT_EQ(with_default("problem.bins"), 3);
  EXPECT_THROW(with_default("problem.bin"), std::logic_error);
}

TEST(Config, ReadsFiles) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("bpo_config_test." + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "run.toml").string();
  std::ofstream(path) << "[problem]\nbins = 3\n";
  EXPECT_EQ(read(Config::from_file(path)).bins, 3);
  std::ofstream(path) << "[problem]\nbins = 0\n";
  EXPECT_TRUE(contains(refusal([&] { read(Config::from_file(path)); }), "(" + path + ":2:8)"));
  std::ofstream(path) << std::string((1 << 20) + 1, '\n');
  EXPECT_EQ(refusal([&] { Config::from_file(path); }),
            path + ": larger than the limit of 1048576 bytes");
  for (const std::string& unreadable : {folder.string(), (folder / "absent.toml").string()}) {
    try {
      Config::from_file(unreadable);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kIo);
      EXPECT_TRUE(std::string(error.what()).starts_with(unreadable + ": cannot ")) << error.what();
    }
  }
  std::filesystem::remove_all(folder);
}

TEST(Config, LayersValues) {
  Config config = Config::from_toml("[problem]\nbins = 2\nseed = 2", "paper.toml");
  config.set_default("problem.bins", std::int64_t{9});
  config.set_default("problem.scale", 8.0);
  config.change_default("problem.scale", 9.0);
  config.change_default("problem.bins", std::int64_t{8});
  EXPECT_TRUE(config.is_default("problem.scale") && config.is_default("problem.rate"));
  EXPECT_FALSE(config.is_default("problem.bins"));
  Config stronger = Config::from_toml("problem.seed = 3", "run.toml");
  stronger.set("problem.rate=0");
  config.merge(stronger);
  const Options o = read(config);
  EXPECT_EQ(o.bins, 2);
  EXPECT_EQ(o.scale, 9.0);
  EXPECT_EQ(o.seed, 3);
  EXPECT_EQ(o.rate, 0.0);
}

TEST(Config, PrintsGroupsWithTheTopLevelFirst) {
  struct Top {
    std::string algo = "bpo";
    void visit(OptionVisitor& v) { v.choice("algo", algo, {"bpo"}, ""); }
  } top;
  struct Small {
    double x = -0.0;
    std::optional<double> y;
    bool z = true;
    void visit(OptionVisitor& v) {
      v.number("x", x, {}, "");
      v.number_or("y", y, "prior", {}, "");
      v.flag("z", z, "");
    }
  } first, second;
  second.x = 1e22;
  second.y = 0.1;
  Config config;
  config.read("problem", first);
  config.read("optimizer", second);
  config.read("", top);
  EXPECT_EQ(config.to_toml(),
            "algo = \"bpo\"\n\n"
            "[problem]\nx = -0.0\ny = \"prior\"\nz = true\n\n"
            "[optimizer]\nx = 1e+22\ny = 0.1\nz = true\n");
  EXPECT_EQ(Config().to_toml(), "");
}

TEST(Config, ReadingAGroupAgainReplacesIt) {
  struct Other {
    std::int64_t depth = 4;
    void visit(OptionVisitor& v) { v.integer("depth", depth, {}, ""); }
  } other;
  Options options;
  Config config;
  config.read("problem", options);
  config.read("problem.inner", other);
  config.read("problem", other);
  EXPECT_EQ(config.to_toml(), "[problem.inner]\ndepth = 4\n\n[problem]\ndepth = 4\n");
}

TEST(Config, ListsRows) {
  const auto rows = Config::rows("problem", Options());
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[0].key, "problem.rate");
  EXPECT_EQ(rows[0].value, "0.5");
  EXPECT_EQ(rows[0].accepts, "a number in [0, 1]");
  EXPECT_EQ(rows[0].help, "a probability");
  EXPECT_EQ(rows[1].accepts, "a number in (-inf, inf)");
  EXPECT_EQ(rows[2].accepts, "an integer in [1, 1000000]");
  EXPECT_EQ(rows[4].accepts, "true or false");
  EXPECT_EQ(rows[5].accepts, "one of 'tiger', 'maze'");
  EXPECT_EQ(rows[6].value, "\"prior\"");
  EXPECT_EQ(rows[6].accepts, "a number in [0, 1e+300] or 'prior'");
  EXPECT_EQ(Config::rows("", Options())[0].key, "rate");
}

}  // namespace
}  // namespace bpo
