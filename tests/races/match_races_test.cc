// Commands to one match that arrive at the same time. Whatever comes of it, the log in Postgres
// must tell one legal story, and everybody must have been told just that: both senders by their
// answers, both players by the streams they had open and by GetMatch, and the ranking.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/error.h"
#include "lib/base/mutex.h"
#include "lib/base/status_macros.h"
#include "lib/rules/rule_sets.h"
#include "lib/rules/seat.h"
#include "lib/wire/time_wire.h"
#include "services/match/pg_match_store.h"
#include "services/match/recorded_match.h"
#include "services/match/sealed_row.h"
#include "tests/integration/match_server.h"
#include "tests/races/race.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/or_die.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"
#include "tools/client/match_state.h"

namespace naval::testing {
namespace {

namespace v1 = match::v1;
using MatchStub = v1::MatchService::Stub;
using rules::Seat;

constexpr std::array<const char*, 2> kAccounts = {kAna, kBruno};

const char* AccountAt(Seat seat) { return rules::OfSeat(kAccounts, seat); }

Seat ToSeat(v1::Seat seat) { return seat == v1::SEAT_FIRST ? Seat::kFirst : Seat::kSecond; }

Fleet ColumnsFleet() {
  return ParseFleet(
      "portaaviones A1 down, acorazado C1 down, fragata E1 down, submarino G1 down,"
      " lancha I1 down");
}

// The squares of RowsFleet.
std::vector<std::string> SquaresOfRowsFleet() {
  std::vector<std::string> squares;
  int row = 1;
  for (const rules::Ship& ship : (*rules::FindPreset("tablu"))->rules.ships) {
    for (int column = 0; column < ship.length; ++column) {
      squares.push_back(absl::StrCat(std::string(1, static_cast<char>('A' + column)), row));
    }
    row += 2;
  }
  return squares;
}

absl::Time DeadlineOf(const v1::Match& match) {
  return wire::FromProto(match.deadline(), "deadline").value();
}

// What the sender of a command got.
struct Answer {
  Seat seat;
  std::string request_id;
  absl::StatusOr<std::vector<v1::MatchEvent>> events;

  // "OK", or the reason of the refusal.
  std::string word() const { return events.ok() ? "OK" : base::ReasonOf(events.status()); }
};

const Answer kNoAnswer{Seat::kFirst, "", absl::UnknownError("no answer")};

// Sends a command of one seat, with this request id, to this match.
using Command = std::function<Answer(const std::string& match_id, const std::string& request_id)>;

// Adds to the two answers what else makes out how a race came out.
using Ending = std::string (*)(const std::vector<Answer>& answers,
                               const std::vector<v1::MatchEvent>& story);

absl::Status Differ(absl::string_view one, absl::string_view other) {
  return absl::InternalError(absl::StrCat(one, " and ", other, " differ"));
}

std::string Text(const std::vector<v1::MatchEvent>& events) {
  std::string text;
  for (const v1::MatchEvent& event : events) {
    absl::StrAppend(&text, event.ShortDebugString(), "\n");
  }
  return text;
}

template <typename Message>
bool Same(const Message& a, const Message& b) {
  return a.SerializeAsString() == b.SerializeAsString();
}

bool Same(const std::vector<v1::MatchEvent>& a, const std::vector<v1::MatchEvent>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!Same(a[i], b[i])) return false;
  }
  return true;
}

class MatchRace : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { PinGrpc(); }

  // A match in which the fleets are to be laid.
  std::string NewPlacement() {
    const v1::CreateMatchRequest request = server_.NewMatch();
    EXPECT_THAT(server_.Create(request), IsOk());
    return request.match_id();
  }

  // A match in which both have RowsFleet; `shooter_` and `rival_` are then known.
  std::string NewBattle() {
    const std::string match_id = NewPlacement();
    for (const char* const account : kAccounts) {
      EXPECT_THAT(server_.Confirm(account, match_id, RowsFleet()), IsOk());
    }
    shooter_ = ToSeat(server_.Get(kAna, match_id)->turn());
    rival_ = rules::Rival(shooter_);
    return match_id;
  }

  // A match in which the shooter needs one more hit, on `last_square_`.
  std::string NewEndgame() {
    const std::string match_id = NewBattle();
    std::vector<std::string> squares = SquaresOfRowsFleet();
    last_square_ = squares.back();
    squares.pop_back();
    for (const std::string& square : squares) {
      EXPECT_THAT(server_.Fire(AccountAt(shooter_), match_id, square), IsOk());
    }
    return match_id;
  }

  Command Place(Seat seat, const Fleet& fleet) {
    v1::PlaceFleetRequest request;
    *request.mutable_fleet() = fleet;
    return CommandOf(seat, &MatchStub::PlaceFleet, request);
  }
  Command Confirm(Seat seat, const Fleet& fleet) {
    v1::ConfirmFleetRequest request;
    *request.mutable_fleet() = fleet;
    return CommandOf(seat, &MatchStub::ConfirmFleet, request);
  }
  Command Fire(Seat seat, const std::string& square) {
    v1::FireShotsRequest request;
    request.add_squares(square);
    return CommandOf(seat, &MatchStub::FireShots, request);
  }
  Command Resign(Seat seat) { return CommandOf(seat, &MatchStub::Resign, v1::ResignRequest()); }

  // Races two commands in copies of a match.
  void RunRace(const std::string& name, const std::string& original,
               const std::array<Command, 2>& commands, const std::vector<std::string>& outcomes,
               Ending ending = nullptr) {
    RunRace(name, original, commands, outcomes, ending, /*same_request=*/false);
  }
  // As above, both with one request id.
  void RunRaceOfARepetition(const std::string& name, const std::string& original,
                            const Command& command) {
    RunRace(name, original, {command, command}, {"OK, OK"}, nullptr, /*same_request=*/true);
  }

  // Races a command with the end of the running clock, at exactly that moment.
  void RunRaceWithTheClock(const std::string& name, const std::string& original,
                           const Command& command, const std::vector<std::string>& outcomes,
                           Ending ending);

  MatchServer server_;
  Seat shooter_ = Seat::kFirst;
  Seat rival_ = Seat::kSecond;
  std::string last_square_;

 private:
  // A match with the streams that its players opened before the race.
  struct Watched {
    std::string match_id;
    std::array<std::unique_ptr<client::MatchStream>, 2> streams;
    // What each had seen by then.
    std::array<v1::Match, 2> before;
  };

  // A match whose clock is about to end, and what the command at that moment was answered.
  struct Timed {
    absl::StatusOr<Watched> watched;
    Answer answer = kNoAnswer;

    absl::Time deadline() const { return DeadlineOf(watched->before[0]); }
  };

  template <typename Request, typename Response>
  Command CommandOf(Seat seat,
                    grpc::Status (MatchStub::*method)(grpc::ClientContext*, const Request&,
                                                      Response*),
                    const Request& content) {
    return [=, this](const std::string& match_id, const std::string& request_id) {
      Request request = content;
      request.set_match_id(match_id);
      request.set_request_id(request_id);
      const absl::StatusOr<Response> response = server_.Call(AccountAt(seat), method, request);
      if (!response.ok()) return Answer{seat, request_id, response.status()};
      return Answer{seat, request_id,
                    std::vector(response->events().begin(), response->events().end())};
    };
  }

  void RunRace(const std::string& name, const std::string& original,
               const std::array<Command, 2>& commands, const std::vector<std::string>& outcomes,
               Ending ending, bool same_request);

  // Copies a match as it stands in the database: many matches at the same point cost one statement.
  std::vector<std::string> Copies(const std::string& original, size_t count);
  // The rows of the original for each copy, sealed to it, as three arrays for SQL: the copy's id,
  // the row's number, its body.
  absl::StatusOr<std::array<std::string, 3>> SealedFor(const std::vector<std::string>& ids,
                                                       const std::string& original);
  absl::StatusOr<Watched> Watch(const std::string& match_id);
  absl::StatusOr<Watched> WatchWithTimeLeft(const std::string& match_id);
  void RaceWithTheClock(Timed& timed, const Command& command, base::Random& random);
  absl::Status GiveUp(const std::string& match_id) NAVAL_EXCLUDES(mutex_);

  // Compares what everybody was told since Watch with the log, and gives the outcome.
  absl::StatusOr<std::string> Judge(Watched& watched, const std::vector<Answer>& answers,
                                    Ending ending) NAVAL_EXCLUDES(mutex_);
  static absl::Status JudgeAnswer(const match::StoredMatch& stored, const match::RecordedMatch& log,
                                  const Answer& answer);
  absl::Status JudgePlayer(Watched& watched, const match::RecordedMatch& log, Seat seat);
  // The ranking got just the results that the logs tell.
  void JudgeResults() NAVAL_EXCLUDES(mutex_);

  match::PgMatchStore store_{server_.pool()};
  // Held while the clock moves and a match is read at that moment.
  base::Mutex waking_;
  base::Mutex mutex_;
  std::map<std::string, v1::MatchResult> results_ NAVAL_GUARDED_BY(mutex_);
};

std::vector<std::string> MatchRace::Copies(const std::string& original, size_t count) {
  std::vector<std::string> ids;
  for (size_t i = 0; i < count; ++i) ids.push_back(server_.NewId());
  const std::string array = absl::StrCat("{", absl::StrJoin(ids, ","), "}");
  const auto rows = ValueOrDie(SealedFor(ids, original));
  // Without their deadline, or a sweep would read all of them at one moment.
  EXPECT_THAT(server_.pool().Transact([&](postgres::Transaction& tx) -> absl::Status {
    NAVAL_RETURN_IF_ERROR(
        tx.Execute("INSERT INTO match.match (match_id, created, over, head_seq,"
                   " create_time, update_time) SELECT copy, created, over, head_seq,"
                   " create_time, update_time FROM match.match, unnest($2::uuid[]) copy"
                   " WHERE match_id = $1",
                   {original, array})
            .status());
    return tx
        .Execute(
            "INSERT INTO match.match_log (match_id, seq, seat, request_id, event_time, body)"
            " SELECT copy, seq, seat, request_id, event_time, sealed FROM match.match_log JOIN"
            " unnest($2::uuid[], $3::bigint[], $4::bytea[]) AS copied (copy, seq, sealed)"
            " USING (seq) WHERE match_id = $1",
            {original, rows[0], rows[1], rows[2]})
        .status();
  }),
              IsOk());
  return ids;
}

absl::StatusOr<std::array<std::string, 3>> MatchRace::SealedFor(const std::vector<std::string>& ids,
                                                                const std::string& original) {
  NAVAL_ASSIGN_OR_RETURN(const auto loaded, store_.Load({&original, 1}, match::LogPart::kAll));
  NAVAL_ASSIGN_OR_RETURN(const match::StoredMatch stored, loaded.front());
  NAVAL_ASSIGN_OR_RETURN(const match::RecordedMatch log,
                         match::RecordedMatch::FromStored(stored, server_.sealer()));
  const rules::RuleSet& rules = log.game().rules();
  base::SecureRandom random;
  std::array<std::vector<std::string>, 3> columns;
  for (const match::LogRow& row : stored.rows) {
    NAVAL_ASSIGN_OR_RETURN(const match::Entry entry,
                           match::OpenRow(original, rules, row, server_.sealer()));
    for (const std::string& id : ids) {
      const std::string body = match::SealRow(id, rules, entry, server_.sealer(), random).body;
      columns[0].push_back(id);
      columns[1].push_back(absl::StrCat(row.seq));
      columns[2].push_back(absl::StrCat("\"\\\\x", absl::BytesToHexString(body), "\""));
    }
  }
  std::array<std::string, 3> arrays;
  for (size_t i = 0; i < arrays.size(); ++i) {
    arrays[i] = absl::StrCat("{", absl::StrJoin(columns[i], ","), "}");
  }
  return arrays;
}

absl::StatusOr<MatchRace::Watched> MatchRace::Watch(const std::string& match_id) {
  Watched watched{.match_id = match_id, .streams = {}, .before = {}};
  for (size_t seat = 0; seat < kAccounts.size(); ++seat) {
    watched.streams[seat] = server_.Watch(kAccounts[seat], match_id, std::nullopt);
    const auto first = watched.streams[seat]->Next();
    if (!first.has_value()) return watched.streams[seat]->status();
    watched.before[seat] = first->snapshot();
  }
  return watched;
}

void MatchRace::RunRace(const std::string& name, const std::string& original,
                        const std::array<Command, 2>& commands,
                        const std::vector<std::string>& outcomes, Ending ending,
                        bool same_request) {
  const std::vector<std::string> ids = Copies(original, RaceTries());
  Race race(name, outcomes);
  race.Run([&](size_t number, base::Random& random) -> absl::StatusOr<std::string> {
    NAVAL_ASSIGN_OR_RETURN(Watched watched, Watch(ids[number]));
    const std::string request_id = server_.NewId();
    const std::string other_id = same_request ? request_id : server_.NewId();
    std::vector<Answer> answers(2, kNoAnswer);
    AtOnce(random, {[&] { answers[0] = commands[0](ids[number], request_id); },
                    [&] { answers[1] = commands[1](ids[number], other_id); }});
    return Judge(watched, answers, ending);
  });
  JudgeResults();
}

// A match that is read after its clock should have ended, but had no owner meanwhile, is given 10 s
// from then on: another moment for each, so that to come to the deadline of one is not to pass that
// of the next.
absl::StatusOr<MatchRace::Watched> MatchRace::WatchWithTimeLeft(const std::string& match_id) {
  {
    base::MutexLock lock(waking_);
    server_.clock().Advance(absl::Milliseconds(1));
    const absl::Time now = server_.clock().Now();
    const auto has_time = [&](const v1::Match& match) { return DeadlineOf(match) > now; };
    NAVAL_RETURN_IF_ERROR(server_.WaitForMatch(kAna, match_id, has_time).status());
  }
  return Watch(match_id);
}

// One match after the other comes to its deadline, because all see one clock. To make them ready
// and to judge them takes longer, and is done for many at once.
void MatchRace::RunRaceWithTheClock(const std::string& name, const std::string& original,
                                    const Command& command,
                                    const std::vector<std::string>& outcomes, Ending ending) {
  constexpr size_t kBatch = 200;
  const std::vector<std::string> ids = Copies(original, RaceTries());
  EXPECT_THAT(server_.pool().Transact([](postgres::Transaction& tx) {
    // See WatchWithTimeLeft: since their last row nobody owned the copies for a second.
    return tx
        .Execute(
            "UPDATE match.match SET ownerless_duration = ownerless_duration"
            " - interval '1 second'")
        .status();
  }),
              IsOk());
  server_.clock().AdvanceTo(DeadlineOf(*server_.Get(kAna, original)));
  EXPECT_THAT(GiveUp(original), IsOk());
  Race race(name, outcomes);
  base::SeededRandom random(race.seed());
  for (size_t begin = 0; begin < ids.size(); begin += kBatch) {
    const size_t end = std::min(begin + kBatch, ids.size());
    std::vector<Timed> batch(end - begin);
    race.InParallel(begin, end, [&](size_t number, base::Random&) {
      batch[number - begin].watched = WatchWithTimeLeft(ids[number]);
      EXPECT_THAT(batch[number - begin].watched, IsOk());
    });
    if (HasFailure()) return;
    absl::c_sort(batch, [](const Timed& a, const Timed& b) { return a.deadline() < b.deadline(); });
    const auto same = absl::c_adjacent_find(
        batch, [](const Timed& a, const Timed& b) { return a.deadline() == b.deadline(); });
    EXPECT_TRUE(same == batch.end()) << "two matches have one deadline: one of them is no race";
    for (Timed& timed : batch) RaceWithTheClock(timed, command, random);
    race.Run(begin, end, [&](size_t number, base::Random&) -> absl::StatusOr<std::string> {
      Timed& timed = batch[number - begin];
      const auto is_decided = [&](const v1::Match& match) {
        return DeadlineOf(match) > timed.deadline();
      };
      NAVAL_RETURN_IF_ERROR(
          server_.WaitForMatch(kAna, timed.watched->match_id, is_decided).status());
      NAVAL_ASSIGN_OR_RETURN(std::string outcome, Judge(*timed.watched, {timed.answer}, ending));
      NAVAL_RETURN_IF_ERROR(GiveUp(timed.watched->match_id));
      return outcome;
    });
  }
  JudgeResults();
}

// Else its clock would go on and on, with those of all the others.
absl::Status MatchRace::GiveUp(const std::string& match_id) {
  NAVAL_RETURN_IF_ERROR(Resign(Seat::kFirst)(match_id, server_.NewId()).events.status());
  base::MutexLock lock(mutex_);
  v1::MatchResult& result = results_[match_id];
  result.set_winner(v1::SEAT_SECOND);
  result.set_reason(v1::END_REASON_RESIGNED);
  return absl::OkStatus();
}

void MatchRace::RaceWithTheClock(Timed& timed, const Command& command, base::Random& random) {
  base::SimulatedClock& clock = server_.clock();
  clock.AdvanceTo(timed.deadline() - absl::Microseconds(1));
  AtOnce(random, {[&] { timed.answer = command(timed.watched->match_id, server_.NewId()); },
                  [&] {
                    Pause(random, /*max_power=*/12);
                    clock.AdvanceTo(timed.deadline());
                  }});
}

absl::StatusOr<std::string> MatchRace::Judge(Watched& watched, const std::vector<Answer>& answers,
                                             Ending ending) {
  NAVAL_ASSIGN_OR_RETURN(const auto loaded,
                         store_.Load({&watched.match_id, 1}, match::LogPart::kAll));
  NAVAL_ASSIGN_OR_RETURN(const match::StoredMatch stored, loaded.front());
  NAVAL_ASSIGN_OR_RETURN(const match::RecordedMatch log,
                         match::RecordedMatch::FromStored(stored, server_.sealer()));
  std::string outcome;
  for (const Answer& answer : answers) {
    NAVAL_RETURN_IF_ERROR(JudgeAnswer(stored, log, answer));
    absl::StrAppend(&outcome, outcome.empty() ? "" : ", ", answer.word());
  }
  for (const Seat seat : rules::kSeats) NAVAL_RETURN_IF_ERROR(JudgePlayer(watched, log, seat));
  const v1::Match end = log.ViewFor(rules::Viewer::kFirst, server_.clock().Now());
  if (log.over()) {
    base::MutexLock lock(mutex_);
    results_[watched.match_id] = end.result();
  }
  if (ending == nullptr) return outcome;
  const auto story = log.EventsAfter(watched.before[0].seq(), rules::Viewer::kFirst, 100);
  return absl::StrCat(outcome, ending(answers, story));
}

// What was accepted stands in the log once, with the events that were answered; what was refused
// left nothing there.
absl::Status MatchRace::JudgeAnswer(const match::StoredMatch& stored,
                                    const match::RecordedMatch& log, const Answer& answer) {
  std::vector<v1::MatchEvent> recorded;
  int rows = 0;
  for (const match::LogRow& row : stored.rows) {
    if (row.seat != answer.seat || row.request_id != answer.request_id) continue;
    ++rows;
    recorded = log.EventsOf(row.seq, rules::ViewerAt(answer.seat));
  }
  if (!answer.events.ok()) {
    if (rows == 0 && absl::IsFailedPrecondition(answer.events.status())) return absl::OkStatus();
    return answer.events.status();
  }
  if (rows == 1 && Same(recorded, *answer.events)) return absl::OkStatus();
  return Differ(absl::StrCat("an answer\n", Text(*answer.events)),
                absl::StrCat(rows, " rows of the log\n", Text(recorded)));
}

absl::Status MatchRace::JudgePlayer(Watched& watched, const match::RecordedMatch& log, Seat seat) {
  const rules::Viewer viewer = rules::ViewerAt(seat);
  NAVAL_ASSIGN_OR_RETURN(v1::Match seen, server_.Get(AccountAt(seat), watched.match_id));
  v1::Match recorded = log.ViewFor(viewer, server_.clock().Now());
  client::ClearMoment(seen);
  client::ClearMoment(recorded);
  if (!Same(seen, recorded)) return Differ("GetMatch", "the log");
  const int64_t before = rules::OfSeat(watched.before, seat).seq();
  const auto missed = static_cast<size_t>(seen.seq() - before);
  std::vector<v1::MatchEvent> streamed;
  while (streamed.size() < missed) {
    const auto message = rules::OfSeat(watched.streams, seat)->Next();
    if (!message.has_value()) return Differ("a stream that ended", "the log");
    if (message->has_event()) streamed.push_back(message->event());
  }
  if (!Same(streamed, log.EventsAfter(before, viewer, missed)))
    return Differ("a stream", "the log");
  return absl::OkStatus();
}

void MatchRace::JudgeResults() {
  base::MutexLock lock(mutex_);
  std::map<std::string, v1::MatchResult> missing = results_;
  EXPECT_TRUE(WaitFor([&, count = missing.size()] { return server_.results().size() >= count; },
                      absl::Minutes(2)));
  for (const ranking::v1::RecordResultRequest& told : server_.results()) {
    const auto it = missing.find(told.match_id());
    ASSERT_TRUE(it != missing.end()) << told.match_id() << " was told twice, or is not over";
    EXPECT_TRUE(Same(it->second, told.result())) << told.match_id();
    missing.erase(it);
  }
  EXPECT_TRUE(missing.empty());
}

// --- The fleets are laid.

TEST_F(MatchRace, OfAConfirmationSentTwiceHasOneEffectAndOneAnswer) {
  RunRaceOfARepetition("a confirmation sent twice", NewPlacement(),
                       Confirm(Seat::kFirst, RowsFleet()));
}

TEST_F(MatchRace, OfTwoDevicesThatConfirmTheSameFleetIsWonByOne) {
  RunRace("two devices confirm one fleet", NewPlacement(),
          {Confirm(Seat::kFirst, RowsFleet()), Confirm(Seat::kFirst, RowsFleet())},
          {"OK, FLEET_ALREADY_CONFIRMED", "FLEET_ALREADY_CONFIRMED, OK"});
}

TEST_F(MatchRace, OfTwoDevicesThatConfirmDifferentFleetsIsWonByOne) {
  RunRace("two devices confirm two fleets", NewPlacement(),
          {Confirm(Seat::kFirst, RowsFleet()), Confirm(Seat::kFirst, ColumnsFleet())},
          {"OK, FLEET_ALREADY_CONFIRMED", "FLEET_ALREADY_CONFIRMED, OK"});
}

TEST_F(MatchRace, OfADraftAgainstAConfirmationNeverChangesAConfirmedFleet) {
  RunRace("a draft against a confirmation", NewPlacement(),
          {Place(Seat::kFirst, ColumnsFleet()), Confirm(Seat::kFirst, RowsFleet())},
          {"OK, OK", "FLEET_ALREADY_CONFIRMED, OK"});
}

// Whose answer tells that the battle began.
std::string WhoBegan(const std::vector<Answer>& answers, const std::vector<v1::MatchEvent>& story) {
  int begun = 0;
  for (const v1::MatchEvent& event : story) begun += event.has_battle_started() ? 1 : 0;
  std::string who = absl::StrCat("; ", begun, " battle begun by");
  for (const Answer& answer : answers) {
    if (!answer.events.ok()) continue;
    for (const v1::MatchEvent& event : *answer.events) {
      if (!event.has_battle_started()) continue;
      absl::StrAppend(&who, answer.seat == Seat::kFirst ? " the first" : " the second");
    }
  }
  return who;
}

TEST_F(MatchRace, OfBothPlayersConfirmationsBeginsOneBattle) {
  RunRace("both players confirm", NewPlacement(),
          {Confirm(Seat::kFirst, RowsFleet()), Confirm(Seat::kSecond, ColumnsFleet())},
          {"OK, OK; 1 battle begun by the first", "OK, OK; 1 battle begun by the second"},
          WhoBegan);
}

// Whether the clock confirmed this seat's fleet.
std::string WhoConfirmed(const std::vector<Answer>&, const std::vector<v1::MatchEvent>& story) {
  for (const v1::MatchEvent& event : story) {
    if (!event.has_fleet_confirmed() || event.fleet_confirmed().seat() != v1::SEAT_FIRST) continue;
    return event.fleet_confirmed().by_clock() ? "; the clock confirmed" : "; the player confirmed";
  }
  return "; nobody confirmed";
}

TEST_F(MatchRace, OfAConfirmationWithThePlacementClockIsWonByOne) {
  RunRaceWithTheClock("a confirmation and the end of the placement clock", NewPlacement(),
                      Confirm(Seat::kFirst, RowsFleet()),
                      {"OK; the player confirmed", "PLACEMENT_IS_OVER; the clock confirmed"},
                      WhoConfirmed);
}

// --- Shots are fired.

TEST_F(MatchRace, OfAShotSentTwiceHasOneEffectAndOneAnswer) {
  const std::string battle = NewBattle();
  RunRaceOfARepetition("a shot sent twice", battle, Fire(shooter_, "J10"));
}

TEST_F(MatchRace, OfTwoShotsAtOneSquareOfWaterIsWonByOne) {
  const std::string battle = NewBattle();
  RunRace("two shots at one square, water", battle, {Fire(shooter_, "J10"), Fire(shooter_, "J10")},
          {"OK, NOT_YOUR_TURN", "NOT_YOUR_TURN, OK"});
}

TEST_F(MatchRace, OfTwoShotsAtOneSquareOfAShipIsWonByOne) {
  const std::string battle = NewBattle();
  RunRace("two shots at one square, hit", battle, {Fire(shooter_, "A1"), Fire(shooter_, "A1")},
          {"OK, CELL_ALREADY_KNOWN", "CELL_ALREADY_KNOWN, OK"});
}

TEST_F(MatchRace, OfTwoShotsInOneTurnLetsTheSecondCountAfterAHitOnly) {
  const std::string battle = NewBattle();
  RunRace("two shots, hit and water", battle, {Fire(shooter_, "A1"), Fire(shooter_, "J10")},
          {"OK, OK", "NOT_YOUR_TURN, OK"});
}

TEST_F(MatchRace, OfAShotWithTheRivalsNeverLetsTheRivalShootOutOfTurn) {
  const std::string battle = NewBattle();
  RunRace("a shot into water and the rival's", battle, {Fire(shooter_, "J10"), Fire(rival_, "J10")},
          {"OK, OK", "OK, NOT_YOUR_TURN"});
}

std::string WhoShot(const std::vector<Answer>&, const std::vector<v1::MatchEvent>& story) {
  for (const v1::MatchEvent& event : story) {
    if (event.has_shot_fired()) {
      return event.shot_fired().by_clock() ? "; the clock shot first" : "; the player shot first";
    }
  }
  return "; nobody shot";
}

// The clock's shot is drawn: after a hit the turn, and with it the player's shot, is still good.
TEST_F(MatchRace, OfAShotWithItsTimeOutIsWonByOne) {
  const std::string battle = NewBattle();
  RunRaceWithTheClock("a shot and the end of its clock", battle, Fire(shooter_, "J10"),
                      {"OK; the player shot first", "NOT_YOUR_TURN; the clock shot first",
                       "OK; the clock shot first"},
                      WhoShot);
}

// --- The match ends.

std::string HowItEnded(const std::vector<Answer>&, const std::vector<v1::MatchEvent>& story) {
  std::string ends;
  for (const v1::MatchEvent& event : story) {
    if (!event.has_match_ended()) continue;
    absl::StrAppend(&ends, "; ", v1::EndReason_Name(event.match_ended().result().reason()));
  }
  return ends;
}

TEST_F(MatchRace, OfTheLastHitWithTheRivalsResignationEndsOnce) {
  const std::string endgame = NewEndgame();
  RunRace("the last hit and the rival resigns", endgame,
          {Fire(shooter_, last_square_), Resign(rival_)},
          {"OK, MATCH_OVER; END_REASON_FLEET_DESTROYED", "MATCH_OVER, OK; END_REASON_RESIGNED"},
          HowItEnded);
}

TEST_F(MatchRace, OfTheLastHitWithTheShootersOwnResignationEndsOnce) {
  const std::string endgame = NewEndgame();
  RunRace("the last hit and the shooter resigns", endgame,
          {Fire(shooter_, last_square_), Resign(shooter_)},
          {"OK, MATCH_OVER; END_REASON_FLEET_DESTROYED", "MATCH_OVER, OK; END_REASON_RESIGNED"},
          HowItEnded);
}

TEST_F(MatchRace, OfBothResignationsEndsOnce) {
  const std::string battle = NewBattle();
  RunRace("both resign", battle, {Resign(shooter_), Resign(rival_)},
          {"OK, MATCH_OVER; END_REASON_RESIGNED", "MATCH_OVER, OK; END_REASON_RESIGNED"},
          HowItEnded);
}

}  // namespace
}  // namespace naval::testing
