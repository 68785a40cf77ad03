#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/auth/sealer.h"
#include "lib/rules/seat.h"
#include "lib/rules/view.h"
#include "naval/match/v1/match.pb.h"
#include "naval/match/v1/match_service.pb.h"
#include "services/match/recorded_match.h"
#include "services/match/sealed_row.h"
#include "tests/comparison/twin_match.h"
#include "tests/simulation/database.h"
#include "tests/simulation/fibers.h"
#include "tests/simulation/twin.h"

namespace naval::simulation {

// Sees every commit and all that processes say, and fails as soon as something must not be. What it
// holds of a match is the fold of its committed log; whatever anybody is told must follow from
// that.
class Referee final : public CommitObserver {
 public:
  // `fibers` has the time of the world, `sealer` opens the rows; both must outlive this. With
  // `asks_oracle` every row is also played by the oracle, for as long as it can follow: it knows no
  // outages, after which a clock gets time back. `twin` hears of every row; null where there is
  // none.
  Referee(const Fibers& fibers, const auth::Sealer& sealer, bool asks_oracle, Twin* twin)
      : fibers_(fibers), sealer_(sealer), asks_oracle_(asks_oracle), twin_(twin) {}

  void Created(const std::string& match_id, const std::string& created) override;
  // That the log has no gap, goes not back in time, ends once and with what the ranking has to
  // learn; that nobody writes who does not own the match; and that no clock ended which a player
  // was in time for, of which the time without an owner was not given back, before its time as
  // players were told it, or too late.
  void Appended(const match::Append& append, const Owned& owned) override;

  // The match as it is committed; null before it is created.
  const match::RecordedMatch* Find(const std::string& match_id) const;
  // How many matches are over.
  int matches_over() const { return matches_over_; }

  // The last row of which anybody was told. Whoever asks after that must not hear of less.
  std::int64_t published_row(const std::string& match_id) const;

  // How far the time in the match is ahead of that of the world, as far as is known.
  absl::Duration ahead(const std::string& match_id) const;

  // From now on nothing goes wrong.
  void Healed() { heal_time_ = fibers_.now(); }

  // A request has come to a match, in a process that owns it under `epoch`. In the match it is
  // `now`.
  void Posted(const std::string& match_id, rules::Seat seat, const match::Request& request,
              std::int64_t epoch, absl::Time now);

  // What a process says, at the moment at which it does.
  //
  // An answer to a command: taken, it must stand in the log, and the events are those of its row;
  // refused, it must not.
  void CheckAnswer(const std::string& match_id, rules::Seat seat, const match::Request& request,
                   const absl::StatusOr<std::vector<match::v1::MatchEvent>>& answer);
  // A state, asked for when `asked_row` was the published row.
  void CheckView(const std::string& match_id, rules::Viewer viewer, const match::v1::Match& view,
                 std::int64_t asked_row);
  // A message of a stream that was asked for then.
  void CheckMessage(const std::string& match_id, rules::Viewer viewer,
                    const match::v1::WatchMatchResponse& message, std::int64_t asked_row);

  // A result or a change arrived at the service that has to learn it, as a serialized request.
  void RankingTold(const std::string& body);
  void LobbyTold(const std::string& body);
  // Everything was delivered: each result was applied once, and the lobby knows of every end.
  void CheckDelivered() const;

 private:
  // A move that came in time, and was not answered yet.
  struct Move {
    rules::Seat seat;
    match::Request request;
    absl::Time arrival_time;
    std::int64_t epoch;
    // The last row after which it was good.
    std::int64_t head_seq;
  };
  // When a clock ends, by its deadline and in the time of the world.
  struct ClockEnd {
    absl::Time deadline;
    absl::Time time;
  };
  // As a row set it: how much was left at the time of the row, and when that was written.
  struct SetClock {
    absl::Time deadline;
    absl::Duration left;
    absl::Time write_time;
  };
  struct Followed {
    match::RecordedMatch match;
    // Of the last row.
    std::int64_t epoch = 0;
    absl::Duration ahead = absl::ZeroDuration();
    // The running clock, and its end as a state last told it.
    std::optional<SetClock> clock;
    std::optional<ClockEnd> told_end;
    std::int64_t published_row = 0;
    std::vector<Move> moves;
    // Played by engine and oracle; none when nobody asks the oracle.
    std::optional<comparison::TwinMatch> twins;
    // What players sent, by request id.
    std::map<std::string, rules::Command> commands;
    // What each viewer may be told, in the order of its numbers, and the row of each.
    std::array<std::vector<std::string>, 3> events;
    std::array<std::vector<std::int64_t>, 3> rows;
    // The last number of each viewer after each row.
    std::array<std::vector<std::int64_t>, 3> last_seqs;
    // When the last row was written.
    absl::Time write_time;
    // The result as the ranking was told it first, how often it applied that, and what the lobby
    // knows.
    std::optional<std::string> result;
    int times_rated = 0;
    std::int64_t lobby_version = 0;
    match::v1::Phase lobby_phase = match::v1::PHASE_UNSPECIFIED;
  };

  Followed& At(const std::string& match_id);
  void CheckEvent(const std::string& match_id, Followed& followed, rules::Viewer viewer,
                  const match::v1::MatchEvent& event);
  // What a process says is the time in the match.
  void CheckTime(const Followed& followed, const google::protobuf::Timestamp& server_time) const;
  void CheckClock(const Followed& followed, const match::Entry& entry, const Owned& owned) const;
  // The row that was just applied may have set the clock.
  void NoteClock(Followed& followed) const;
  // Whether the move is good and in time as the match stands, and not made yet.
  static bool IsGood(const match::RecordedMatch& match, const Move& move);
  void AskOracle(Followed& followed, const match::Entry& entry);
  void Publish(Followed& followed, std::int64_t row);
  // Another service learns of the end only now.
  void CheckPromptness(const Followed& followed) const;

  const Fibers& fibers_;
  const auth::Sealer& sealer_;
  const bool asks_oracle_;
  Twin* const twin_;
  std::map<std::string, Followed> matches_;
  int matches_over_ = 0;
  absl::Time heal_time_ = absl::InfiniteFuture();
};

}  // namespace naval::simulation
