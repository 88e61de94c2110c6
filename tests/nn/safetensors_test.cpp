// Round trips, the exact bytes of the format, and a parser that refuses what is wrong: every
// malformed header here must be an Error that names the file and the reason.
#include "bpo/nn/safetensors.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "bpo/core/error.h"
#include "bpo/core/file.h"

namespace bpo {
namespace {

std::string with_length(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + header + data;
}

std::string refusal(const std::string& bytes) {
  try {
    TensorFile::parse(bytes, "policy.safetensors");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadInput);
    EXPECT_EQ(std::string(error.what()).find("policy.safetensors: "), 0u) << error.what();
    return error.what();
  }
  return "";
}

template <typename Call>
std::string message(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TensorFile example() {
  TensorFile file;
  file.metadata = {{"commit", "abc"}, {"note", "tab\t and \xc3\xa9"}};
  file.tensors["w"] = Tensor::of<float>(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  file.tensors["b"] = Tensor::of<double>(std::vector<double>{0.5, -0.0});
  file.tensors["count"] = Tensor::of<std::int64_t>(std::vector<std::int64_t>{-7}, {});
  file.tensors["key"] = Tensor::of<std::uint64_t>(std::vector<std::uint64_t>{~0ull});
  file.tensors["bytes"] = Tensor::of<std::uint8_t>(std::vector<std::uint8_t>{1, 2, 255});
  file.tensors["empty"] = Tensor::of<float>(std::vector<float>{}, {0, 4});
  return file;
}

TEST(Safetensors, RoundTripsEveryType) {
  const TensorFile file = TensorFile::parse(example().serialize(), "x");
  EXPECT_EQ(file, example());
  EXPECT_EQ(file.get<float>("w", {2, 3})[5], 6.0f);
  EXPECT_TRUE(std::signbit(file.get<double>("b")[1]));
  EXPECT_EQ(file.get<std::int64_t>("count", {})[0], -7);
  EXPECT_EQ(file.get<std::uint64_t>("key")[0], ~0ull);
  EXPECT_EQ(file.get<std::uint8_t>("bytes")[2], 255);
  EXPECT_TRUE(file.get<float>("empty", {0, 4}).empty());
  EXPECT_EQ(file.metadata_at("commit"), "abc");
}

TEST(Safetensors, WritesTheseBytes) {
  TensorFile file;
  file.tensors["b"] = Tensor::of<std::uint8_t>(std::vector<std::uint8_t>{'B'});
  file.tensors["a"] = Tensor::of<std::uint8_t>(std::vector<std::uint8_t>{'A', 'a'});
  const std::string header = R"({"a":{"data_offsets":[0,2],"dtype":"U8","shape":[2]},)"
                             R"("b":{"data_offsets":[2,3],"dtype":"U8","shape":[1]}}       )";
  ASSERT_EQ(header.size() % 8, 0u);
  EXPECT_EQ(file.serialize(), with_length(header, "AaB"));
  EXPECT_EQ(TensorFile().serialize(), with_length("{}      ", ""));
}

TEST(Safetensors, ReadsWhatOthersWrite) {
  // No padding, other order of keys and data, names that need escapes.
  const std::string header =
      R"({"z\n\u00e9":{"shape":[],"dtype":"U8","data_offsets":[0,1]},)"
      R"("__metadata__":{"format":"pt"},"a":{"dtype":"U8","shape":[1,2],"data_offsets":[1,3]}})";
  const TensorFile file = TensorFile::parse(with_length(header, "zAa"), "x");
  EXPECT_EQ(file.get<std::uint8_t>("z\n\xc3\xa9", {})[0], 'z');
  EXPECT_EQ(file.get<std::uint8_t>("a", {1, 2})[1], 'a');
  EXPECT_EQ(file.metadata_at("format"), "pt");
}

struct BadHeader {
  const char* header;
  const char* data;
  const char* reason;
};

TEST(Safetensors, RefusesBadHeaders) {
  const std::vector<BadHeader> cases = {
      {"", "", "not a JSON object"},
      {"[]", "", "not a JSON object"},
      {"\xef\xbb\xbf{}", "", "not a JSON object"},
      {"{", "", "not valid JSON"},
      {"{} {}", "", "not valid JSON"},
      {"{}x", "", "not valid JSON"},
      {R"({"a":})", "", "not valid JSON"},
      {"{\"\xff\":{}}", "", "not valid JSON"},
      {R"({"a":1e999})", "", "not valid JSON"},
      {R"({"a":null})", "", "is null, not an object"},
      {R"({"a":[]})", "", "is an array, not an object"},
      {R"({"a":{}})", "", "needs dtype, shape and data_offsets"},
      {R"({"a":{"dtype":"U8","shape":[1]}})", "x", "needs dtype, shape and data_offsets"},
      {R"({"a":{"dtype":{"a":{}}}})", "", "unexpected an object"},
      {R"({"a":{"dtype":["U8"]}})", "", "unexpected an array"},
      {R"({"a":{"shape":[[1]]}})", "", "unexpected an array"},
      {R"({"a":{"shape":3}})", "", "unexpected a number"},
      {R"({"a":{"shape":[true]}})", "", "unexpected a boolean"},
      {R"({"a":{"shape":["1"]}})", "", "unexpected a string"},
      {R"({"a":{"shape":[-1]}})", "", "unexpected a negative number"},
      {R"({"a":{"shape":[1.0]}})", "", "no 64-bit integer"},
      {R"({"a":{"shape":[1e2]}})", "", "no 64-bit integer"},
      {R"({"a":{"shape":[9223372036854775808]}})", "", "out of range"},
      {R"({"a":{"shape":[18446744073709551616]}})", "", "no 64-bit integer"},
      {R"({"a":{"data_offsets":[0]}})", "", "needs two numbers"},
      {R"({"a":{"data_offsets":[0,1,2]}})", "", "needs two numbers"},
      {R"({"a":{"extra":1}})", "", "unknown key"},
      {R"({"a":{"dtype":"U8","dtype":"U8"}})", "", "duplicate key \"dtype\""},
      {R"({"__metadata__":{"a":1}})", "", "unexpected a number"},
      {R"({"__metadata__":{"a":{}}})", "", "unexpected an object"},
      {R"({"__metadata__":[]})", "", "is an array, not an object"},
      {R"({"__metadata__":{"a":"","a":""}})", "", "duplicate key \"a\""},
      {R"({"__metadata__":{},"__metadata__":{}})", "", "duplicate name"},
      {R"({"a":{"dtype":"U8","shape":[],"data_offsets":[0,1]},"a":{}})", "x", "duplicate name"},
      {R"({"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}})", "xx", "unknown dtype \"F16\""},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "xxxx", "needs 8 bytes, not 4"},
      {R"({"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", "",
       "out of range"},
      {R"({"a":{"dtype":"F64","shape":[2305843009213693952],"data_offsets":[0,0]}})", "",
       "out of range"},
      {R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", "x", "outside the 1 bytes"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}})", "x", "outside"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", "xx", "a hole at byte 0"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "xx", "1 bytes after"},
      {R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
       R"("b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
       "xxx", "an overlap at byte 2"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
       R"("b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
       "x", "an overlap"},
      {"{}", "x", "1 bytes after the last tensor"},
  };
  for (const BadHeader& bad : cases) {
    const std::string what = refusal(with_length(bad.header, bad.data));
    EXPECT_TRUE(contains(what, bad.reason)) << bad.header << " -> " << what;
  }
}

TEST(Safetensors, RefusesBadLengths) {
  EXPECT_TRUE(contains(refusal(""), "too short"));
  EXPECT_TRUE(contains(refusal("1234567"), "too short"));
  EXPECT_TRUE(contains(refusal(std::string("\3\0\0\0\0\0\0\0{}", 10)), "longer than the file"));
  EXPECT_TRUE(contains(refusal(std::string(8, '\xff') + "{}"), "longer than 100 MB"));
  EXPECT_TRUE(contains(refusal(with_length(std::string("{}\0{", 4), "")), "NUL"));
}

TEST(Safetensors, RefusesDeepNestingAndLongListsAtOnce) {
  const std::size_t depth = 5'000'000;
  EXPECT_TRUE(contains(refusal(with_length("{\"a\":" + std::string(depth, '['), "")), "an array"));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_TRUE(contains(refusal(with_length(objects, "")), "unknown key"));
  std::string zeros = "0";
  for (int i = 0; i < 100'000; ++i) zeros += ",0";
  EXPECT_TRUE(contains(refusal(with_length("{\"a\":{\"shape\":[" + zeros, "")), "too long"));
}

TEST(Safetensors, MessagesStayShortAndPrintable) {
  const std::string name = "\\u001b[31m" + std::string(1'000'000, 'x');
  const std::string what = refusal(with_length("{\"" + name + "\":1}", ""));
  EXPECT_LT(what.size(), 200u);
  EXPECT_FALSE(contains(what, "\x1b"));
}

TEST(Safetensors, NamesTheFileAndTheTensor) {
  const TensorFile file = TensorFile::parse(example().serialize(), "run/policy.safetensors");
  EXPECT_EQ(message([&] { file.at("u"); }), "run/policy.safetensors: \"u\": no such tensor");
  EXPECT_EQ(message([&] { file.get<double>("w"); }),
            "run/policy.safetensors: \"w\": is \"F32\", not F64");
  EXPECT_EQ(message([&] {
              file.get<float>("w", {3, 2});
            }),
            "run/policy.safetensors: \"w\": has shape [2,3], not [3,2]");
  EXPECT_TRUE(contains(message([&] { file.metadata_at("seed"); }), "\"seed\": no such metadata"));
  EXPECT_TRUE(contains(message([&] { file.at("w").as<std::uint8_t>(); }), "not U8"));
}

TEST(Safetensors, RefusesToWriteWhatItCouldNotRead) {
  const std::vector<float> values(6);
  EXPECT_TRUE(contains(message([&] { Tensor::of<float>(values, {7}); }), "needs 28 bytes, not 24"));
  EXPECT_TRUE(contains(message([&] { Tensor::of<float>(values, {-2, -3}); }), "out of range"));
  const auto writing = [](const std::string& name, Tensor tensor) {
    TensorFile file;
    file.tensors[name] = std::move(tensor);
    return message([&] { file.serialize(); });
  };
  const Tensor good = Tensor::of<float>(values);
  EXPECT_EQ(writing("a", good), "");
  EXPECT_TRUE(contains(writing("__metadata__", good), "reserved"));
  EXPECT_TRUE(contains(writing("\xff", good), "not UTF-8"));
  EXPECT_TRUE(contains(writing("a", {"F16", {1}, std::vector<std::byte>(2)}), "unknown dtype"));
}

TEST(Safetensors, SavesAndLoads) {
  std::string dir = (std::filesystem::temp_directory_path() / "bpo_tensors_XXXXXX").string();
  ASSERT_NE(::mkdtemp(dir.data()), nullptr);
  const std::string path = dir + "/policy.safetensors";
  example().save(path);
  EXPECT_EQ(TensorFile::load(path), example());
  write_file_atomic(path, "junk");
  EXPECT_EQ(message([&] { TensorFile::load(path); }), path + ": too short for a safetensors file");
  std::filesystem::remove_all(dir);
}

void parses_or_refuses(const std::string& bytes) {
  try {
    const TensorFile file = TensorFile::parse(bytes, "x");
    EXPECT_EQ(TensorFile::parse(file.serialize(), "x"), file);
  } catch (const Error&) {
  }
}

TEST(Safetensors, EveryTruncationIsRefused) {
  const std::string bytes = example().serialize();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(refusal(bytes.substr(0, size)), "") << size;
  }
}

TEST(Safetensors, EveryByteFlipParsesOrIsRefused) {
  const std::string bytes = example().serialize();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int mask : {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff}) {
      std::string flipped = bytes;
      flipped[at] = static_cast<char>(flipped[at] ^ mask);
      parses_or_refuses(flipped);
    }
  }
}

Tensor arbitrary_tensor() {
  const auto rank = *rc::gen::inRange(0, 4);
  TensorShape shape;
  std::int64_t count = 1;
  for (int i = 0; i < rank; ++i) {
    shape.push_back(*rc::gen::inRange<std::int64_t>(0, 5));
    count *= shape.back();
  }
  const auto [dtype, size] =
      *rc::gen::element(std::pair{"F32", 4}, std::pair{"F64", 8}, std::pair{"I64", 8},
                        std::pair{"U64", 8}, std::pair{"U8", 1});
  const auto raw = *rc::gen::container<std::vector<std::uint8_t>>(
      static_cast<std::size_t>(count * size), rc::gen::arbitrary<std::uint8_t>());
  const auto bytes = std::as_bytes(std::span(raw));
  return {dtype, shape, {bytes.begin(), bytes.end()}};
}

RC_GTEST_PROP(SafetensorsProperty, ParseInvertsSerialize, ()) {
  const auto text = rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127));
  TensorFile file;
  file.metadata = *rc::gen::container<std::map<std::string, std::string>>(text, text);
  for (const std::string& name : *rc::gen::container<std::vector<std::string>>(text)) {
    file.tensors[name] = arbitrary_tensor();
  }
  const std::string bytes = file.serialize();
  RC_ASSERT(TensorFile::parse(bytes, "x") == file);
  RC_ASSERT(TensorFile::parse(bytes, "x").serialize() == bytes);
}

RC_GTEST_PROP(SafetensorsProperty, AnyBytesParseOrAreRefused, (const std::string& junk)) {
  parses_or_refuses(junk);
  parses_or_refuses(with_length("{" + junk + "}", junk));
}

}  // namespace
}  // namespace bpo
