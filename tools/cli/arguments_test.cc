#include "tools/cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_join.h"
#include "tests/support/proto_matchers.h"

namespace naval::cli {
namespace {

using naval::testing::EqualsProto;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// What naval-cli makes of these words.
struct Parsed {
  std::optional<int> code;
  std::string output;
  std::string errors;
  Arguments arguments;
};

Parsed Parse(std::vector<const char*> words) {
  words.insert(words.begin(), "naval-cli");
  Parsed parsed;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  parsed.code = ParseArguments(static_cast<int>(words.size()), words.data(), parsed.arguments);
  parsed.output = ::testing::internal::GetCapturedStdout();
  parsed.errors = ::testing::internal::GetCapturedStderr();
  return parsed;
}

// The command of words that make one.
template <typename C>
C CommandOf(const std::vector<const char*>& words) {
  const Parsed parsed = Parse(words);
  EXPECT_FALSE(parsed.code.has_value()) << parsed.errors;
  const C* const command = std::get_if<C>(&parsed.arguments.command);
  EXPECT_NE(command, nullptr) << absl::StrJoin(words, " ");
  return command != nullptr ? *command : C();
}

TEST(Arguments, ReadTheAddressesFromOptionsThenFromTheEnvironment) {
  setenv("NAVAL_MATCH", "from-the-environment:2", 1);
  setenv("NAVAL_RANKING", "from-the-environment:3", 1);
  const Parsed parsed = Parse({"--ranking", "option:3", "whoami", "--json", "--state=here"});
  unsetenv("NAVAL_MATCH");
  unsetenv("NAVAL_RANKING");
  ASSERT_FALSE(parsed.code.has_value()) << parsed.errors;
  EXPECT_EQ(parsed.arguments.addresses.lobby, "127.0.0.1:7101");
  EXPECT_EQ(parsed.arguments.addresses.match, "from-the-environment:2");
  EXPECT_EQ(parsed.arguments.addresses.ranking, "option:3");
  EXPECT_EQ(parsed.arguments.timeout, absl::Seconds(10));
  EXPECT_EQ(parsed.arguments.state_file, "here");
  EXPECT_TRUE(parsed.arguments.json);
  EXPECT_TRUE(std::holds_alternative<WhoAmICommand>(parsed.arguments.command));
}

TEST(Arguments, MakeTheRequestOfATable) {
  EXPECT_THAT(CommandOf<CreateCommand>({"create", "--bot", "jota", "--untimed"}).request,
              EqualsProto(R"pb(rules { rule_set: "tablu" untimed: true }
                               kind: TABLE_KIND_BOT
                               bot: "jota")pb"));
  EXPECT_THAT(CommandOf<CreateCommand>({"create", "--private", "--rated"}).request,
              EqualsProto(R"pb(rules { rule_set: "tablu" }
                               kind: TABLE_KIND_PRIVATE
                               rated: true)pb"));
  EXPECT_THAT(
      CommandOf<CreateCommand>({"create", "--public", "--rule-set=other", "--one-shot-per-turn"})
          .request,
      EqualsProto(R"pb(rules { rule_set: "other" one_shot_per_turn: true }
                       kind: TABLE_KIND_PUBLIC
                       rated: true)pb"));
  EXPECT_THAT(*CommandOf<PlayCommand>({"play", "--bot=jota"}).table,
              EqualsProto(R"pb(rules { rule_set: "tablu" }
                               kind: TABLE_KIND_BOT
                               bot: "jota")pb"));
  EXPECT_FALSE(CommandOf<PlayCommand>({"play"}).table.has_value());
  EXPECT_THAT(CommandOf<CreateCommand>({"create", "--private", "--rule-set=salvo", "--fleet-b",
                                        "--volley", "--pace", "slow"})
                  .request.rules(),
              EqualsProto(R"pb(rule_set: "salvo" fleet_b: true volley: true pace: PACE_SLOW)pb"));
}

TEST(Arguments, TellAnIdFromACode) {
  EXPECT_THAT(CommandOf<JoinCommand>({"join", "01a229d7-1ac3-7b1e-bc1b-fe2d4e014b57"}).request,
              EqualsProto(R"pb(table_id: "01a229d7-1ac3-7b1e-bc1b-fe2d4e014b57")pb"));
  EXPECT_THAT(CommandOf<JoinCommand>({"join", "ab-cdefghijklmnopqrstu"}).request,
              EqualsProto(R"pb(join_code: "ab-cdefghijklmnopqrstu")pb"));
}

TEST(Arguments, FillEachOtherCommand) {
  EXPECT_EQ(CommandOf<RegisterCommand>({"register", "ana", "--password-file=-"}).password_file,
            "-");
  EXPECT_EQ(CommandOf<LogInCommand>({"login", "ana"}).handle, "ana");
  EXPECT_TRUE(CommandOf<LogOutCommand>({"logout", "--forget"}).forget);
  EXPECT_THAT(CommandOf<TablesCommand>({"tables", "--page-size=7", "--page-token=t"}).request,
              EqualsProto(R"pb(page_size: 7 page_token: "t")pb"));
  EXPECT_EQ(CommandOf<LeaveCommand>({"leave", "table"}).table_id, "table");
  EXPECT_EQ(CommandOf<ShowCommand>({"show", "--match-id", "m"}).match_id, "m");
  EXPECT_EQ(CommandOf<WaitCommand>({"wait", "--limit", "5"}).limit, absl::Seconds(5));
  EXPECT_EQ(CommandOf<WaitCommand>({"wait"}).limit, absl::InfiniteDuration());
  EXPECT_THAT(CommandOf<PlaceCommand>({"place", "lancha=A1h", "fragata=C1-C3"}).ships,
              ElementsAre("lancha=A1h", "fragata=C1-C3"));
  EXPECT_FALSE(CommandOf<ConfirmCommand>({"confirm"}).illegal);
  EXPECT_TRUE(CommandOf<ConfirmCommand>({"confirm", "--illegal"}).illegal);
  EXPECT_TRUE(std::holds_alternative<MatchesCommand>(Parse({"matches"}).arguments.command));
  EXPECT_THAT(CommandOf<FireCommand>({"fire", "C7"}).squares, ElementsAre("C7"));
  EXPECT_THAT(CommandOf<FireCommand>({"fire", "C7", "D8"}).squares, ElementsAre("C7", "D8"));
  EXPECT_EQ(CommandOf<ClaimCommand>({"claim", "--match-id", "m"}).match_id, "m");
  EXPECT_THAT(CommandOf<LeaderboardCommand>({"leaderboard"}).request,
              EqualsProto(R"pb(rule_set: "tablu")pb"));
  EXPECT_THAT(CommandOf<RatingCommand>({"rating", "somebody", "--rule-set", "other"}).request,
              EqualsProto(R"pb(rule_set: "other" account_id: "somebody")pb"));
}

TEST(Arguments, SayWhatIsWrongAndEndWithTwo) {
  const struct {
    std::vector<const char*> words;
    std::string said;
  } cases[] = {
      {{}, "A command is required"},
      {{"frob"}, "not expected: frob"},
      {{"fire"}, "squares is required; see 'naval-cli fire --help'\n"},
      {{"fire", "C7", "--frob"}, "--frob"},
      {{"create"}, "Exactly 1 option from [--public,--private,--bot]"},
      {{"create", "--public", "--private"}, "Exactly 1 option"},
      {{"play", "--untimed"}, "--untimed requires --bot"},
      {{"create", "--public", "--pace", "fast"}, "--pace"},
      {{"tables", "--page-size", "many"}, "--page-size"},
      {{"--timeout", "0", "whoami"}, "--timeout"},
      {{"whoami", "guest"}, "guest"},
  };
  for (const auto& [words, said] : cases) {
    const Parsed parsed = Parse(words);
    EXPECT_EQ(parsed.code, 2) << absl::StrJoin(words, " ");
    EXPECT_THAT(parsed.errors, AllOf(HasSubstr("naval-cli: "), HasSubstr(said)));
    EXPECT_EQ(parsed.output, "");
  }
}

TEST(Arguments, SayWhatIsWrongInJsonWhereItIsAskedFor) {
  for (const auto& words : {std::vector<const char*>{"fire", "--json"}, {"--json", "fire"}}) {
    const Parsed parsed = Parse(words);
    EXPECT_EQ(parsed.code, 2);
    EXPECT_EQ(parsed.errors,
              R"({"error":{"code":"INVALID_ARGUMENT","fields":[],"hint":"",)"
              R"("message":"squares is required; see 'naval-cli fire --help'","metadata":{},)"
              R"("reason":"USAGE"}})"
              "\n");
    EXPECT_EQ(parsed.output, "");
  }
  EXPECT_THAT(Parse({"--json"}).errors, HasSubstr(R"("message":"A command is required)"));
}

TEST(Arguments, ExplainThemselves) {
  const Parsed help = Parse({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.output, AllOf(HasSubstr("leaderboard"), HasSubstr("Exit codes: 0 done")));
  EXPECT_THAT(help.output, HasSubstr("15 characters"));
  EXPECT_THAT(Parse({"place", "--help"}).output, HasSubstr("portaaviones=A1-A5"));
}

}  // namespace
}  // namespace naval::cli
