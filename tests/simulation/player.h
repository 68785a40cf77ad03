#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/rules/command.h"
#include "lib/rules/view.h"
#include "naval/match/v1/match.pb.h"
#include "services/match/recorded_match.h"
#include "tests/simulation/pod.h"
#include "tests/simulation/world.h"

namespace naval::simulation {

// A person at a match: watches it, and plays when it has a seat. What it is to do it takes from the
// committed match, which no client can see; what it hears of the service it checks as a client can:
// no event missing, none twice, and the same answer to the same request for ever.
class Player {
 public:
  Player(World& world, std::string match_id, std::string account, rules::Viewer viewer)
      : world_(world),
        match_id_(std::move(match_id)),
        account_(std::move(account)),
        viewer_(viewer),
        seat_(rules::SeatOf(viewer)) {}

  // Begins to watch and to play.
  void Start();
  // It knows of the end.
  bool saw_end() const { return saw_end_; }
  const std::string& account() const { return account_; }

 private:
  using EventList = std::vector<match::v1::MatchEvent>;
  struct Command {
    match::Request request;
    int attempts = 0;
    // The id of another request, with other content.
    bool is_forged = false;
    // What it was answered, once it was.
    std::optional<absl::StatusOr<EventList>> answer;
  };

  const match::RecordedMatch* Match() const { return world_.referee().Find(match_id_); }
  bool over() const { return Match() != nullptr && Match()->over(); }

  // Whether the match comes to its end soon without this player.
  bool MayLeave() const;
  void Leave();
  // Shortly before the clock of this player ends; now, when that is not near.
  absl::Time LastMoment();
  void ActLater();
  void Act();
  void Begin(rules::Command command);
  void Send();
  void OnAnswer(int attempt, const absl::StatusOr<EventList>& answer);
  void TryAgain();
  void Repeat();
  void Ask();

  rules::Command Choose(const rules::Game& game);
  rules::Command ChoosePlacement(const rules::Game& game);
  rules::Command ChooseMischief(const rules::Game& game);
  rules::FireShots ChooseShots(const rules::Game& game);
  // What this viewer hears must not depend on what it may not know.
  void Note(const std::string& heard);

  void WatchLater(absl::Duration delay);
  void Watch();
  void Listen(int stream, int heard);
  void Receive(int stream, const std::vector<match::WatchMessage>& messages,
               const std::optional<absl::Status>& end);
  void GiveStreamUp();
  void Stall();
  void GoOnLater(const std::shared_ptr<ServedStream>& stream, bool at_end);
  void Read(const match::v1::WatchMatchResponse& message);
  void ReadEvent(const match::v1::MatchEvent& event);

  World& world_;
  const std::string match_id_;
  const std::string account_;
  const rules::Viewer viewer_;
  const std::optional<rules::Seat> seat_;
  std::optional<Command> command_;
  // The last that was answered.
  std::optional<Command> answered_;
  int attempts_ = 0;
  // The number of the stream that is read, and of the last event that it brought.
  int streams_ = 0;
  std::shared_ptr<ServedStream> stream_;
  std::int64_t seen_ = 0;
  int heard_ = 0;
  bool saw_end_ = false;
};

}  // namespace naval::simulation
