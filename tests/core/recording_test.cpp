// Recordings: what is read is what was written, and what is wrong is named with its place.
#include "bpo/core/recording.h"

#include <gtest/gtest.h>

#include "bpo/core/error.h"

namespace bpo {
namespace {

RecordingFormat format() {
  RecordingFormat out;
  out.seconds = 0.02;
  out.controls = {{"control:push", -2.0, 4.0}};
  out.observation = {{.column = "rail"},
                     {.column = "rail velocity"},
                     {.control = 0, .steps_before = 1},
                     {.control = 0, .steps_before = 2},
                     {.same_as = 1},
                     {.column = "felt", .needed = false}};
  return out;
}

const std::string kGood =
    "# of a cart\n"
    "time, control:push, rail, rail velocity, extra\n"
    "5.00,4,0.25,1,x\n"
    "5.02,-2,0.5,2,y\r\n"
    "\n"
    "5.04,1,0.75,3,z\n";

TEST(Recordings, AreReadByTheirColumns) {
  const Recording r = read_recording(kGood, "log.csv", format());
  EXPECT_EQ(r.actions, (std::vector<std::vector<double>>{{1.0}, {-1.0}, {0.0}}));
  EXPECT_EQ(r.observations,
            (std::vector<std::vector<double>>{
                {0.25, 1, 0, 0, 1, 0}, {0.5, 2, 4, 0, 2, 0}, {0.75, 3, -2, 4, 3, 0}}));
  EXPECT_EQ(r.unused, std::vector<std::string>{"extra"});
}

TEST(Recordings, SurviveBeingWritten) {
  const Recording r = read_recording(kGood, "log.csv", format());
  const Recording again = read_recording(recording_text(r, format()), "again.csv", format());
  EXPECT_EQ(again.actions, r.actions);
  EXPECT_EQ(again.observations, r.observations);
}

struct Wrong {
  const char *from, *to, *expected;
};
const std::vector<Wrong> kWrong{
    {"control:push", "control:psh", "log.csv:2:1: there is no column 'control:push' (did you mean"},
    {"rail velocity", "velocity", "log.csv:2:1: there is no column 'rail velocity'"},
    {"time,", "t,", "there is no column 'time'"},
    {"extra", "rail", "log.csv:2:42: two columns are called 'rail'"},
    {"extra", "", "log.csv:2:42: a column has no name"},
    {"0.5,2,y", "0.5,2", "log.csv:4:1: this row has 4 fields, and the first line names 5"},
    {"0.5,2,y", "0.5,2,y,", "log.csv:4:1: this row has 6 fields"},
    {"0.5,2,y", "nan,2,y", "log.csv:4:9: rail is 'nan'; it must be a finite number"},
    {"0.5,2,y", "inf,2,y", "rail is 'inf'"},
    {"0.5,2,y", "0.5, two,y", "log.csv:4:14: rail velocity is 'two'"},
    {"0.5,2,y", ",2,y", "log.csv:4:9: rail is ''"},
    {"0.5,2,y", "0.5x,2,y", "rail is '0.5x'"},
    {"5.02,", "5.00,", "log.csv:4:1: time goes from 5 to 5; it must ascend"},
    {"5.02,", "4,", "time goes from 5 to 4"},
    {"5.02,", "5.03,",
     "log.csv:4:1: 0.03 s after the row before; a control step of this robot is 0.02 s"},
    {"5.02,-2", "5.02,-2.5", "log.csv:4:6: control:push is -2.5; it is sent controls in [-2, 4]"},
};

TEST(Recordings, WhatIsWrongIsNamedWithItsPlace) {
  for (const Wrong& wrong : kWrong) {
    std::string text = kGood;
    text.replace(text.find(wrong.from), std::string(wrong.from).size(), wrong.to);
    try {
      read_recording(text, "log.csv", format());
      ADD_FAILURE() << "accepted: " << wrong.to;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(wrong.expected), std::string::npos)
          << error.what() << "\nexpected: " << wrong.expected;
    }
  }
  for (const std::string text :
       {"", "# nothing\n", "time,control:push,rail,rail velocity\n0,0,0,0\n"}) {
    EXPECT_THROW(read_recording(text, "log.csv", format()), Error) << text;
  }
}

}  // namespace
}  // namespace bpo
