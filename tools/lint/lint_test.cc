// The lints have teeth: each real table is tried on small samples that break it, and on ones that
// keep it.

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/lint/banned_words.h"
#include "tools/lint/include_table.h"
#include "tools/lint/layout.h"
#include "tools/lint/rule_coverage.h"
#include "tools/lint/source_file.h"

namespace naval::lint {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

std::string ReadFromRoot(const std::string& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in.good()) << path << ": run this test in the root of the repository";
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> Texts(const std::vector<Finding>& findings) {
  std::vector<std::string> texts;
  for (const Finding& finding : findings) texts.push_back(ToText(finding));
  return texts;
}

BannedWords RealWords() {
  absl::StatusOr<BannedWords> words =
      BannedWords::Parse(ReadFromRoot("tools/lint/banned_words.txt"));
  EXPECT_TRUE(words.ok()) << words.status();
  return *words;
}

std::vector<std::string> WordsIn(const std::string& path, const std::string& text) {
  return Texts(RealWords().Check({.path = path, .text = text}));
}

TEST(BannedWords, NameTheLineTheWordAndTheRemedy) {
  EXPECT_THAT(WordsIn("lib/wire/game.cc", "int a;\nvoid F(std::string_view s);\n"),
              ElementsAre("lib/wire/game.cc:2: found 'std::string_view': use absl::string_view; "
                          "Debian's Abseil does not convert between the two"));
}

TEST(BannedWords, AreFoundInCode) {
  const std::vector<std::string> samples = {
      "std::optional<absl::optional<int>> x;",
      "absl::Mutex mutex;",
      "std::unique_lock<std::mutex> lock;",
      "std::thread thread_;",
      "std::future<int> answer;",
      "using namespace std;",
      "int* p = NULL;",
      "#ifndef NAVAL_LIB_RULES_SEA_H_",
      "auto now = std::chrono::system_clock::now();",
      "absl::Time now = absl::Now();",
      "int r = rand();",
      "std::random_device device;",
      "std::this_thread::sleep_for(wait);",
      "absl::SleepFor(absl::Seconds(1));",
      "throw 1;",
      "} catch (...) {",
      "std::abort();",
      "std::cout << 1;",
      "printf(format);",
      "GTEST_SKIP();",
      "TEST(Sea, DISABLED_Works) {}",
      "EXPECT_TRUE(true);",
      "// TODO: more",
      "x();  // NOLINT",
      "\tint tab;",
      "int trailing; ",
      std::string(101, 'x'),
  };
  for (const std::string& sample : samples) {
    EXPECT_THAT(WordsIn("services/match/live_match.cc", sample + "\n"), SizeIs(1)) << sample;
  }
}

TEST(BannedWords, AreFoundInSqlBuiltFromPieces) {
  for (const std::string sample : {
           R"(tx.exec("SELECT fleet FROM match WHERE id = " + id);)",
           R"(tx.exec(absl::StrCat("UPDATE match SET seq = ", seq));)",
           R"(sql << "delete from table where id = " << id;)",
       }) {
    EXPECT_THAT(WordsIn("services/match/pg_store.cc", sample), Not(IsEmpty())) << sample;
  }
  EXPECT_THAT(WordsIn("services/match/pg_store.cc",
                      R"(constexpr char kRead[] = "SELECT fleet FROM match WHERE id = $1";)"),
              IsEmpty());
}

TEST(BannedWords, KeepPureFoldersPure) {
  EXPECT_THAT(WordsIn("lib/rules/game.cc", "#include <chrono>\n#include <fstream>\n"), SizeIs(2));
  EXPECT_THAT(WordsIn("lib/server/run.cc", "#include <chrono>\n"), IsEmpty());
}

TEST(BannedWords, MayStandInCommentsAndLiterals) {
  EXPECT_THAT(WordsIn("lib/wire/game.cc",
                      "// never std::string_view\n"
                      "/* throw\n   catch */\n"
                      "const char* kWord = \"throw \\\" catch\"; char c = '\"'; int m = 1'000;\n"
                      "const char* kRaw = R\"x(\nthrow \" catch\n)x\";\n"),
              IsEmpty());
  EXPECT_THAT(WordsIn("lib/wire/game.cc", "char c = '\"'; throw c;\n"), SizeIs(1));
}

TEST(BannedWords, KnowTheOnePlaceWhereAWordBelongs) {
  EXPECT_THAT(WordsIn("lib/base/clock.cc", "return absl::Now();\n"), IsEmpty());
  EXPECT_THAT(WordsIn("lib/base/mutex.h", "std::mutex mutex_;\n"), IsEmpty());
  EXPECT_THAT(WordsIn("lib/base/thread.h", "std::thread thread_;\n"), IsEmpty());
  EXPECT_THAT(WordsIn("lib/base/clock_test.cc", "std::thread notifier;\n"), IsEmpty());
  EXPECT_THAT(WordsIn("lib/postgres/pool.cc", "} catch (const pqxx::sql_error& e) {\n"), IsEmpty());
}

TEST(BannedWords, RefuseATableTheyCannotRead) {
  EXPECT_THAT(BannedWords::Parse("forbid (\n").status().message(),
              HasSubstr("line 1: bad pattern"));
  EXPECT_THAT(BannedWords::Parse("instead x\n").status().message(), HasSubstr("line 1"));
  EXPECT_THAT(BannedWords::Parse("forbid x\nwhree text\n").status().message(), HasSubstr("line 2"));
}

std::vector<std::string> IncludesIn(const std::string& path, const std::string& target) {
  const absl::StatusOr<IncludeTable> table =
      IncludeTable::Parse(ReadFromRoot("tools/lint/includes.txt"));
  EXPECT_TRUE(table.ok()) << table.status();
  const absl::flat_hash_set<std::string> paths = {
      "lib/base/clock.h", "lib/rules/game.h",        "lib/server/run.h",
      "lib/bots/as.h",    "services/lobby/tables.h", "services/match/journal.h",
      "lib/wire/game.h",  "tests/support/sandbox.h",
  };
  return Texts(
      table->Check({.path = path, .text = absl::StrCat("#include ", target, "\n")}, paths));
}

TEST(IncludeTable, LetsEachFolderIncludeWhatItStandsOn) {
  EXPECT_THAT(IncludesIn("lib/rules/game.cc", "\"lib/base/clock.h\""), IsEmpty());
  EXPECT_THAT(IncludesIn("lib/rules/game.cc", "\"lib/rules/game.h\""), IsEmpty());
  EXPECT_THAT(IncludesIn("lib/rules/game.cc", "<vector>"), IsEmpty());
  EXPECT_THAT(IncludesIn("lib/rules/game_test.cc", "\"gtest/gtest.h\""), IsEmpty());
  EXPECT_THAT(
      IncludesIn("services/match/match_service.cc", "\"naval/match/v1/match_service.grpc.pb.h\""),
      IsEmpty());
}

TEST(IncludeTable, StopsWhatGoesUpOrAcross) {
  const std::vector<std::pair<std::string, std::string>> samples = {
      {"lib/base/clock.cc", "\"lib/rules/game.h\""},
      {"lib/rules/game.cc", "\"lib/bots/as.h\""},
      {"lib/rules/game.cc", "\"naval/game/v1/game.pb.h\""},
      {"lib/rules/game.cc", "\"gtest/gtest.h\""},
      {"lib/wire/game.cc", "<grpcpp/grpcpp.h>"},
      {"lib/wire/game.cc", "\"naval/match/v1/match_service.grpc.pb.h\""},
      {"lib/server/run.cc", "\"services/match/journal.h\""},
      {"services/match/journal.cc", "\"services/lobby/tables.h\""},
      {"services/match/journal.cc", "\"tests/support/sandbox.h\""},
  };
  for (const auto& [path, target] : samples) {
    EXPECT_THAT(IncludesIn(path, target),
                ElementsAre(AllOf(HasSubstr(path + ":1: found an include of"),
                                  HasSubstr("may include only itself and"))))
        << path << " " << target;
  }
}

TEST(IncludeTable, KnowsEveryFolderAndEveryFile) {
  EXPECT_THAT(IncludesIn("lib/rules/game.cc", "\"game.h\""),
              ElementsAre(HasSubstr("name the file by its path from the root")));
  EXPECT_THAT(IncludesIn("lib/sonar/ping.cc", "<vector>"),
              ElementsAre(HasSubstr("unknown to the layers")));
}

TEST(Layout, AsksForAShortReadmeInEachFolder) {
  std::string long_text;
  for (int i = 0; i < 21; ++i) absl::StrAppend(&long_text, "line\n");
  EXPECT_THAT(Texts(CheckLayout({{"lib/base/clock.h", "#pragma once\n"},
                                 {"lib/rules/README.md", long_text},
                                 {"lib/wire/README.md", "short\n"},
                                 {"lib/CMakeLists.txt", ""}})),
              UnorderedElementsAre(HasSubstr("lib/base:0: found no README.md"),
                                   HasSubstr("lib/rules/README.md:21: found 21 lines")));
}

TEST(Layout, AsksForAGuardInEachHeader) {
  EXPECT_THAT(Texts(CheckLayout({{"lib/base/README.md", ""}, {"lib/base/ids.h", "int x;\n"}})),
              ElementsAre(HasSubstr("lib/base/ids.h:1: found a header without guard")));
}

TEST(RuleCoverage, IsSilentWhenEachDueRuleHasATest) {
  EXPECT_THAT(Texts(CheckRuleCoverage(
                  {{"tests/rules/rules.md", "| T-01 | a |\n| T-02 | b |\n| C-01 | c |\n"},
                   {"tests/rules/not_due.txt", "C-01 salvo\n"},
                   {"tests/rules/tablu.txt", "# T-01 the first shot\n"},
                   {"lib/rules/game_test.cc", "// rule: T-02\nTEST() {}\n"}})),
              IsEmpty());
}

TEST(RuleCoverage, FindsRulesWithoutTestAndTestsWithoutRule) {
  EXPECT_THAT(
      Texts(CheckRuleCoverage({{"tests/rules/rules.md", "| T-01 | a |\n| T-02 | b |\n"},
                               {"tests/rules/not_due.txt", "T-02\nX-01\n"},
                               {"lib/rules/game_test.cc", "// rule: T-02, T-09\n"}})),
      UnorderedElementsAre(
          HasSubstr("tests/rules/rules.md:1: found rule T-01 without a test"),
          HasSubstr("lib/rules/game_test.cc:1: found rule T-09 that rules.md does not know"),
          HasSubstr("tests/rules/not_due.txt:1: found rule T-02 that has a test"),
          HasSubstr("tests/rules/not_due.txt:2: found rule X-01 that rules.md does not know")));
}

TEST(RuleCoverage, KnowsRulesOfWhichAPartIsNotDue) {
  const auto texts = [](const std::string& test) {
    return Texts(CheckRuleCoverage({{"tests/rules/rules.md", "| T-08 | a |\n"},
                                    {"tests/rules/not_due.txt", "T-08 in part: rematches\n"},
                                    {"lib/rules/game_test.cc", test}}));
  };
  EXPECT_THAT(texts("// rule: T-08\nTEST() {}\n"), IsEmpty());
  EXPECT_THAT(texts("TEST() {}\n"),
              ElementsAre(HasSubstr("tests/rules/rules.md:1: found rule T-08 without a test")));
}

TEST(RuleCoverage, FindsMarksThatWouldNotCount) {
  EXPECT_THAT(
      Texts(CheckRuleCoverage({{"tests/rules/rules.md", "| T-01 | a |\n"},
                               {"lib/rules/game_test.cc",
                                "// rule: T-01\n"
                                "// What it shows. rule: T-01\n"
                                "  Fire();  // rules: T-01\n"
                                "  Say(\"// see rule: T-01\");\n"}})),
      ElementsAre(HasSubstr("game_test.cc:2: found rule T-01 marked within another comment"),
                  HasSubstr("game_test.cc:3: found rule T-01 marked within another comment")));
}

TEST(RuleCoverage, IsNotContentWithNoRules) {
  EXPECT_THAT(Texts(CheckRuleCoverage({})), ElementsAre(HasSubstr("found no rule")));
}

}  // namespace
}  // namespace naval::lint
