#include "tests/rules/transcript.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "lib/rules/rule_sets.h"

namespace naval::rules {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The rules that each transcript carries stand at the heads of its blocks.
TEST(Transcripts, AllTurnOutAsWritten) {
  std::set<std::string> played;
  for (const auto& entry : std::filesystem::directory_iterator("tests/rules")) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() != ".txt" || path.filename() == "not_due.txt") continue;
    if (path.filename() == "CMakeLists.txt") continue;
    for (const std::string& failure : PlayTranscript(path.string(), ReadFile(path))) {
      ADD_FAILURE() << failure;
    }
    played.insert(path.stem());
  }
  for (const Preset& preset : AllRuleSets()) EXPECT_THAT(played, Contains(preset.rules.id));
}

constexpr absl::string_view kFleet =
    "fleet rows = portaaviones A1 right, acorazado A3 right, fragata A5 right,\n"
    "  submarino A7 right, lancha A9 right\n";

TEST(PlayTranscript, IsSilentAboutWhatTurnsOutAsWritten) {
  EXPECT_THAT(PlayTranscript("a.txt", std::string(kFleet) +
                                          "# T-10 water\n"
                                          "battle tablu first rows rows -> due first until 25s\n"
                                          "fire first J10 -> first fires J10: water; *\n"),
              IsEmpty());
}

TEST(PlayTranscript, NamesTheLineThatTurnsOutOtherwise) {
  EXPECT_THAT(
      PlayTranscript("a.txt", std::string(kFleet) + "battle tablu first rows rows -> *\n"
                                                    "\n"
                                                    "fire first J10 -> first fires J10: hit; *\n"
                                                    "fire first J9 -> *: water*\n"),
      ElementsAre("a.txt:5: expected \"first fires J10: hit; *\", but it was \"first fires "
                  "J10: water; due second until 25s\"",
                  "a.txt:6: expected \"*: water*\", but it was \"refused NOT_YOUR_TURN\""));
}

TEST(PlayTranscript, NamesTheLineThatItCannotRead) {
  const std::string text = std::string(kFleet) +
                           "fire first J10 -> nothing\n"
                           "match chess first -> *\n"
                           "match tablu third -> *\n"
                           "match tablu first blitz -> *\n"
                           "match tablu first -> *\n"
                           "match tablu first\n"
                           "fire first\n"
                           "dance first -> nothing\n"
                           "confirm first columns -> *\n"
                           "see first hope -> *\n"
                           "see first ring of third -> *\n"
                           "wait long -> *\n"
                           "fleet bad = lancha K1 right\n";
  EXPECT_THAT(
      PlayTranscript("a.txt", text),
      ElementsAre(HasSubstr("a.txt:3: begin a match first"), HasSubstr("a.txt:4: no such rule set"),
                  HasSubstr("a.txt:5: not a seat"), HasSubstr("a.txt:6: not an option"),
                  HasSubstr("a.txt:8: the line has no outcome"),
                  HasSubstr("a.txt:9: the line has no outcome"),
                  HasSubstr("a.txt:10: not a command"), HasSubstr("a.txt:11: not a fleet"),
                  HasSubstr("a.txt:12: nothing is called"), HasSubstr("a.txt:13: not a seat"),
                  HasSubstr("a.txt:14: not a duration"), HasSubstr("a.txt:15: no such square")));
}

TEST(PlayTranscript, ForgetsTheMatchAtTheNextHead) {
  EXPECT_THAT(
      PlayTranscript("a.txt", "# T-03\nmatch tablu first -> *\n# T-04\nresign first -> *\n"),
      ElementsAre("a.txt:4: begin a match first"));
}

TEST(PlayTranscript, LetsNoRefusalPassAsAnything) {
  EXPECT_THAT(PlayTranscript("a.txt", "match tablu first -> *\nfire first A1 -> *\n"),
              ElementsAre(HasSubstr("a.txt:2: expected \"*\", but it was \"refused")));
}

TEST(PlayTranscript, NamesTheRuleThatHasNoCommand) {
  EXPECT_THAT(
      PlayTranscript("a.txt", "# T-03 a\n# T-04 b\n# goes on\nmatch tablu first -> *\n# T-05\n"),
      ElementsAre("a.txt:1: the rule has no command below it",
                  "a.txt:5: the rule has no command below it"));
}

}  // namespace
}  // namespace naval::rules
