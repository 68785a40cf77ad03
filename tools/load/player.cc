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
using AccountStub = lobby::v1::AccountService::Stub;

constexpr char kPassword[] = "tres barcos de papel azul";

// Of the 15 minutes that an access token lasts.
constexpr absl::Duration kRefreshInterval = absl::Minutes(8);

// With another process to turn to.
constexpr absl::Duration kShortTry = absl::Seconds(2);

// A stream tells something every 10 s.
constexpr absl::Duration kLongestSilence = absl::Seconds(12);

// A read may be answered long after it was asked, by a process that was halted.
constexpr absl::Duration kReadTimeout = absl::Seconds(40);

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

  WatchCall(EventLoop& loop, v1::MatchService::Stub& stub, bool wait_for_ready,
            const std::string& access_token, const v1::WatchMatchRequest& request, Message message,
            End end)
      : Operation(loop), message_(std::move(message)), end_(std::move(end)) {
    Authorize(access_token, context_);
    context_.set_wait_for_ready(wait_for_ready);
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

Connection::Connection(const std::string& lobby_address,
                       const std::vector<std::string>& match_addresses)
    : accounts(lobby::v1::AccountService::NewStub(client::Connect(lobby_address))),
      lobby(lobby::v1::LobbyService::NewStub(client::Connect(lobby_address))) {
  for (const std::string& address : match_addresses) {
    matches.push_back(v1::MatchService::NewStub(client::Connect(address)));
  }
}

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

Patience Player::match_patience() const {
  if (connection_.matches.size() == 1) return {};
  return {.try_timeout = kShortTry, .wait_for_ready = false};
}

void Player::TakeFailure(const absl::Status& status, const MatchStub& stub) {
  common_.tally.Error(status);
  if (!MayTryAgain(status)) return;
  if (!call_failed_.has_value()) call_failed_ = common_.loop.clock().Now();
  Leave(stub);
  // Nor does that process tell anything.
  if (absl::IsDeadlineExceeded(status) && stream_ != nullptr && stream_stub_ == &stub) {
    stream_->Cancel();
  }
}

void Player::Leave(const MatchStub& stub) {
  if (&stub == &match_stub()) match_process_ = (match_process_ + 1) % connection_.matches.size();
}

void Player::EndPause(std::optional<absl::Time>& failed) {
  if (failed.has_value() && common_.witness != nullptr) {
    common_.witness->Paused(*failed, common_.loop.clock().Now());
  }
  failed.reset();
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
        refresh_token_ = response.session().refresh_token();
        RefreshLater();
        done();
      });
}

void Player::RefreshLater() {
  common_.loop.After(kRefreshInterval, [this] {
    lobby::v1::RefreshRequest request;
    request.set_refresh_token(refresh_token_);
    Call<AccountStub, lobby::v1::RefreshRequest, lobby::v1::RefreshResponse>(
        *connection_.accounts, &AccountStub::PrepareAsyncRefresh, request,
        [this] { RefreshLater(); },
        [this](const lobby::v1::RefreshResponse& response) {
          access_token_ = response.session().access_token();
          refresh_token_ = response.session().refresh_token();
          RefreshLater();
        });
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
  answers_.clear();
  idle_seq_ = -1;
  call_failed_.reset();
  stream_failed_.reset();
  Watch();
  ReadLater();
}

void Player::Act() {
  if (busy_ || !history_.begun() || !history_.up_to_date() || knows_end()) return;
  const v1::Match& match = history_.state();
  if (common_.ending == Ending::kResigned) {
    if (match.viewer_seat() == v1::SEAT_SECOND) return rival_->Act();
    // Not into a call of the rival's, which would be refused, nor after the rival's last shot.
    if (!resigned_ && !rival_->busy_ && !rival_->knows_end()) Resign();
  } else if (AwaitsFleet(match)) {
    ProposeFleet();
  } else if (client::MayFire(match) && !IdlesNow()) {
    busy_ = true;
    const absl::Duration think_time = common_.habits.think_time;
    if (think_time == absl::ZeroDuration()) return Fire();
    // Between half of it and one and a half, or all would think in step.
    const auto percent = static_cast<int64_t>(50 + common_.random.Uniform(101));
    common_.loop.After(think_time * percent / 100, [this] { Fire(); });
  }
}

bool Player::IdlesNow() {
  const int percent = common_.habits.idle_percent;
  if (percent == 0 || common_.ending != Ending::kNone) return false;
  const int64_t seq = history_.state().seq();
  if (idle_seq_ != seq) idles_ = common_.random.Uniform(100) < static_cast<uint64_t>(percent);
  idle_seq_ = seq;
  return idles_;
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

void Player::Acknowledge(const std::string& request_id, const History::Events& events) {
  history_.Acknowledge(events);
  if (common_.witness == nullptr) return;
  Answer& answer = answers_.emplace_back(Answer{.request_id = request_id, .events = {}});
  for (const v1::MatchEvent& event : events) answer.events.push_back(event.SerializeAsString());
}

void Player::ProposeFleet() {
  const auto request = NewRequest<v1::ProposeFleetRequest>();
  CallMatch<v1::ProposeFleetRequest, v1::ProposeFleetResponse>(
      &MatchStub::PrepareAsyncProposeFleet, request, [this] { Free(); },
      [this, id = request.request_id()](const v1::ProposeFleetResponse& response) {
        Acknowledge(id, response.events());
        ConfirmFleet(response);
      });
}

void Player::ConfirmFleet(const v1::ProposeFleetResponse& proposed) {
  auto request = NewRequest<v1::ConfirmFleetRequest>();
  *request.mutable_fleet() = proposed.fleet();
  CallMatch<v1::ConfirmFleetRequest, v1::ConfirmFleetResponse>(
      &MatchStub::PrepareAsyncConfirmFleet, request, [this] { Free(); },
      [this, id = request.request_id()](const v1::ConfirmFleetResponse& response) {
        Acknowledge(id, response.events());
        Free();
      });
}

void Player::Fire() {
  if (common_.ending == Ending::kResigned || !history_.begun() ||
      !client::MayFire(history_.state()))
    return Free();
  const v1::Match& match = history_.state();
  auto request = NewRequest<v1::FireShotsRequest>();
  request.set_round(match.round());
  for (std::string& square : client::ChooseShots(match, common_.random)) {
    request.add_squares(std::move(square));
  }
  sent_.push_back(ShotName(request, match));
  const absl::Time sent = common_.loop.clock().Now();
  untold_.push_back(sent);
  CallMatch<v1::FireShotsRequest, v1::FireShotsResponse>(
      &MatchStub::PrepareAsyncFireShots, request,
      /*refused=*/
      [this] {
        if (!untold_.empty()) untold_.pop_back();
        Free();
      },
      [this, sent, id = request.request_id()](const v1::FireShotsResponse& response) {
        common_.tally.Shot(common_.loop.clock().Now() - sent);
        acknowledged_.push_back(sent_.back());
        Acknowledge(id, response.events());
        Free();
      });
}

void Player::Resign() {
  resigned_ = true;
  const auto request = NewRequest<v1::ResignRequest>();
  CallMatch<v1::ResignRequest, v1::ResignResponse>(
      &MatchStub::PrepareAsyncResign, request, [this] { Free(); },
      [this, id = request.request_id()](const v1::ResignResponse& response) {
        Acknowledge(id, response.events());
        Free();
      });
}

void Player::ReadLater() {
  if (common_.habits.read_interval == absl::ZeroDuration()) return;
  common_.loop.After(common_.habits.read_interval, [this, match_id = match_id_] {
    if (match_id == match_id_ && over_ != nullptr) Read();
  });
}

void Player::Read() {
  v1::GetMatchRequest request;
  request.set_match_id(match_id_);
  const int64_t known = history_.begun() ? history_.state().seq() : 0;
  for (const auto& process : connection_.matches) {
    new UnaryCall<MatchStub, v1::GetMatchRequest, v1::GetMatchResponse>(
        common_.loop, [&process]() -> MatchStub& { return *process; },
        &MatchStub::PrepareAsyncGetMatch, access_token_, request,
        {.try_timeout = kReadTimeout, .wait_for_ready = false, .try_again = false},
        [](const absl::Status&, const MatchStub&) {},
        [this, known](const absl::Status& status, const v1::GetMatchResponse& response) {
          if (status.ok()) common_.witness->ReadAnswered(response.match().seq() < known);
        });
  }
  if (stream_ != nullptr && common_.loop.clock().Now() - heard_ > kLongestSilence) {
    Leave(*stream_stub_);
    stream_->Cancel();
  }
  ReadLater();
}

void Player::Watch() {
  v1::WatchMatchRequest request;
  request.set_match_id(match_id_);
  request.set_events_together(true);
  if (history_.begun()) request.set_after_seq(history_.told_seq());
  heard_ = common_.loop.clock().Now();
  stream_stub_ = &match_stub();
  stream_ = new WatchCall(
      common_.loop, match_stub(), match_patience().wait_for_ready, access_token_, request,
      [this](const v1::WatchMatchResponse& message) { TakeMessage(message); },
      [this](const absl::Status& status) { TakeStreamEnd(status); });
}

void Player::TakeMessage(const v1::WatchMatchResponse& message) {
  stream_pause_ = absl::ZeroDuration();
  heard_ = common_.loop.clock().Now();
  EndPause(stream_failed_);
  if (message.has_snapshot()) {
    // Only the first stream begins with it.
    if (history_.begun()) return common_.tally.Fail(SnapshotAgain(match_id_));
    history_.Begin(message.snapshot());
  } else if (message.has_event()) {
    TakeEvent(message.event());
  } else if (message.has_events()) {
    for (const v1::MatchEvent& event : message.events().events()) TakeEvent(event);
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
  if (!status.ok()) {
    if (!stream_failed_.has_value()) stream_failed_ = common_.loop.clock().Now();
    Leave(*stream_stub_);
  }
  common_.loop.After(stream_pause_, [this] { Watch(); });
  stream_pause_ = std::min(std::max(stream_pause_ * 2, kFirstPause), kLongestPause);
}

void Player::CompareWithServer() {
  busy_ = true;
  v1::GetMatchRequest request;
  request.set_match_id(match_id_);
  CallMatch<v1::GetMatchRequest, v1::GetMatchResponse>(
      &MatchStub::PrepareAsyncGetMatch, request, [this] { CompareWithServer(); },
      [this](const v1::GetMatchResponse& response) {
        history_.Compare(response.match());
        if (common_.witness != nullptr) {
          common_.witness->MatchOver(
              {.match_id = match_id_,
               .seat = history_.state().viewer_seat() == v1::SEAT_SECOND ? 1 : 0,
               .first_seq = history_.first_seq(),
               .told = history_.told(),
               .answers = std::move(answers_)});
        }
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
