// The events file, read back by a reader that shares no code with the writer: its own bitwise CRC
// and its own protobuf walk.
#include "bpo/core/tensorboard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "bpo/core/error.h"
#include "bpo/core/file.h"
#include "tests/support/temporary_directory.h"

namespace bpo {
namespace {

namespace fs = std::filesystem;

std::uint32_t bitwise_crc32c(const std::string& bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const unsigned char byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? (crc >> 1) ^ 0x82f63b78 : crc >> 1;
  }
  return crc ^ 0xffffffff;
}

/// Takes values off the front of a byte string.
struct Reader {
  std::string bytes;
  std::size_t at = 0;

  bool done() const { return at == bytes.size(); }
  std::string take(std::size_t n) {
    if (n > bytes.size() - at) throw std::runtime_error("record cut short");
    at += n;
    return bytes.substr(at - n, n);
  }
  template <typename T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = number<std::uint8_t>();
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
  }
};

/// The fields of a message by number; every one as its raw bytes, varints as 8 bytes.
std::map<int, std::string> fields(const std::string& message) {
  std::map<int, std::string> result;
  for (Reader reader{message}; !reader.done();) {
    const std::uint64_t key = reader.varint();
    std::string value;
    switch (key & 7) {
      case 0: {
        const std::uint64_t number = reader.varint();
        value.assign(reinterpret_cast<const char*>(&number), sizeof number);
        break;
      }
      case 1:
        value = reader.take(8);
        break;
      case 2:
        value = reader.take(reader.varint());
        break;
      case 5:
        value = reader.take(4);
        break;
      default:
        throw std::runtime_error("wire type");
    }
    if (!result.emplace(static_cast<int>(key >> 3), value).second) {
      throw std::runtime_error("repeated field");
    }
  }
  return result;
}

template <typename T>
T as(const std::string& bytes) {
  return Reader{bytes}.number<T>();
}

void expect_masked_crc(Reader& reader, const std::string& of) {
  const std::uint32_t unmasked = reader.number<std::uint32_t>() - 0xa282ead8u;
  EXPECT_EQ((unmasked >> 17) | (unmasked << 15), bitwise_crc32c(of));
}

std::vector<std::map<int, std::string>> events(const std::string& path) {
  std::vector<std::map<int, std::string>> result;
  for (Reader reader{read_file(path, 1 << 30)}; !reader.done();) {
    const std::string length = reader.take(8);
    expect_masked_crc(reader, length);
    const std::string payload = reader.take(as<std::uint64_t>(length));
    expect_masked_crc(reader, payload);
    result.push_back(fields(payload));
  }
  return result;
}

class TensorBoardTest : public test::TemporaryDirectory {
 protected:
  TensorBoardWriter begin(double wall_time, std::int64_t first_step = 0) const {
    const std::string name = fresh_events_name(dir_.string(), wall_time);
    return TensorBoardWriter(AppendFile(path(name)), wall_time, first_step);
  }
  std::string only_file() const {
    const std::vector<fs::path> all = files();
    EXPECT_EQ(all.size(), 1u);
    return all.at(0);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> result;
    for (const auto& entry : fs::directory_iterator(dir_)) result.push_back(entry.path());
    std::sort(result.begin(), result.end());
    return result;
  }
};

TEST(Crc32c, KnownVectors) {  // RFC 3720, B.4
  std::string rising;
  for (int i = 0; i < 32; ++i) rising += static_cast<char>(i);
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(crc32c(rising), 0x46dd794eu);
  EXPECT_EQ(crc32c(std::string(rising.rbegin(), rising.rend())), 0x113fdb5cu);
}

TEST_F(TensorBoardTest, WritesWhatAnIndependentReaderReads) {
  const std::string long_tag(300, 't');
  {
    TensorBoardWriter writer = begin(1700000000.5);
    writer.scalar("return/mean", -1.25, 0, 1700000001.25);
    writer.scalar(long_tag, 0.1, 1'000'000'000'000, 1700000002.0);
  }
  EXPECT_EQ(fs::path(only_file()).filename(), "events.out.tfevents.1700000000.bpo.0");
  const auto read = events(only_file());
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(as<double>(read[0].at(1)), 1700000000.5);
  EXPECT_EQ(read[0].at(3), "brain.Event:2");

  EXPECT_EQ(as<double>(read[1].at(1)), 1700000001.25);
  EXPECT_EQ(as<std::int64_t>(read[1].at(2)), 0);
  const auto first = fields(fields(read[1].at(5)).at(1));
  EXPECT_EQ(first.at(1), "return/mean");
  EXPECT_EQ(as<float>(first.at(2)), -1.25f);

  EXPECT_EQ(as<std::int64_t>(read[2].at(2)), 1'000'000'000'000);
  const auto second = fields(fields(read[2].at(5)).at(1));
  EXPECT_EQ(second.at(1), long_tag);
  EXPECT_EQ(as<float>(second.at(2)), 0.1f);
}

TEST_F(TensorBoardTest, WritesValuesThatAreNotFinite) {
  TensorBoardWriter writer = begin(7);
  writer.scalar("x", std::nan(""), 128, 7);  // the first step of two varint bytes
  writer.scalar("x", -std::numeric_limits<double>::infinity(), -2, 7);
  writer.flush();
  const auto read = events(only_file());
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(as<std::int64_t>(read[1].at(2)), 128);
  EXPECT_TRUE(std::isnan(as<float>(fields(fields(read[1].at(5)).at(1)).at(2))));
  EXPECT_EQ(as<std::int64_t>(read[2].at(2)), -2);
  EXPECT_EQ(as<float>(fields(fields(read[2].at(5)).at(1)).at(2)),
            -std::numeric_limits<float>::infinity());
}

TEST_F(TensorBoardTest, ResumeOpensANewFileAndMarksItsFirstStep) {
  { begin(42.0); }
  { begin(42.9, 10); }
  const std::vector<fs::path> all = files();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].filename(), "events.out.tfevents.0000000042.bpo.0");
  EXPECT_EQ(all[1].filename(), "events.out.tfevents.0000000042.bpo.1");
  EXPECT_EQ(events(all[0]).size(), 1u);
  const auto read = events(all[1]);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(as<std::int64_t>(read[1].at(2)), 10);
  EXPECT_EQ(as<std::int64_t>(fields(read[1].at(7)).at(1)), 1);  // SessionLog.START
}

TEST_F(TensorBoardTest, AClockOfAnotherAgeOnlyMakesAnOddName) {
  EXPECT_EQ(fresh_events_name(dir_.string(), -1e9), "events.out.tfevents.0000000000.bpo.0");
  EXPECT_EQ(fresh_events_name(dir_.string(), std::nan("")), "events.out.tfevents.0000000000.bpo.0");
  EXPECT_EQ(fresh_events_name(dir_.string(), 2e10), "events.out.tfevents.20000000000.bpo.0");
  begin(-1e9).scalar("x", 1.0, 1, -1e9);
  EXPECT_EQ(events(only_file()).size(), 2u);
}

}  // namespace
}  // namespace bpo
