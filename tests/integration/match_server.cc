#include "tests/integration/match_server.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/ids.h"
#include "lib/postgres/migrations.h"
#include "lib/server/channel.h"
#include "naval/match/migrations.h"
#include "tests/support/local_address.h"
#include "tests/support/or_die.h"
#include "tests/support/wait_for.h"

namespace naval::testing {
namespace {

namespace v1 = match::v1;
using MatchStub = v1::MatchService::Stub;

constexpr char kServiceToken[] = "the key that the services of this test show each other";
// A broken service takes this long to be called broken.
constexpr absl::Duration kCallLimit = absl::Seconds(30);

std::string HandleOf(absl::string_view account_id) {
  if (account_id == kAna) return "ana";
  return account_id == kBruno ? "bruno" : "carla";
}

// A test may hold a row for as long as it needs: that must not look like a database in trouble.
postgres::Pool::Options Patient(postgres::Pool::Options options) {
  options.statement_timeout = kCallLimit;
  options.lock_timeout = kCallLimit;
  // Few, so that all are open before the calls come in crowds: a connection that is not made within
  // 2 s counts as lost, and under a sanitizer one may take as long.
  options.max_connections = 4;
  return options;
}

}  // namespace

absl::Time StartTime() { return absl::FromUnixSeconds(1'767'225'600); }

MatchHouse::MatchHouse()
    : clock(StartTime()),
      pool(Patient(database.PoolOptions("match"))),
      service_token(kServiceToken) {
  DieUnless(postgres::Migrate(pool, match::kSchema));
}

MatchServer::MatchServer(std::shared_ptr<MatchHouse> house, const std::string& owner)
    : house_(std::move(house)), owner_(owner) {
  Start();
}

MatchServer::~MatchServer() {
  if (server_ != nullptr) Stop();
}

void MatchServer::Start() {
  application_ = ValueOrDie(match::MatchApplication::Start(
      {.database = Patient(house_->database.PoolOptions("match")),
       .core = {.send_to_lobby = [](const std::string&) { return absl::OkStatus(); },
                .send_to_ranking =
                    [this](const std::string& body) {
                      base::MutexLock lock(mutex_);
                      results_.emplace_back().ParseFromString(body);
                      return absl::OkStatus();
                    },
                .owner = owner_,
                .peer_address = LocalAddress(internal_port_.port()),
                .bots_pause = false}},
      house_->keys.verifier, house_->sealer, house_->service_token, house_->clock));
  server_ = ValueOrDie(
      server::Server::Start({.listen_address = LocalAddress(0),
                             .internal_listen_address = LocalAddress(internal_port_.port())},
                            *application_));
  for (auto& stub : stubs_) {
    grpc::ChannelArguments arguments;
    // Else gRPC shares one connection between channels to the same address.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    stub = v1::MatchService::NewStub(
        grpc::CreateCustomChannel(address(), grpc::InsecureChannelCredentials(), arguments));
  }
}

std::string MatchServer::address() const { return LocalAddress(server_->public_port()); }

void MatchServer::Stop() {
  server_->Stop();
  server_.reset();
  application_.reset();
}

std::string MatchServer::NewId() { return base::NewId(house_->clock, house_->random); }

std::string MatchServer::TokenFor(const std::string& account_id) {
  // Once, for somebody may move the clock meanwhile.
  const absl::Time now = house_->clock.Now();
  const auth::Claims claims{.account_id = account_id,
                            .session_id = account_id,
                            .kind = auth::AccountKind::kRegistered,
                            .handle = HandleOf(account_id),
                            .issue_time = now,
                            .expire_time = now + auth::kAccessTokenLifetime};
  return std::string(house_->keys.signer.Sign(claims).Reveal());
}

std::unique_ptr<grpc::ClientContext> MatchServer::NewContext(const std::string& account_id) {
  auto context = std::make_unique<grpc::ClientContext>();
  context->AddMetadata("authorization", absl::StrCat("Bearer ", TokenFor(account_id)));
  context->set_deadline(gpr_time_from_nanos(absl::ToInt64Nanoseconds(kCallLimit), GPR_TIMESPAN));
  return context;
}

v1::CreateMatchRequest MatchServer::NewMatch(bool spectators_allowed) {
  v1::CreateMatchRequest request;
  request.set_match_id(NewId());
  request.set_table_id(NewId());
  request.mutable_rules()->set_rule_set("tablu");
  for (const char* const account_id : {kAna, kBruno}) {
    v1::Player& player = *request.add_players();
    player.set_account_id(account_id);
    player.set_handle(HandleOf(account_id));
  }
  request.set_rated(true);
  request.set_spectators_allowed(spectators_allowed);
  return request;
}

v1::CreateMatchRequest MatchServer::NewPractice() {
  v1::CreateMatchRequest request = NewMatch();
  request.mutable_rules()->set_untimed(true);
  request.set_rated(false);
  v1::Player& bot = *request.mutable_players(1);
  bot.Clear();
  bot.set_bot("jota");
  bot.set_handle("jota");
  return request;
}

std::unique_ptr<v1::MatchInternalService::Stub> MatchServer::NewInternalStub() const {
  return v1::MatchInternalService::NewStub(
      server::NewChannel(LocalAddress(server_->internal_port())));
}

absl::Status MatchServer::Create(const v1::CreateMatchRequest& request) {
  const auto context = server::NewClientContext(house_->service_token, kCallLimit);
  v1::CreateMatchResponse response;
  return server::FromGrpcStatus(NewInternalStub()->CreateMatch(context.get(), request, &response));
}

absl::StatusOr<v1::AbortMatchResponse> MatchServer::Abort(const std::string& match_id) {
  const auto context = server::NewClientContext(house_->service_token, kCallLimit);
  v1::AbortMatchRequest request;
  request.set_match_id(match_id);
  v1::AbortMatchResponse response;
  NAVAL_RETURN_IF_ERROR(
      server::FromGrpcStatus(NewInternalStub()->AbortMatch(context.get(), request, &response)));
  return response;
}

absl::StatusOr<v1::Match> MatchServer::Get(const std::string& account_id,
                                           const std::string& match_id) {
  v1::GetMatchRequest request;
  request.set_match_id(match_id);
  NAVAL_ASSIGN_OR_RETURN(const v1::GetMatchResponse response,
                         Call(account_id, &MatchStub::GetMatch, request));
  return response.match();
}

absl::StatusOr<v1::FireShotsResponse> MatchServer::Fire(const std::string& account_id,
                                                        const std::string& match_id,
                                                        const std::string& square) {
  v1::FireShotsRequest request;
  request.set_match_id(match_id);
  request.add_squares(square);
  return Call(account_id, &MatchStub::FireShots, request);
}

absl::StatusOr<v1::ConfirmFleetResponse> MatchServer::Confirm(const std::string& account_id,
                                                              const std::string& match_id,
                                                              const Fleet& fleet) {
  v1::ConfirmFleetRequest request;
  request.set_match_id(match_id);
  *request.mutable_fleet() = fleet;
  return Call(account_id, &MatchStub::ConfirmFleet, request);
}

std::unique_ptr<client::MatchStream> MatchServer::Watch(const std::string& account_id,
                                                        const std::string& match_id,
                                                        std::optional<int64_t> after_seq) {
  v1::WatchMatchRequest request;
  request.set_match_id(match_id);
  if (after_seq.has_value()) request.set_after_seq(*after_seq);
  return std::make_unique<client::MatchStream>(NextStub(), NewContext(account_id), request);
}

absl::StatusOr<v1::Match> MatchServer::WaitForMatch(
    const std::string& account_id, const std::string& match_id,
    const std::function<bool(const v1::Match&)>& condition) {
  absl::StatusOr<v1::Match> match;
  const bool holds = WaitFor([&] {
    match = Get(account_id, match_id);
    return !match.ok() || condition(*match);
  });
  if (holds) return match;
  return absl::DeadlineExceededError(absl::StrCat("the match stayed\n", match->DebugString()));
}

std::vector<ranking::v1::RecordResultRequest> MatchServer::results() const {
  base::MutexLock lock(mutex_);
  return results_;
}

HeldMatch::HeldMatch(postgres::Pool& pool, const std::string& match_id) : pool_(pool) {
  thread_ = std::thread([this, match_id] {
    DieUnless(pool_.Transact([&](postgres::Transaction& transaction) -> absl::Status {
      NAVAL_RETURN_IF_ERROR(
          transaction
              .Execute("SELECT 1 FROM match.match WHERE match_id = $1 FOR UPDATE", {match_id})
              .status());
      base::MutexLock lock(mutex_);
      held_ = true;
      changed_.NotifyAll();
      while (!released_) changed_.Wait(mutex_);
      return absl::OkStatus();
    }));
  });
  base::MutexLock lock(mutex_);
  while (!held_) changed_.Wait(mutex_);
}

HeldMatch::~HeldMatch() {
  {
    base::MutexLock lock(mutex_);
    released_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

// Locks of other databases of the cluster are other tests' business.
bool HeldMatch::HasWaiting() {
  const auto waiting =
      pool_.Transact([&](postgres::Transaction& transaction) -> absl::StatusOr<bool> {
        NAVAL_ASSIGN_OR_RETURN(const postgres::Rows rows,
                               transaction.Execute("SELECT EXISTS (SELECT 1 FROM pg_stat_activity"
                                                   " WHERE datname = current_database()"
                                                   " AND wait_event_type = 'Lock') AS waiting"));
        return rows[0].Get<bool>("waiting");
      });
  return ValueOrDie(waiting);
}

Fleet ParseFleet(absl::string_view text) {
  Fleet fleet;
  for (const absl::string_view ship : absl::StrSplit(text, ", ")) {
    const std::vector<std::string> words = absl::StrSplit(ship, ' ');
    if (words.size() != 3 || (words[2] != "right" && words[2] != "down")) {
      DieUnless(absl::InvalidArgumentError(absl::StrCat("no ship: ", ship)));
    }
    v1::ShipPlacement& placement = *fleet.Add();
    placement.set_ship_id(words[0]);
    placement.set_bow(words[1]);
    placement.set_orientation(words[2] == "right" ? v1::ORIENTATION_HORIZONTAL
                                                  : v1::ORIENTATION_VERTICAL);
  }
  return fleet;
}

Fleet RowsFleet() {
  return ParseFleet(
      "portaaviones A1 right, acorazado A3 right, fragata A5 right, submarino A7 right,"
      " lancha A9 right");
}

}  // namespace naval::testing
