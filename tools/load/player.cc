#include "tools/load/player.h"

#include <algorithm>
#include <optional>

#include "lib/base/error.h"
#include "lib/base/ids.h"
#include "lib/server/grpc_status.h"
#include "tools/client/connect.h"
#include "tools/client/hunter.h"
#include "tools/client/match_state.h"

namespace naval::load {
namespace {

namespace v1 = match::v1;
using MatchStub = v1::MatchService::Stub;
using AccountStub = lobby::v1::AccountService::Stub;

constexpr char kPassword[] = "tres barcos de papel azul";

// As History names it.
std::string ShotName(const v1::FireShotsRequest& shot, const v1::Match& match) {
  return match.rule_set().turn_order() == game::v1::TURN_ORDER_VOLLEY ? "volley" : shot.squares(0);
}

// Whether the event tells the rival of a shot or volley that a player sent.
bool TellsOfShot(const v1::MatchEvent& event, v1::Seat shooter) {
  return (event.has_shot_fired() && event.shot_fired().seat() == shooter &&
          !event.shot_fired().by_clock()) ||
         (event.has_volley_fired() && event.volley_fired().seat() == shooter &&
          !event.volley_fired().by_clock());
}

absl::Status SnapshotAgain(const std::string& match_id) {
  return absl::DataLossError(
      absl::StrCat("match ", match_id, ": the whole state came where events were asked for"));
}

bool AwaitsFleet(const v1::Match& match) {
  return match.phase() == v1::PHASE_PLACEMENT &&
         !client::SideOf(match, match.viewer_seat()).fleet_confirmed();
}

}  // namespace

// One WatchMatch call.
class WatchCall final : public EventLoop::Operation {
 public:
  using Message = absl::AnyInvocable<void(const v1::WatchMatchResponse&)>;
  using End = absl::AnyInvocable<void(const absl::Status&)>;

  WatchCall(EventLoop& loop, MatchStub& stub, const std::string& access_token,
            const v1::WatchMatchRequest& request, Message message, End end)
      : Operation(loop), message_(std::move(message)), end_(std::move(end)) {
    Authorize(access_token, context_);
    context_.set_wait_for_ready(true);
    reader_ = stub.PrepareAsyncWatchMatch(&context_, request, loop.queue());
    reader_->StartCall(this);
  }

  void Proceed(bool ok) override {
    if (finishing_) {
      auto end = std::move(end_);
      const absl::Status status = server::FromGrpcStatus(status_);
      const bool told = !loop().stopping();
      delete this;
      if (told) end(status);
      return;
    }
    if (ok && reading_ && !loop().stopping()) message_(response_);
    reading_ = true;
    if (ok) {
      reader_->Read(&response_, this);
    } else {
      finishing_ = true;
      reader_->Finish(&status_, this);
    }
  }

  void Cancel() override { context_.TryCancel(); }

 private:
  Message message_;
  End end_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientAsyncReader<v1::WatchMatchResponse>> reader_;
  v1::WatchMatchResponse response_;
  grpc::Status status_;
  bool reading_ = false;
  bool finishing_ = false;
};

Connection::Connection(const std::string& lobby_address, const std::string& match_address)
    : accounts(lobby::v1::AccountService::NewStub(client::Connect(lobby_address))),
      lobby(lobby::v1::LobbyService::NewStub(client::Connect(lobby_address))),
      match(v1::MatchService::NewStub(client::Connect(match_address))) {}

Player::~Player() = default;

bool Player::MayPass(const absl::Status& status) {
  switch (status.code()) {
    // The clock was faster, a table is not yet known to be free, somebody else was faster, or the
    // service has logged a fault of its own.
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kCancelled:
      return true;
    default:
      return MayTryAgain(status);
  }
}

void Player::Register(const std::string& handle, const std::function<void()>& done) {
  lobby::v1::RegisterRequest request;
  request.set_request_id(base::NewId(common_.loop.clock(), common_.random));
  request.set_handle(handle);
  request.set_password(kPassword);
  Call<AccountStub, lobby::v1::RegisterRequest, lobby::v1::RegisterResponse>(
      *connection_.accounts, &AccountStub::PrepareAsyncRegister, request,
      [this, handle, done] { Register(handle, done); },
      [this, done](const lobby::v1::RegisterResponse& response) {
        access_token_ = response.session().access_token();
        done();
      });
}

void Player::Play(const std::string& match_id, Player& rival, absl::AnyInvocable<void()> over) {
  match_id_ = match_id;
  rival_ = &rival;
  over_ = std::move(over);
  history_ = History();
  stream_pause_ = absl::ZeroDuration();
  busy_ = false;
  resigned_ = false;
  sent_.clear();
  acknowledged_.clear();
  untold_.clear();
  Watch();
}

void Player::Act() {
  if (busy_ || !history_.begun() || !history_.up_to_date() || knows_end()) return;
  const v1::Match& match = history_.state();
  if (common_.stopping) {
    if (match.viewer_seat() == v1::SEAT_SECOND) return rival_->Act();
    // Not into a call of the rival's, which would be refused, nor after the rival's last shot.
    if (!resigned_ && !rival_->busy_ && !rival_->knows_end()) Resign();
  } else if (AwaitsFleet(match)) {
    ProposeFleet();
  } else if (client::MayFire(match)) {
    busy_ = true;
    if (common_.think_time == absl::ZeroDuration()) return Fire();
    // Between half of it and one and a half, or all would think in step.
    const auto percent = static_cast<int64_t>(50 + common_.random.Uniform(101));
    common_.loop.After(common_.think_time * percent / 100, [this] { Fire(); });
  }
}

void Player::Free() {
  busy_ = false;
  EndIfOver();
  Act();
}

// An answer may come after the stream has told of everything and ended.
void Player::EndIfOver() {
  if (!busy_ && stream_ == nullptr && history_.begun() && history_.told_end()) CompareWithServer();
}

template <typename Request>
Request Player::NewRequest() {
  busy_ = true;
  Request request;
  request.set_match_id(match_id_);
  request.set_request_id(base::NewId(common_.loop.clock(), common_.random));
  return request;
}

void Player::ProposeFleet() {
  Call<MatchStub, v1::ProposeFleetRequest, v1::ProposeFleetResponse>(
      *connection_.match, &MatchStub::PrepareAsyncProposeFleet,
      NewRequest<v1::ProposeFleetRequest>(), [this] { Free(); },
      [this](const v1::ProposeFleetResponse& response) {
        history_.Acknowledge(response.events());
        ConfirmFleet(response);
      });
}

void Player::ConfirmFleet(const v1::ProposeFleetResponse& proposed) {
  auto request = NewRequest<v1::ConfirmFleetRequest>();
  *request.mutable_fleet() = proposed.fleet();
  Call<MatchStub, v1::ConfirmFleetRequest, v1::ConfirmFleetResponse>(
      *connection_.match, &MatchStub::PrepareAsyncConfirmFleet, request, [this] { Free(); },
      [this](const v1::ConfirmFleetResponse& response) {
        history_.Acknowledge(response.events());
        Free();
      });
}

void Player::Fire() {
  if (common_.stopping || !history_.begun() || !client::MayFire(history_.state())) return Free();
  const v1::Match& match = history_.state();
  auto request = NewRequest<v1::FireShotsRequest>();
  request.set_round(match.round());
  for (std::string& square : client::ChooseShots(match, common_.random)) {
    request.add_squares(std::move(square));
  }
  sent_.push_back(ShotName(request, match));
  const absl::Time sent = common_.loop.clock().Now();
  untold_.push_back(sent);
  Call<MatchStub, v1::FireShotsRequest, v1::FireShotsResponse>(
      *connection_.match, &MatchStub::PrepareAsyncFireShots, request,
      /*refused=*/
      [this] {
        if (!untold_.empty()) untold_.pop_back();
        Free();
      },
      [this, sent](const v1::FireShotsResponse& response) {
        common_.tally.Shot(common_.loop.clock().Now() - sent);
        acknowledged_.push_back(sent_.back());
        history_.Acknowledge(response.events());
        Free();
      });
}

void Player::Resign() {
  resigned_ = true;
  Call<MatchStub, v1::ResignRequest, v1::ResignResponse>(
      *connection_.match, &MatchStub::PrepareAsyncResign, NewRequest<v1::ResignRequest>(),
      [this] { Free(); },
      [this](const v1::ResignResponse& response) {
        history_.Acknowledge(response.events());
        Free();
      });
}

void Player::Watch() {
  v1::WatchMatchRequest request;
  request.set_match_id(match_id_);
  if (history_.begun()) request.set_after_seq(history_.told_seq());
  stream_ = new WatchCall(
      common_.loop, *connection_.match, access_token_, request,
      [this](const v1::WatchMatchResponse& message) { TakeMessage(message); },
      [this](const absl::Status& status) { TakeStreamEnd(status); });
}

void Player::TakeMessage(const v1::WatchMatchResponse& message) {
  stream_pause_ = absl::ZeroDuration();
  if (message.has_snapshot()) {
    // Only the first stream begins with it.
    if (history_.begun()) return common_.tally.Fail(SnapshotAgain(match_id_));
    history_.Begin(message.snapshot());
  } else if (message.has_event()) {
    TakeEvent(message.event());
  } else if (message.has_heartbeat()) {
    // Another stream brings what this one left out.
    if (!history_.TellLast(message.heartbeat().seq())) stream_->Cancel();
  }
  Act();
}

void Player::TakeEvent(const v1::MatchEvent& event) {
  if (!history_.Tell(event)) return;
  const v1::Seat rival_seat = client::RivalOf(history_.state().viewer_seat());
  if (!TellsOfShot(event, rival_seat) || rival_->untold_.empty()) return;
  common_.tally.Event(common_.loop.clock().Now() - rival_->untold_.front());
  rival_->untold_.pop_front();
}

void Player::TakeStreamEnd(const absl::Status& status) {
  stream_ = nullptr;
  // One that was canceled was so by us.
  if (!status.ok() && !absl::IsCancelled(status)) common_.tally.Error(status);
  history_.EndStream();
  if (history_.begun() && history_.told_end()) return EndIfOver();
  if (base::ReasonOf(status) == "AFTER_SEQ_OUT_OF_RANGE") {
    history_.LoseAll();
  } else if (!status.ok() && !MayPass(status)) {
    return common_.tally.Fail(status);
  }
  common_.loop.After(stream_pause_, [this] { Watch(); });
  stream_pause_ = std::min(std::max(stream_pause_ * 2, kFirstPause), kLongestPause);
}

void Player::CompareWithServer() {
  busy_ = true;
  v1::GetMatchRequest request;
  request.set_match_id(match_id_);
  Call<MatchStub, v1::GetMatchRequest, v1::GetMatchResponse>(
      *connection_.match, &MatchStub::PrepareAsyncGetMatch, request,
      [this] { CompareWithServer(); },
      [this](const v1::GetMatchResponse& response) {
        history_.Compare(response.match());
        auto over = std::move(over_);
        over();
      });
}

Faults Player::FaultsWith(const Player& rival) const {
  const v1::Seat seat = history_.state().viewer_seat();
  Faults faults = history_.faults();
  for (const History* const history : {&history_, &rival.history_}) {
    faults += CompareShots(sent_, acknowledged_, history->shots(seat));
  }
  return faults;
}

}  // namespace naval::load
