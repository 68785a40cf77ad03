// Every refusal of the API: reached, with all that it carries, and documented.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "re2/re2.h"
#include "tests/refusals/documented.h"
#include "tests/refusals/script.h"
#include "tests/refusals/stage.h"
#include "tests/support/grpc_pin.h"

namespace naval::testing {
namespace {

using ::testing::IsEmpty;

constexpr char kFolder[] = "tests/refusals";
// Reasons that no caller of the API gets to see, one a line, with why.
constexpr char kNotForCallers[] = "tests/refusals/not_for_callers.txt";

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<ScriptStep> Script(const std::string& name) {
  auto script = ParseScript(ReadFile(absl::StrCat(kFolder, "/", name, ".txt")));
  EXPECT_TRUE(script.ok()) << script.status();
  return script.ok() ? *std::move(script) : std::vector<ScriptStep>();
}

const std::vector<std::string>& ScriptNames() {
  static const auto* const kNames = new std::vector<std::string>{"lobby", "match", "ranking"};
  return *kNames;
}

std::string ToString(const Refused& refused) {
  return absl::StrCat(refused.service, ".", refused.method, " ", refused.code, " ", refused.reason);
}

class Refusals : public ::testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() { PinGrpc(); }
};

TEST_P(Refusals, SayWhatIsWrong) {
  Stage stage;
  const std::vector<std::string> problems = stage.Play(Script(GetParam()));
  EXPECT_THAT(problems, IsEmpty()) << "\n" << absl::StrJoin(problems, "\n\n");
}

INSTANTIATE_TEST_SUITE_P(Of, Refusals, ::testing::ValuesIn(ScriptNames()),
                         [](const auto& name) { return name.param; });

std::set<Refused> Reached() {
  std::set<Refused> reached;
  for (const std::string& name : ScriptNames()) {
    for (Refused& refused : RefusalsOf(Script(name))) reached.insert(std::move(refused));
  }
  return reached;
}

TEST(RefusalsAndTheirDocumentation, AreTheSame) {
  const std::vector<Refused> list = DocumentedRefusals();
  const std::set<Refused> documented(list.begin(), list.end());
  const std::set<Refused> reached = Reached();
  for (const Refused& refused : documented) {
    // What any method may give is reached by one of them.
    const bool is_reached = std::any_of(reached.begin(), reached.end(), [&](const Refused& other) {
      return other.service == refused.service && other.code == refused.code &&
             other.reason == refused.reason &&
             (refused.method == "*" || refused.method == other.method);
    });
    EXPECT_TRUE(is_reached) << ToString(refused) << " is documented and reached by no script";
  }
  for (Refused refused : reached) {
    const std::string text = ToString(refused);
    bool is_documented = documented.contains(refused);
    refused.method = "*";
    is_documented = is_documented || documented.contains(refused);
    EXPECT_TRUE(is_documented) << text << " is reached and not documented in proto/";
  }
}

TEST(RefusalsAndTheirDocumentation, ShownElsewhereAreShownThere) {
  for (const std::string& name : ScriptNames()) {
    for (const ScriptStep& step : Script(name)) {
      if (step.line.verb != "elsewhere") continue;
      const std::vector<std::string> words = absl::StrSplit(step.line.rest, ' ');
      ASSERT_EQ(words.size(), 4u) << name << " line " << step.line.number;
      EXPECT_TRUE(
          absl::StrContains(ReadFile(words[3]), absl::StrCat("HasReason(\"", words[2], "\")")))
          << words[3] << " does not show " << words[2];
    }
  }
}

bool IsProductCode(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return (path.extension() == ".cc" || path.extension() == ".h") &&
         !absl::EndsWith(name, "_test.cc") && !absl::StartsWith(name, "test_") &&
         !absl::StartsWith(name, "fake_");
}

// A reason that the code can give and that stands nowhere else has been forgotten.
TEST(RefusalsAndTheirDocumentation, HoldEveryReasonOfTheCode) {
  std::set<std::string> known;
  for (const Refused& refused : DocumentedRefusals()) known.insert(refused.reason);
  std::istringstream not_for_callers(ReadFile(kNotForCallers));
  for (std::string line; std::getline(not_for_callers, line);) {
    known.insert(line.substr(0, line.find(' ')));
  }
  const RE2 reason(R"re("([A-Z]+(?:_[A-Z]+)+)")re");
  for (const char* folder : {"lib", "services"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (!IsProductCode(entry.path())) continue;
      const std::string code = ReadFile(entry.path());
      re2::StringPiece rest(code);
      for (std::string found; RE2::FindAndConsume(&rest, reason, &found);) {
        EXPECT_TRUE(known.contains(found))
            << entry.path() << ": " << found << " is documented nowhere in proto/, nor in "
            << kNotForCallers;
      }
    }
  }
}

}  // namespace
}  // namespace naval::testing
