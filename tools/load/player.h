#pragma once

#include <grpcpp/grpcpp.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/base/clock.h"
#include "lib/base/random.h"
#include "naval/game/v1/game.pb.h"
#include "naval/lobby/v1/account_service.grpc.pb.h"
#include "naval/lobby/v1/lobby_service.grpc.pb.h"
#include "naval/match/v1/match_service.grpc.pb.h"
#include "tools/load/calls.h"
#include "tools/load/event_loop.h"
#include "tools/load/history.h"
#include "tools/load/tally.h"

namespace naval::load {

// The public API over two connections, which several players share.
struct Connection {
  Connection(const std::string& lobby_address, const std::string& match_address);

  const std::unique_ptr<lobby::v1::AccountService::Stub> accounts;
  const std::unique_ptr<lobby::v1::LobbyService::Stub> lobby;
  const std::unique_ptr<match::v1::MatchService::Stub> match;
};

// What all players have in common.
struct Common {
  EventLoop& loop;
  base::Random& random;
  Tally& tally;
  const game::v1::GameRules rules;
  const absl::Duration think_time;
  // Once set no shot is sent and no match begun any more, and the creators of matches resign them.
  bool stopping = false;
};

class WatchCall;

// One account, and its seat in one match after another: lays a fleet, fires when it may, follows
// its stream and checks all that it is told. For the loop's thread.
class Player {
 public:
  // All must outlive the player.
  Player(Common& common, Connection& connection) : common_(common), connection_(connection) {}
  ~Player();
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  // Registers a new account under `handle`; then, once, `done`.
  void Register(const std::string& handle, const std::function<void()>& done);

  // Plays this match to its end. `over` is called once, when the stream has told of the end and
  // everything is compared. The rival, who plays the other seat, must outlive the match.
  void Play(const std::string& match_id, Player& rival, absl::AnyInvocable<void()> over);

  // Does what is to be done now, if anything: after news, and after Common::stopping was set.
  void Act();

  // Sends a request of this account to one of the stubs, as often as it takes. `done` gets the
  // answer alone: a refusal that may pass is told to `refused`, any other ends the run.
  template <typename Stub, typename Request, typename Response>
  void Call(Stub& stub,
            std::unique_ptr<grpc::ClientAsyncResponseReader<Response>> (Stub::*method)(
                grpc::ClientContext*, const Request&, grpc::CompletionQueue*),
            Request request, absl::AnyInvocable<void()> refused,
            absl::AnyInvocable<void(const Response&)> done) {
    new UnaryCall<Stub, Request, Response>(
        common_.loop, stub, method, access_token_, std::move(request),
        [this](const absl::Status& status) { common_.tally.Error(status); },
        [this, refused = std::move(refused), done = std::move(done)](
            const absl::Status& status, const Response& response) mutable {
          if (status.ok()) return done(response);
          if (MayPass(status)) {
            common_.loop.After(kLongestPause, std::move(refused));
          } else {
            common_.tally.Fail(status);
          }
        });
  }

  bool in_battle() const {
    return history_.begun() && history_.state().phase() == match::v1::PHASE_BATTLE;
  }
  const History& history() const { return history_; }

  // The faults of the match that is over, of this player's shots too, as both streams told them.
  Faults FaultsWith(const Player& rival) const;

 private:
  static bool MayPass(const absl::Status& status);

  bool knows_end() const {
    return history_.begun() && history_.state().phase() == match::v1::PHASE_OVER;
  }

  // Nothing else is sent while a call is under way or a thought is thought.
  void ProposeFleet();
  void ConfirmFleet(const match::v1::ProposeFleetResponse& proposed);
  void Fire();
  void Resign();
  void Free();
  template <typename Request>
  Request NewRequest();

  void Watch();
  void TakeMessage(const match::v1::WatchMatchResponse& message);
  void TakeEvent(const match::v1::MatchEvent& event);
  void TakeStreamEnd(const absl::Status& status);
  void EndIfOver();
  void CompareWithServer();

  Common& common_;
  Connection& connection_;
  std::string access_token_;

  std::string match_id_;
  Player* rival_ = nullptr;
  absl::AnyInvocable<void()> over_;
  History history_;
  // Null while none is open.
  WatchCall* stream_ = nullptr;
  absl::Duration stream_pause_;
  bool busy_ = false;
  bool resigned_ = false;
  // This player's shots and volleys of the match: all, and those that were answered.
  std::vector<std::string> sent_;
  std::vector<std::string> acknowledged_;
  // When those were sent that the rival has not yet been told of.
  std::deque<absl::Time> untold_;
};

}  // namespace naval::load
