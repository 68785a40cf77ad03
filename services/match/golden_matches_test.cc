// Whole matches as databases hold them. Whatever changes in the rule sets, the log or the code,
// each is read, and ends as it did when it was played.
//
// A file of testdata/matches is one match. Its lines, besides comments, are
//   created                  the match's own row; its bytes in hexadecimal follow in lines "hex"
//   row SEAT MICROS REQUEST  a row of the log, whose bytes follow; "-" for no seat or request
//   end                      how a spectator sees it at the end, as text in lines "text"
// Rows were bare once; those of the files with "sealed" in their names, and of all that are added,
// are sealed with the key of the tests. Files are added, and their rows never change. To add one,
// name it in kMatches and run this test, in the root of the repository, with
// NAVAL_ADD_GOLDEN_MATCHES=1: it plays and writes what is missing. It also writes an "end" that a
// file lacks: take away those of all files when viewers get to see more of a match, and look at
// what differs.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/message_differencer.h"
#include "lib/base/check.h"
#include "lib/base/random.h"
#include "lib/bots/bot.h"
#include "lib/rules/rule_sets.h"
#include "lib/wire/rules_wire.h"
#include "services/match/recorded_match.h"
#include "services/match/sealed_snapshot.h"
#include "services/match/test_matches.h"
#include "tests/support/status_matchers.h"

namespace naval::match {
namespace {

using rules::EndReason;
using rules::Seat;

struct GoldenMatch {
  const char* name;
  // A GameRules as text.
  const char* rules;
  EndReason end;
  bool against_bot = false;
};

constexpr GoldenMatch kMatches[] = {
    {"tablu", "rule_set: 'tablu'", EndReason::kFleetDestroyed},
    {"tablu_one_shot_per_turn", "rule_set: 'tablu' one_shot_per_turn: true", EndReason::kTimedOut},
    {"tablu_sealed", "rule_set: 'tablu'", EndReason::kResigned},
    {"tablu_untimed", "rule_set: 'tablu' untimed: true", EndReason::kFleetDestroyed, true},
    {"clasica", "rule_set: 'clasica'", EndReason::kTurnSkipped},
    {"clasica_illegal_fleet", "rule_set: 'clasica' pace: PACE_LIVE", EndReason::kIllegalFleet},
    {"clasica_slow", "rule_set: 'clasica' pace: PACE_SLOW", EndReason::kFleetDestroyed},
    {"clasica_correspondence", "rule_set: 'clasica' pace: PACE_CORRESPONDENCE", EndReason::kIdle},
    {"clasica_untimed", "rule_set: 'clasica' untimed: true", EndReason::kResigned, true},
    {"salvo", "rule_set: 'salvo'", EndReason::kFleetDestroyed},
    {"salvo_slow", "rule_set: 'salvo' fleet_b: true pace: PACE_SLOW", EndReason::kResigned},
    {"salvo_volley", "rule_set: 'salvo' volley: true", EndReason::kFleetDestroyed},
    {"salvo_volley_fleet_b", "rule_set: 'salvo' volley: true fleet_b: true",
     EndReason::kBothAbsent},
    {"salvo_volley_correspondence", "rule_set: 'salvo' volley: true pace: PACE_CORRESPONDENCE",
     EndReason::kAbsenceClaimed},
    {"salvo_untimed", "rule_set: 'salvo' untimed: true", EndReason::kResigned, true},
    {"salvo_volley_sealed", "rule_set: 'salvo' volley: true", EndReason::kResigned},
    {"selminha", "rule_set: 'selminha'", EndReason::kFleetDestroyed},
    {"selminha_live", "rule_set: 'selminha' pace: PACE_LIVE", EndReason::kAborted},
    {"selminha_untimed", "rule_set: 'selminha' untimed: true", EndReason::kResigned, true},
};

std::string PathOf(const GoldenMatch& golden) {
  return absl::StrCat("services/match/testdata/matches/", golden.name, ".txt");
}

// Plays a match and keeps what is stored of it.
class Recorder {
 public:
  explicit Recorder(const GoldenMatch& golden) : golden_(golden), match_(NewMatch(golden)) {
    stored_ = {
        .match_id = kTestMatchId, .created = match_.created().SerializeAsString(), .rows = {}};
    Take(match_.Start(now_));
  }

  StoredMatch Play() && {
    Place();
    for (int move = 1; !match_.over(); ++move) {
      if (move == 12 && golden_.end != EndReason::kFleetDestroyed) {
        End();
        break;
      }
      // What happens seldom, and must be stored all the same.
      const bool clock_plays = rules().clock_end == rules::ClockEnd::kServerPlays;
      if (move == 5 && clock_plays && match_.game().NextDeadline().has_value()) LetClockEnd();
      if (move == 9) Do({.command = rules::Resume{absl::Minutes(5)}});
      Move();
    }
    NAVAL_CHECK(match_.game().result()->reason == golden_.end);
    return std::move(stored_);
  }

 private:
  static RecordedMatch NewMatch(const GoldenMatch& golden) {
    log::v1::MatchCreated created = TestMatchCreated(golden.against_bot);
    NAVAL_CHECK(
        google::protobuf::TextFormat::ParseFromString(golden.rules, created.mutable_rules()));
    created.set_spectators_allowed(true);
    auto match = RecordedMatch::New(kTestMatchId, std::move(created));
    NAVAL_CHECK(match.ok());
    return *std::move(match);
  }

  const rules::RuleSet& rules() const { return match_.game().rules(); }

  // Whose turn it is; the first where both are awaited.
  Seat Awaited() const { return match_.game().Awaits(Seat::kFirst) ? Seat::kFirst : Seat::kSecond; }

  void Take(const Entry& entry) {
    stored_.rows.push_back(SealRow(kTestMatchId, rules(), entry, testing::TestSealer(), nonces_));
    match_.Apply(entry);
  }

  void Do(Request request) {
    now_ += absl::Microseconds(1'250'001);
    auto entry = match_.Decide(request, now_, {.secret = random_, .open = random_});
    NAVAL_CHECK(entry.ok());
    if (entry->has_value()) Take(**entry);
  }

  void DoAs(Seat seat, rules::Command command) {
    if (!match_.BotAt(seat).empty()) return Do({.command = std::move(command)});
    const std::string id =
        absl::StrCat("0190c000-0000-7000-8000-", absl::Dec(++requests_, absl::kZeroPad12));
    Do({.command = std::move(command), .seat = seat, .request_id = id, .request_digest = id});
  }

  void LetClockEnd() {
    now_ = *match_.game().NextDeadline();
    Do({.command = rules::Tick{}});
  }

  rules::Fleet AnyFleet() { return *rules::CompleteFleet(rules(), {}, random_); }

  void Place() {
    rules::Fleet draft = AnyFleet();
    draft.resize(2);
    DoAs(Seat::kFirst, rules::PlaceFleet{Seat::kFirst, draft});
    DoAs(Seat::kFirst, rules::ProposeFleet{Seat::kFirst, draft});
    if (golden_.end == EndReason::kIllegalFleet) {
      return DoAs(Seat::kFirst, rules::ConfirmFleet{Seat::kFirst, draft});
    }
    DoAs(Seat::kFirst, rules::ConfirmFleet{Seat::kFirst, match_.game().fleet(Seat::kFirst)});
    if (golden_.end == EndReason::kTimedOut) return LetClockEnd();
    DoAs(Seat::kSecond, rules::ConfirmFleet{Seat::kSecond, AnyFleet()});
  }

  void Move() {
    if (match_.over()) return;
    const Seat seat = Awaited();
    const rules::GameView view = rules::ViewOf(match_.game(), rules::ViewerAt(seat));
    const rules::SquareSet shots = (*bots::MakeBot("as"))->ChooseShots(view, random_);
    DoAs(seat, rules::FireShots{seat, {shots.begin(), shots.end()}, view.round});
  }

  void End() {
    switch (golden_.end) {
      case EndReason::kResigned:
        return DoAs(Seat::kFirst, rules::Resign{Seat::kFirst});
      case EndReason::kAborted:
        return Do({.command = rules::Abort{}});
      case EndReason::kIdle:
        return LetClockEnd();
      case EndReason::kAbsenceClaimed: {
        if (match_.game().Awaits(Seat::kFirst)) Move();
        const Seat absent = Awaited();
        now_ = *match_.game().deadline();
        return DoAs(rules::Rival(absent), rules::ClaimAbsence{rules::Rival(absent)});
      }
      default:
        // Both are late in the same rounds.
        if (rules().turn_order == rules::TurnOrder::kVolley && Awaited() == Seat::kSecond) Move();
        while (!match_.over()) LetClockEnd();
    }
  }

  const GoldenMatch& golden_;
  RecordedMatch match_;
  StoredMatch stored_;
  base::SeededRandom random_{1};
  // Apart, so that how rows are stored does not steer what is played.
  base::SeededRandom nonces_{2};
  absl::Time now_ = absl::FromUnixSeconds(1'800'000'000);
  int requests_ = 0;
};

// Lines of up to 100 columns.
void AppendHex(const std::string& bytes, std::string& out) {
  const std::string hex = absl::BytesToHexString(bytes);
  for (std::size_t i = 0; i < hex.size(); i += 96) {
    absl::StrAppend(&out, "hex ", hex.substr(i, 96), "\n");
  }
}

void AppendText(const google::protobuf::Message& message, std::string& out) {
  std::string text = message.ShortDebugString();
  std::string line = "text";
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    if (line.size() + 1 + word.size() > 100)
      absl::StrAppend(&out, std::exchange(line, "text"), "\n");
    absl::StrAppend(&line, " ", word);
  }
  absl::StrAppend(&out, line, "\n");
}

v1::Match EndOf(const RecordedMatch& match) {
  return match.ViewFor(rules::Viewer::kSpectator, match.last_event_time());
}

void Write(const GoldenMatch& golden) {
  const StoredMatch stored = Recorder(golden).Play();
  std::string text = absl::StrCat("# ", golden.rules, "\n");
  absl::StrAppend(&text, "\ncreated\n");
  AppendHex(stored.created, text);
  for (const LogRow& row : stored.rows) {
    absl::StrAppend(&text, "\nrow ", row.seat.has_value() ? rules::SeatName(*row.seat) : "-", " ",
                    absl::ToUnixMicros(row.event_time), " ",
                    row.request_id.empty() ? "-" : row.request_id, "\n");
    AppendHex(row.body, text);
  }
  std::ofstream(PathOf(golden)) << text << "\n";
}

struct Recorded {
  StoredMatch stored = {.match_id = kTestMatchId, .created = "", .rows = {}};
  v1::Match end;
};

LogRow ReadRow(absl::string_view text, std::size_t seq) {
  const std::vector<std::string> words = absl::StrSplit(text, ' ');
  LogRow row{.seq = static_cast<int64_t>(seq)};
  int64_t micros = 0;
  EXPECT_EQ(words.size(), 3u);
  EXPECT_TRUE(absl::SimpleAtoi(words.at(1), &micros));
  row.event_time = absl::FromUnixMicros(micros);
  if (words[0] != "-") row.seat = words[0] == "first" ? Seat::kFirst : Seat::kSecond;
  if (words.at(2) != "-") row.request_id = row.request_digest = words[2];
  return row;
}

Recorded Read(const GoldenMatch& golden) {
  std::ifstream file(PathOf(golden));
  EXPECT_TRUE(file.is_open()) << "the test must run in the root of the repository";
  Recorded recorded;
  std::string* bytes = &recorded.stored.created;
  std::string end;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || absl::StartsWith(line, "#")) continue;
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(' ', 1));
    if (parts.first == "row") {
      auto& rows = recorded.stored.rows;
      rows.push_back(ReadRow(parts.second, rows.size() + 1));
      bytes = &rows.back().body;
    } else if (parts.first == "hex") {
      *bytes += absl::HexStringToBytes(parts.second);
    } else if (parts.first == "text") {
      absl::StrAppend(&end, parts.second, " ");
    } else {
      EXPECT_TRUE(line == "created" || line == "end") << line;
    }
  }
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(end, &recorded.end));
  return recorded;
}

void WriteEnd(const GoldenMatch& golden, const StoredMatch& stored) {
  std::string text = "end\n";
  AppendText(EndOf(*RecordedMatch::FromStored(stored, testing::TestSealer())), text);
  std::ofstream(PathOf(golden), std::ios::app) << text;
}

std::string DifferenceOfEnds(const v1::Match& recorded, const v1::Match& today) {
  google::protobuf::util::MessageDifferencer differencer;
  std::string differences;
  differencer.ReportDifferencesToString(&differences);
  return differencer.Compare(recorded, today) ? "" : differences;
}

class GoldenMatches : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (std::getenv("NAVAL_ADD_GOLDEN_MATCHES") == nullptr) return;
    for (const GoldenMatch& golden : kMatches) {
      if (!std::ifstream(PathOf(golden)).is_open()) Write(golden);
      const Recorded recorded = Read(golden);
      if (recorded.end.match_id().empty()) WriteEnd(golden, recorded.stored);
    }
  }
};

void ExpectRequests(const RecordedMatch& match, const StoredMatch& stored) {
  for (const LogRow& row : stored.rows) {
    if (!row.seat.has_value()) continue;
    const auto found = match.FindRequest(*row.seat, row.request_id, row.request_digest);
    ASSERT_THAT(found, testing::IsOk());
    EXPECT_EQ(*found, row.seq);
  }
}

TEST_F(GoldenMatches, AreReadAndEndAsTheyDid) {
  for (const GoldenMatch& golden : kMatches) {
    SCOPED_TRACE(golden.name);
    const Recorded recorded = Read(golden);
    NAVAL_ASSERT_OK_AND_ASSIGN(const RecordedMatch match,
                               RecordedMatch::FromStored(recorded.stored, testing::TestSealer()));
    ASSERT_TRUE(match.over());
    EXPECT_EQ(match.game().result()->reason, golden.end);
    EXPECT_EQ(DifferenceOfEnds(recorded.end, EndOf(match)), "");
    // Each request is still answered by the row that it led to.
    ExpectRequests(match, recorded.stored);
  }
}

// From a snapshot after any of its rows; those of every seventh show it.
TEST_F(GoldenMatches, EndAsTheyDidFromTheirSnapshotsToo) {
  const auth::Sealer sealer = testing::TestSealer();
  base::SeededRandom random(1);
  for (const GoldenMatch& golden : kMatches) {
    const Recorded recorded = Read(golden);
    const std::vector<LogRow>& rows = recorded.stored.rows;
    for (std::ptrdiff_t first = 1; first < static_cast<std::ptrdiff_t>(rows.size()); first += 7) {
      SCOPED_TRACE(absl::StrCat(golden.name, " from ", first));
      StoredMatch stored = recorded.stored;
      stored.rows.assign(rows.begin(), rows.begin() + first);
      NAVAL_ASSERT_OK_AND_ASSIGN(const RecordedMatch before,
                                 RecordedMatch::FromStored(stored, sealer));
      stored.snapshot = SealSnapshot(before, sealer, random);
      stored.rows.assign(rows.begin() + first, rows.end());
      NAVAL_ASSERT_OK_AND_ASSIGN(const RecordedMatch match,
                                 RecordedMatch::FromStored(stored, sealer));
      EXPECT_EQ(DifferenceOfEnds(recorded.end, EndOf(match)), "");
      ExpectRequests(match, recorded.stored);
    }
  }
}

// A new rule set, option or end comes with a match of its own.
TEST_F(GoldenMatches, AreOfEveryRuleSetOptionAndEnd) {
  std::set<EndReason> ends;
  std::vector<rules::RulesChoice> choices;
  for (const GoldenMatch& golden : kMatches) {
    log::v1::MatchCreated created;
    ASSERT_TRUE(created.ParseFromString(Read(golden).stored.created));
    NAVAL_ASSERT_OK_AND_ASSIGN(choices.emplace_back(), wire::FromProto(created.rules(), "rules"));
    ends.insert(golden.end);
  }
  EXPECT_EQ(ends.size(), static_cast<std::size_t>(EndReason::kAborted) + 1);
  for (const rules::Preset& preset : rules::AllRuleSets()) {
    SCOPED_TRACE(preset.rules.id);
    bool one_shot = false, untimed = false, fleet_b = false, volley = false;
    std::set<rules::Pace> paces;
    for (const rules::RulesChoice& choice : choices) {
      if (choice.rule_set != preset.rules.id) continue;
      one_shot = one_shot || choice.one_shot_per_turn;
      untimed = untimed || choice.untimed;
      fleet_b = fleet_b || choice.fleet_b;
      volley = volley || choice.volley;
      paces.insert(choice.pace.value_or(preset.paces.front()));
    }
    EXPECT_EQ(one_shot, preset.offers_one_shot_per_turn);
    EXPECT_EQ(untimed, preset.offers_untimed);
    EXPECT_EQ(fleet_b, !preset.fleet_b.empty());
    EXPECT_EQ(volley, preset.offers_volley);
    EXPECT_EQ(paces.size(), preset.paces.size());
  }
}

}  // namespace
}  // namespace naval::match
