// What services/match itself does for a shot and for a row that is read, without gRPC and Postgres,
// and how much memory a live match holds.

#include <benchmark/benchmark.h>
#include <google/protobuf/arena.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/auth/sealer.h"
#include "lib/base/random.h"
#include "lib/rules/game_state.h"
#include "lib/rules/placement.h"
#include "lib/rules/view.h"
#include "lib/wire/state_wire.h"
#include "services/match/append.h"
#include "services/match/recorded_match.h"
#include "services/match/sealed_row.h"
#include "tests/support/test_keys.h"
#include "tools/bench/allocated.h"

namespace naval::bench {
namespace {

using match::RecordedMatch;
using rules::Seat;

constexpr char kMatchId[] = "018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e10";

// As many as a Tablú match has on the average after half of its time.
constexpr std::int64_t kRows = 49;

match::log::v1::MatchCreated Created() {
  match::log::v1::MatchCreated created;
  created.set_table_id("018f3f5e-7b5a-7c3d-8a21-0000000000b1");
  created.mutable_rules()->set_rule_set("tablu");
  for (const char* const account :
       {"018f3f5e-7b5a-7c3d-8a21-0000000000a1", "018f3f5e-7b5a-7c3d-8a21-0000000000a2"}) {
    match::v1::Player& player = *created.add_players();
    player.set_account_id(account);
    player.set_handle("Ana");
  }
  created.set_rated(true);
  return created;
}

// A match of two seats that shoot at random, and what is stored of it.
class StoredPlay {
 public:
  StoredPlay(std::uint64_t seed, const auth::Sealer& sealer)
      : random_(seed), sealer_(sealer), match_(RecordedMatch::New(kMatchId, Created()).value()) {
    stored_.match_id = kMatchId;
    stored_.created = match_.created().SerializeAsString();
    Take(match_.Start(now_));
    for (const Seat seat : rules::kSeats) {
      rules::Fleet fleet = rules::CompleteFleet(match_.game().rules(), {}, random_).value();
      Take(Decide(seat, rules::ConfirmFleet{seat, std::move(fleet)}));
    }
  }

  const RecordedMatch& match() const { return match_; }
  const match::StoredMatch& stored() const { return stored_; }

  // What becomes of a shot, but for the store and the wire: decided, made a row, applied, told to
  // its sender and to two watchers.
  void Fire() {
    const Seat seat = *match_.game().turn();
    const match::Entry entry = Decide(seat, NextShot(seat));
    Take(entry);
    for (const Seat told : {seat, Seat::kFirst, Seat::kSecond}) {
      benchmark::DoNotOptimize(match_.LastEvents(entry, rules::ViewerAt(told)));
    }
  }

 private:
  rules::Command NextShot(Seat seat) {
    const rules::SquareSet open = match_.game().sea(rules::Rival(seat))->open();
    const auto n = random_.Uniform(static_cast<std::uint64_t>(open.size()));
    return rules::FireShots{seat, {open.Nth(static_cast<int>(n))}, 0};
  }

  match::Entry Decide(Seat seat, rules::Command command) {
    now_ += absl::Seconds(3);
    const std::string id =
        absl::StrCat("0190c000-0000-7000-8000-", absl::Dec(++requests_, absl::kZeroPad12));
    const match::Request request{
        .command = command, .seat = seat, .request_id = id, .request_digest = std::string(32, 'd')};
    return match_.Decide(request, now_, {random_, random_}).value().value();
  }

  void Take(const match::Entry& entry) {
    match::Append append = match::ToAppend(match_, entry, sealer_, nonces_);
    stored_.rows.push_back(std::move(append.row));
    match_.Apply(entry);
  }

  base::SeededRandom random_;
  base::SecureRandom nonces_;
  const auth::Sealer& sealer_;
  absl::Time now_ = absl::FromUnixSeconds(1'800'000'000);
  RecordedMatch match_;
  match::StoredMatch stored_;
  int requests_ = 0;
};

void ShotOfMatch(benchmark::State& state) {
  const auth::Sealer sealer = testing::TestSealer();
  std::uint64_t seed = 1;
  std::optional<StoredPlay> play;
  for (auto _ : state) {
    if (!play.has_value() || play->match().over()) {
      state.PauseTiming();
      play.emplace(seed++, sealer);
      state.ResumeTiming();
    }
    play->Fire();
  }
}
BENCHMARK(ShotOfMatch);

// A row of a match that is read, and what a match of that many rows holds then.
void ReadRow(benchmark::State& state) {
  const auth::Sealer sealer = testing::TestSealer();
  StoredPlay play(1, sealer);
  while (play.match().head_seq() < kRows) play.Fire();
  while (state.KeepRunningBatch(kRows)) {
    const auto match = RecordedMatch::FromStored(play.stored(), sealer);
    benchmark::DoNotOptimize(match.value().head_seq());
  }
  const std::size_t before = AllocatedBytes();
  const auto match = RecordedMatch::FromStored(play.stored(), sealer);
  state.counters["bytes"] = static_cast<double>(AllocatedBytes() - before + sizeof(RecordedMatch));
}
BENCHMARK(ReadRow);

// The state of a game after as many rows, from its stored bytes.
void ReadState(benchmark::State& state) {
  const auth::Sealer sealer = testing::TestSealer();
  StoredPlay play(1, sealer);
  while (play.match().head_seq() < kRows) play.Fire();
  const rules::Game& game = play.match().game();
  std::string bytes;
  {
    match::log::v1::GameState proto;
    wire::ToLog(game.State(), proto);
    bytes = proto.SerializeAsString();
  }
  for (auto _ : state) {
    google::protobuf::Arena arena;
    auto& proto = *google::protobuf::Arena::CreateMessage<match::log::v1::GameState>(&arena);
    proto.ParseFromString(bytes);
    const auto read = wire::FromLog(game.rules(), proto);
    benchmark::DoNotOptimize(rules::Game::FromState(game.settings(), read.value()).value());
  }
  state.counters["bytes"] = static_cast<double>(bytes.size());
}
BENCHMARK(ReadState);

}  // namespace
}  // namespace naval::bench
