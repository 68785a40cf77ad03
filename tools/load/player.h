#pragma once

#include <grpcpp/grpcpp.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
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
#include "tools/load/witness.h"

namespace naval::load {

// The public API over a connection to each process, which several players share.
struct Connection {
  Connection(const std::string& lobby_address, const std::vector<std::string>& match_addresses);

  const std::unique_ptr<lobby::v1::AccountService::Stub> accounts;
  const std::unique_ptr<lobby::v1::LobbyService::Stub> lobby;
  // Of each process of the match service, at least one; any of them answers for every match.
  std::vector<std::unique_ptr<match::v1::MatchService::Stub>> matches;
};

// What players do besides playing on.
struct Habits {
  // Before each shot.
  absl::Duration think_time = absl::ZeroDuration();
  // Of a hundred turns, how many a player lets pass until the clock ends.
  int idle_percent = 0;
  // How often a player asks every process for the match, besides; zero: never.
  absl::Duration read_interval = absl::ZeroDuration();
};

// How the matches of a run come to their end; no other one is begun then.
enum class Ending {
  kNone,
  // They are played to their end.
  kPlayed,
  // No shot is sent any more, and their creators resign them.
  kResigned
};

// What all players have in common.
struct Common {
  EventLoop& loop;
  base::Random& random;
  Tally& tally;
  const Habits habits;
  // Null: nobody is told more than the tally.
  Witness* const witness = nullptr;
  Ending ending = Ending::kNone;
};

class WatchCall;

// One account, and its seat in one match after another: lays a fleet, fires when it may, follows
// its stream and checks all that it is told. For the loop's thread.
class Player {
 public:
  // Who turns to this process of the match service first, and to the next when it does not answer.
  // All must outlive the player.
  Player(Common& common, Connection& connection, std::size_t match_process)
      : common_(common),
        connection_(connection),
        match_process_(match_process % connection.matches.size()) {}
  ~Player();
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  // Registers a new account under `handle`; then, once, `done`.
  void Register(const std::string& handle, const std::function<void()>& done);

  // Plays this match to its end. `over` is called once, when the stream has told of the end and
  // everything is compared. The rival, who plays the other seat, must outlive the match.
  void Play(const std::string& match_id, Player& rival, absl::AnyInvocable<void()> over);

  // Does what is to be done now, if anything: after news, and after Common::ending was set.
  void Act();

  // Sends a request of this account to the lobby, as often as it takes. `done` gets the answer
  // alone: a refusal that may pass is told to `refused`, any other ends the run.
  template <typename Stub, typename Request, typename Response>
  void Call(Stub& stub,
            std::unique_ptr<grpc::ClientAsyncResponseReader<Response>> (Stub::*method)(
                grpc::ClientContext*, const Request&, grpc::CompletionQueue*),
            Request request, absl::AnyInvocable<void()> refused,
            absl::AnyInvocable<void(const Response&)> done) {
    new UnaryCall<Stub, Request, Response>(
        common_.loop, [&stub]() -> Stub& { return stub; }, method, access_token_,
        std::move(request), Patience(),
        [this](const absl::Status& status, const Stub&) { common_.tally.Error(status); },
        [this, refused = std::move(refused), done = std::move(done)](
            const absl::Status& status, const Response& response) mutable {
          Answered(status, response, std::move(refused), std::move(done));
        });
  }

  bool in_battle() const {
    return history_.begun() && history_.state().phase() == match::v1::PHASE_BATTLE;
  }
  const History& history() const { return history_; }

  // The faults of the match that is over, of this player's shots too, as both streams told them.
  Faults FaultsWith(const Player& rival) const;

 private:
  using MatchStub = match::v1::MatchService::Stub;

  static bool MayPass(const absl::Status& status);

  // The same to the match service. There is at most one at a time.
  template <typename Request, typename Response>
  void CallMatch(std::unique_ptr<grpc::ClientAsyncResponseReader<Response>> (MatchStub::*method)(
                     grpc::ClientContext*, const Request&, grpc::CompletionQueue*),
                 Request request, absl::AnyInvocable<void()> refused,
                 absl::AnyInvocable<void(const Response&)> done) {
    new UnaryCall<MatchStub, Request, Response>(
        common_.loop, [this]() -> MatchStub& { return match_stub(); }, method, access_token_,
        std::move(request), match_patience(),
        [this](const absl::Status& status, const MatchStub& stub) { TakeFailure(status, stub); },
        [this, refused = std::move(refused), done = std::move(done)](
            const absl::Status& status, const Response& response) mutable {
          EndPause(call_failed_);
          Answered(status, response, std::move(refused), std::move(done));
        });
  }

  template <typename Response>
  void Answered(const absl::Status& status, const Response& response,
                absl::AnyInvocable<void()> refused,
                absl::AnyInvocable<void(const Response&)> done) {
    if (status.ok()) return done(response);
    if (MayPass(status)) {
      common_.loop.After(kLongestPause, std::move(refused));
    } else {
      common_.tally.Fail(status);
    }
  }

  MatchStub& match_stub() { return *connection_.matches[match_process_]; }
  Patience match_patience() const;
  // A call with this stub failed.
  void TakeFailure(const absl::Status& status, const MatchStub& stub);
  // Turns to the next process, unless that was done since a call was sent with this stub.
  void Leave(const MatchStub& stub);
  void EndPause(std::optional<absl::Time>& failed);

  bool knows_end() const {
    return history_.begun() && history_.state().phase() == match::v1::PHASE_OVER;
  }

  // Nothing else is sent while a call is under way or a thought is thought.
  void ProposeFleet();
  void ConfirmFleet(const match::v1::ProposeFleetResponse& proposed);
  void Fire();
  void Resign();
  void Free();
  // Whether this turn is one that the player lets pass.
  bool IdlesNow();
  template <typename Request>
  Request NewRequest();
  // The answer to the request with this id.
  void Acknowledge(const std::string& request_id, const History::Events& events);

  void RefreshLater();
  void ReadLater();
  void Read();

  void Watch();
  void TakeMessage(const match::v1::WatchMatchResponse& message);
  void TakeEvent(const match::v1::MatchEvent& event);
  void TakeStreamEnd(const absl::Status& status);
  void EndIfOver();
  void CompareWithServer();

  Common& common_;
  Connection& connection_;
  // Index of Connection::matches.
  std::size_t match_process_;
  std::string access_token_;
  std::string refresh_token_;

  std::string match_id_;
  Player* rival_ = nullptr;
  absl::AnyInvocable<void()> over_;
  History history_;
  // Null while none is open.
  WatchCall* stream_ = nullptr;
  const MatchStub* stream_stub_ = nullptr;
  absl::Duration stream_pause_;
  // When the stream began or last told something.
  absl::Time heard_;
  // Since when the call that is under way has failed, and since when there was no stream.
  std::optional<absl::Time> call_failed_;
  std::optional<absl::Time> stream_failed_;
  bool busy_ = false;
  bool resigned_ = false;
  // This player's shots and volleys of the match: all, and those that were answered.
  std::vector<std::string> sent_;
  std::vector<std::string> acknowledged_;
  // When those were sent that the rival has not yet been told of.
  std::deque<absl::Time> untold_;
  // For the witness.
  std::vector<Answer> answers_;
  // The state of which it was decided whether the player idles, and how.
  int64_t idle_seq_ = -1;
  bool idles_ = false;
};

}  // namespace naval::load
