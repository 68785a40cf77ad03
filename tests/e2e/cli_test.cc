// naval-cli against the real services: by commands, as a script calls it, and on a terminal.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <termios.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/util/json_util.h"
#include "lib/base/random.h"
#include "naval/lobby/v1/account_service.pb.h"
#include "naval/lobby/v1/lobby_service.pb.h"
#include "naval/match/v1/match_service.pb.h"
#include "naval/ranking/v1/ranking_service.pb.h"
#include "tests/support/cluster.h"
#include "tests/support/free_port.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/subprocess.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wait_for.h"
#include "tools/client/hunter.h"
#include "tools/client/match_state.h"

namespace naval::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using Words = std::vector<std::string>;

struct Ran {
  int code;
  std::string output;
};

// What a whole-screen program shows: the last picture that came whole, from a jump to the top left
// corner to the clearing of what is below.
std::string ScreenOf(const std::string& output) {
  const std::size_t end = output.rfind("\x1b[J");
  if (end == std::string::npos) return output;
  const std::size_t begin = output.rfind("\x1b[H", end);
  return absl::StrReplaceAll(output.substr(begin, end - begin),
                             {{"\x1b[H", ""}, {"\x1b[K", ""}, {"\r\n", "\n"}});
}

class CliTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { PinGrpc(); }

  // The words of a call by `who`, each of whom has a state file.
  Words Call(const std::string& who, const Words& words) const {
    Words call = {BinaryNamed("naval-cli"),
                  absl::StrCat("--lobby=", cluster_.Address(Service::kLobby)),
                  absl::StrCat("--match=", cluster_.Address(Service::kMatch)),
                  absl::StrCat("--ranking=", cluster_.Address(Service::kRanking)),
                  absl::StrCat("--state=", folder_.path(), "/", who, ".json")};
    call.insert(call.end(), words.begin(), words.end());
    return call;
  }

  Ran Run(const std::string& who, const Words& words) const {
    Subprocess cli(Call(who, words));
    const int code = cli.Wait(absl::Minutes(1));
    return {code, cli.Output()};
  }

  // Runs a command that must succeed, and gives its answer.
  template <typename Response>
  Response Ask(const std::string& who, Words words) const {
    words.push_back("--json");
    const Ran ran = Run(who, words);
    EXPECT_EQ(ran.code, 0) << absl::StrJoin(words, " ") << "\n" << ran.output;
    Response response;
    EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(ran.output, &response).ok())
        << absl::StrJoin(words, " ") << "\n"
        << ran.output;
    return response;
  }

  std::string PasswordFile() const {
    const std::string path = absl::StrCat(folder_.path(), "/password");
    std::ofstream(path) << "tres barcos de papel azul\nno part of it\n";
    return absl::StrCat("--password-file=", path);
  }

  void ExpectEnd(Subprocess& cli, int code) const {
    EXPECT_EQ(cli.Wait(absl::Minutes(1)), code) << cli.Output();
  }

  // Waits until the screen holds `text`, or holds it no more.
  static ::testing::AssertionResult Shows(Subprocess& cli, const std::string& text,
                                          bool shown = true) {
    if (WaitFor([&] { return absl::StrContains(ScreenOf(cli.Output()), text) == shown; })) {
      return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure()
           << "'" << text << "' is " << (shown ? "not" : "still") << " on the screen:\n"
           << ScreenOf(cli.Output());
  }

  Cluster cluster_;
  TemporaryFolder folder_;
};

TEST_F(CliTest, PlaysAWholeMatchByCommands) {
  const auto guest = Ask<lobby::v1::Account>("ana", {"guest"});
  EXPECT_TRUE(guest.guest());
  const auto created =
      Ask<lobby::v1::CreateTableResponse>("ana", {"create", "--bot", "jota", "--untimed"});
  EXPECT_EQ(created.table().state(), lobby::v1::TABLE_STATE_PLAYING);
  Ask<match::v1::ProposeFleetResponse>("ana", {"propose", "portaaviones=A1-A5"});
  const auto placed = Ask<match::v1::PlaceFleetResponse>("ana", {"place", "portaaviones=A2v"});
  EXPECT_EQ(placed.events().size(), 1);
  Ask<match::v1::ProposeFleetResponse>("ana", {"propose", "portaaviones=J6-J10"});
  Ask<match::v1::ConfirmFleetResponse>("ana", {"confirm"});

  base::SecureRandom random;
  match::v1::Match match;
  do {
    match = Ask<match::v1::GetMatchResponse>("ana", {"wait", "--limit=60"}).match();
    // A hit earns another shot: the answers tell what came of each.
    while (match.turn() == match.viewer_seat() && match.phase() == match::v1::PHASE_BATTLE) {
      const auto fired = Ask<match::v1::FireShotsResponse>(
          "ana", {"fire", client::ChooseShots(match, random).at(0)});
      ASSERT_FALSE(fired.events().empty());
      for (const match::v1::MatchEvent& event : fired.events()) {
        ASSERT_TRUE(client::ApplyEvent(event, match).ok()) << event.DebugString();
      }
    }
  } while (match.phase() != match::v1::PHASE_OVER && !HasFailure());
  EXPECT_EQ(match.result().reason(), match::v1::END_REASON_FLEET_DESTROYED);
  EXPECT_EQ(client::SideOf(match, match.viewer_seat()).fleet(0).bow(), "J6");

  const Ran shown = Run("ana", {"show"});
  EXPECT_THAT(shown.output, AllOf(HasSubstr("whole fleet is sunk"), HasSubstr("jota's sea"),
                                  Not(HasSubstr("\x1b"))));
  const Ran watched = Run("ana", {"watch", "--json"});
  EXPECT_EQ(watched.code, 0);
  EXPECT_THAT(watched.output, HasSubstr("{\"snapshot\":{"));
}

TEST_F(CliTest, BringsTwoAccountsTogetherAndShowsTheirRatings) {
  // A guest becomes an account and stays the same.
  const auto guest = Ask<lobby::v1::Account>("ana", {"guest"});
  const auto ana = Ask<lobby::v1::Account>("ana", {"register", "cli-ana", PasswordFile()});
  EXPECT_EQ(ana.account_id(), guest.account_id());
  EXPECT_FALSE(ana.guest());
  Ask<lobby::v1::Account>("bruno", {"register", "cli-bruno", PasswordFile()});
  struct stat info = {};
  ASSERT_EQ(stat(absl::StrCat(folder_.path(), "/ana.json").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);

  const auto created =
      Ask<lobby::v1::CreateTableResponse>("ana", {"create", "--private", "--rated"});
  Subprocess watching(Call("ana", {"wait", "--json"}));
  const auto joined = Ask<lobby::v1::JoinTableResponse>("bruno", {"join", created.join_code()});
  ExpectEnd(watching, 0);
  EXPECT_THAT(watching.Output(), HasSubstr(joined.table().match_id()));
  Subprocess events(Call("bruno", {"watch", "--json"}));
  EXPECT_THAT(events.WaitForLine("snapshot"), HasSubstr("PHASE_PLACEMENT"));
  // As a log that outlives its terminal.
  Words call = Call("bruno", {"watch"});
  call.insert(call.begin(), "/usr/bin/nohup");
  Subprocess log(call);
  EXPECT_THAT(log.WaitForLine("your sea"), HasSubstr("cli-ana's sea"));
  log.Signal(SIGHUP);
  for (const std::string who : {"ana", "bruno"}) {
    Ask<match::v1::ProposeFleetResponse>(who, {"propose"});
    EXPECT_THAT(Run(who, {"confirm"}).output, HasSubstr("you confirm your fleet"));
  }
  Ask<match::v1::ResignResponse>("bruno", {"resign"});
  ExpectEnd(events, 0);
  EXPECT_THAT(events.Output(), AllOf(HasSubstr("{\"event\":{"), HasSubstr("battleStarted"),
                                     HasSubstr("END_REASON_RESIGNED")));
  ExpectEnd(log, 0);
  EXPECT_THAT(log.Output(), HasSubstr("cli-ana wins: you resign"));

  EXPECT_TRUE(WaitFor([&] { return Run("ana", {"rating"}).code == 0; }, absl::Minutes(1)));
  const auto leaderboard =
      Ask<ranking::v1::ListLeaderboardResponse>("bruno", {"leaderboard", "--page-size=1"});
  ASSERT_EQ(leaderboard.ratings().size(), 1);
  EXPECT_EQ(leaderboard.ratings(0).handle(), "cli-ana");
  EXPECT_NE(leaderboard.next_page_token(), "");

  const auto open = Ask<lobby::v1::CreateTableResponse>("ana", {"create", "--public"});
  EXPECT_THAT(Run("bruno", {"tables"}).output,
              HasSubstr(absl::StrCat(open.table().table_id(), "  tablu public rated open")));
  Ask<lobby::v1::LeaveTableResponse>("ana", {"leave"});
  EXPECT_EQ(Run("ana", {"logout"}).code, 0);
  EXPECT_EQ(Run("ana", {"tables"}).code, 4);
  EXPECT_EQ(Ask<lobby::v1::Account>("ana", {"login", "cli-ana", PasswordFile()}).account_id(),
            guest.account_id());
}

TEST_F(CliTest, SaysByItsExitCodeWhoseFaultItIs) {
  EXPECT_EQ(Run("ana", {"guest"}).code, 0);
  EXPECT_THAT(Run("ana", {"rules"}).output, HasSubstr("portaaviones"));
  EXPECT_EQ(Run("ana", {"create", "--bot", "jota", "--untimed"}).code, 0);
  std::ofstream(absl::StrCat(folder_.path(), "/broken.json")) << "no state";
  std::filesystem::permissions(absl::StrCat(folder_.path(), "/broken.json"),
                               std::filesystem::perms(0600));
  const std::string nobody = absl::StrCat("--match=127.0.0.1:", FreePort());
  const std::string ranking = absl::StrCat("--match=", cluster_.Address(Service::kRanking));
  const struct {
    std::string who;
    Words words;
    int code;
    std::string said;
  } cases[] = {
      {"ana", {"fire", "A1"}, 1, "BATTLE_NOT_STARTED"},
      {"ana", {"create", "--private"}, 1, "register HANDLE' turns the guest"},
      {"ana", {"confirm"}, 1, "ILLEGAL_FLEET"},
      {"ana", {"show", ranking}, 1, "address of another service?"},
      {"ana", {"fire", "K1"}, 2, "K1"},
      {"ana", {"place", "nave=A1-A5"}, 2, "its ships are portaaviones"},
      {"ana", {"place", "lancha=A1h", "LANCHA=B1h"}, 2, "lancha is named twice"},
      {"ana",
       {"propose", "portaaviones=A1-A5", "acorazado=A1-A4"},
       1,
       "'naval-cli place' of these ships tells which rule they break"},
      {"ana", {"claim"}, 1, "no clock runs in this match"},
      {"ana", {"create", "--bot", "jota", "--volley"}, 1, "tablu offers --one-shot-per-turn"},
      {"ana", {"create", "--bot", "jota", "--rule-set=none"}, 1, "the rule sets are tablu"},
      {"ana", {"play", "--bot", "as", "--untimed"}, 2, "against jota (tablu untimed) is going on"},
      {"ana", {"play", "--bot", "jota"}, 2, "against jota (tablu untimed) is going on"},
      {"ana", {"guest"}, 2, ", a guest, is logged in: 'naval-cli logout' first"},
      {"ana", {"play", "--json"}, 2, "play is for people"},
      {"ana", {"register", "cli-carla"}, 2, "--password-file"},
      {"ana", {"show", "--timeout=1", nobody}, 3, "NO_ANSWER"},
      {"ana",
       {"wait", "--limit=1", "--match-id=01a229d7-1ac3-7b1e-bc1b-fe2d4e014b57"},
       1,
       "MATCH_NOT_FOUND"},
      {"ana", {"watch", "--match-id=none"}, 1, "INVALID_MATCH_ID"},
      {"nobody", {"show"}, 4, "NOT_LOGGED_IN"},
      {"nobody", {"login", "cli-nobody", PasswordFile()}, 1, "WRONG_CREDENTIALS"},
      {"broken", {"show"}, 5, "broken.json"},
  };
  for (const auto& [who, words, code, said] : cases) {
    const Ran ran = Run(who, words);
    EXPECT_EQ(ran.code, code) << absl::StrJoin(words, " ") << "\n" << ran.output;
    EXPECT_THAT(ran.output, AllOf(HasSubstr(said), Not(HasSubstr("trying again"))))
        << absl::StrJoin(words, " ");
  }
  const Ran json = Run("ana", {"fire", "A1", "--json"});
  EXPECT_EQ(json.code, 1);
  EXPECT_THAT(json.output, AllOf(HasSubstr(R"({"error":{"code":"FAILED_PRECONDITION")"),
                                 HasSubstr(R"("reason":"BATTLE_NOT_STARTED")")));
}

TEST_F(CliTest, GoesFromNothingToAMatchOnATerminalAndComesBack) {
  Words call = Call("ana", {"play", "--bot", "jota", "--untimed"});
  call.insert(call.begin(), {"/usr/bin/env", "-u", "NO_COLOR", "TERM=xterm"});
  Subprocess play(call, Subprocess::Terminal());
  const termios before = play.TerminalSettings();
  ASSERT_TRUE(Shows(play, "confirm this fleet"));
  EXPECT_EQ(play.TerminalSettings().c_lflag & (ECHO | ICANON), 0u);
  play.Type("frob\r");
  ASSERT_TRUE(Shows(play, "'frob' is no square"));
  play.Type("confirn\x7fm\r");
  ASSERT_TRUE(Shows(play, "your shot"));
  cluster_.Kill(Service::kMatch);
  ASSERT_TRUE(Shows(play, "no news from the match service"));
  cluster_.Start(Service::kMatch);
  ASSERT_TRUE(Shows(play, "no news", false));
  cluster_.Signal(Service::kMatch, SIGSTOP);
  play.Type("a1\r");
  ASSERT_TRUE(Shows(play, "has not answered yet"));
  cluster_.Signal(Service::kMatch, SIGCONT);
  ASSERT_TRUE(Shows(play, "has not answered yet", false));
  // In the sea on the right: the bot's answers may push it out of the news before it is seen there.
  EXPECT_TRUE(WaitFor([&] {
    for (const absl::string_view line : absl::StrSplit(ScreenOf(play.Output()), '\n')) {
      if (absl::StartsWith(line, " 1") && line.size() > 33 && line.substr(30, 3) == " 1(") {
        return true;
      }
    }
    return false;
  })) << ScreenOf(play.Output());
  play.Resize({.rows = 14, .columns = 40});
  ASSERT_TRUE(Shows(play, "S ship", false));
  EXPECT_THAT(ScreenOf(play.Output()), AllOf(HasSubstr("your sea"), HasSubstr("\n10 ")));
  for (const absl::string_view line : absl::StrSplit(ScreenOf(play.Output()), '\n')) {
    EXPECT_LT(line.size(), 40u) << line;
  }
  // Ctrl-C: the match goes on.
  play.Type("\x03");
  ExpectEnd(play, 130);
  EXPECT_THAT(play.Output(), HasSubstr("come back with: naval-cli play"));
  EXPECT_EQ(play.TerminalSettings().c_lflag, before.c_lflag);

  Words again = Call("ana", {"play"});
  again.insert(again.begin(), {"/usr/bin/env", "NO_COLOR=1", "TERM=xterm"});
  Subprocess resumed(again, Subprocess::Terminal());
  EXPECT_THAT(resumed.WaitForLine("jota's sea"), HasSubstr("your sea"));
  resumed.Type("resign\n");
  ExpectEnd(resumed, 0);
  EXPECT_THAT(resumed.Output(), AllOf(HasSubstr("jota wins: you resign"), Not(HasSubstr("\x1b"))));
}

TEST_F(CliTest, ListsWhatGoesOnAndForgetsWhatIsOver) {
  const Words create = {"create", "--bot", "jota", "--untimed"};
  Ask<lobby::v1::Account>("ana", {"guest"});
  const std::string first = Ask<lobby::v1::CreateTableResponse>("ana", create).table().match_id();
  const std::string line = first + "  tablu untimed against jota: place your fleet";
  EXPECT_THAT(Run("ana", create).output,
              AllOf(HasSubstr("still going on:\n" + line), HasSubstr("play --match-id ID")));
  EXPECT_EQ(Ask<lobby::v1::ListTablesResponse>("ana", {"matches"}).tables().size(), 2);

  const Ran resigned = Run("ana", {"resign", "--match-id", first});
  const Words parts = absl::StrSplit(resigned.output, "jota wins: you resign");
  EXPECT_EQ(parts.size(), 2u) << "the end is told once:\n" << resigned.output;
  EXPECT_THAT(Run("ana", {"matches"}).output,
              AllOf(HasSubstr("against jota"), Not(HasSubstr(first))));
  Ran last;
  for (int i = 0; i < 6; ++i) last = Run("ana", create);
  EXPECT_EQ(last.code, 1);
  EXPECT_THAT(last.output, AllOf(HasSubstr("TOO_MANY_TABLES"), HasSubstr("'naval-cli matches'")));
}

TEST_F(CliTest, SaysThatTheMatchGoesOnWhereThereIsNothingToRead) {
  Words call = Call("ana", {"play", "--bot", "jota", "--untimed"});
  call.insert(call.begin(), {"/bin/sh", "-c", "exec \"$@\" </dev/null", "sh"});
  Subprocess play(call);
  ExpectEnd(play, 0);
  EXPECT_THAT(play.Output(), AllOf(HasSubstr("your sea"), HasSubstr("the match goes on; come back "
                                                                    "with: naval-cli play")));
}

TEST_F(CliTest, RefusesToConfirmAFleetThatLosesTheMatchUnlessItIsMeant) {
  Ask<lobby::v1::Account>("ana", {"guest"});
  Ask<lobby::v1::CreateTableResponse>(
      "ana", {"create", "--bot", "jota", "--untimed", "--rule-set=clasica"});
  const match::v1::Match match = Ask<match::v1::GetMatchResponse>("ana", {"show"}).match();
  EXPECT_THAT(Run("ana", {"place", match.rule_set().ships(0).id() + "=A1h"}).output,
              AllOf(HasSubstr("missing: "), HasSubstr("confirming this fleet loses the match")));
  const Ran refused = Run("ana", {"confirm"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.output, AllOf(HasSubstr("ILLEGAL_FLEET"), HasSubstr("missing: "),
                                    HasSubstr("confirm it with --illegal")));
  Words call = Call("ana", {"play"});
  call.insert(call.begin(), {"/bin/sh", "-c", "echo confirm | exec \"$@\"", "sh"});
  Subprocess play(call);
  ExpectEnd(play, 0);
  EXPECT_THAT(play.Output(), AllOf(HasSubstr("ILLEGAL_FLEET"), HasSubstr("the match goes on")));
  EXPECT_THAT(Run("ana", {"confirm", "--illegal"}).output,
              HasSubstr("jota wins: your fleet was illegal\nmissing: "));
}

TEST_F(CliTest, AsksForThePasswordWithoutShowingIt) {
  const auto type = [&](const Words& words, const Words& lines) {
    Subprocess cli(Call("ana", words), Subprocess::Terminal());
    const Words prompts = {"Password: ", "The same again: "};
    for (std::size_t i = 0; i < lines.size(); ++i) {
      EXPECT_TRUE(WaitFor([&] { return absl::EndsWith(cli.Output(), prompts[i]); }))
          << cli.Output();
      EXPECT_EQ(cli.TerminalSettings().c_lflag & ECHO, 0u);
      cli.Type(absl::StrCat(lines[i], "\n"));
    }
    const int code = cli.Wait();
    EXPECT_NE(cli.TerminalSettings().c_lflag & ECHO, 0u);
    for (const std::string& line : lines) EXPECT_THAT(cli.Output(), Not(HasSubstr(line)));
    return code;
  };
  const std::string password = "otro barco de papel";
  EXPECT_EQ(type({"register", "cli-dora"}, {password, "otro barco de cristal"}), 2);
  EXPECT_EQ(type({"register", "cli-dora"}, {password, password}), 0);
  EXPECT_EQ(Run("ana", {"logout"}).code, 0);
  EXPECT_EQ(type({"login", "cli-dora"}, {password}), 0);
  EXPECT_THAT(Run("ana", {"whoami"}).output, HasSubstr("cli-dora"));
}

}  // namespace
}  // namespace naval::testing
