#include "tests/refusals/house.h"

#include <utility>

#include "absl/strings/match.h"
#include "lib/base/ids.h"
#include "lib/postgres/migrations.h"
#include "naval/lobby/migrations.h"
#include "naval/match/migrations.h"
#include "naval/ranking/migrations.h"
#include "services/match/outbox_senders.h"
#include "tests/support/local_address.h"
#include "tests/support/or_die.h"

namespace naval::testing {
namespace {

// A script may hold what a call needs for as long as it has to: that must not look like a database
// in trouble.
postgres::Pool::Options Patient(postgres::Pool::Options options) {
  options.statement_timeout = absl::Seconds(30);
  options.lock_timeout = absl::Seconds(30);
  return options;
}

std::shared_ptr<grpc::Channel> ChannelTo(int port) {
  grpc::ChannelArguments arguments;
  // A connection of its own.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(LocalAddress(port), grpc::InsecureChannelCredentials(),
                                   arguments);
}

}  // namespace

absl::Time LateClock::Now() const {
  base::MutexLock lock(mutex_);
  return clock_.Now() + late_;
}

bool LateClock::WaitUntil(base::CondVar& changed, base::Mutex& mutex, absl::Time deadline) {
  return clock_.WaitUntil(changed, mutex, deadline);
}

void LateClock::AdvanceSilently(absl::Duration duration) {
  base::MutexLock lock(mutex_);
  late_ += duration;
}

void LateClock::RingAlarms() {
  absl::Duration late;
  {
    base::MutexLock lock(mutex_);
    late = std::exchange(late_, absl::ZeroDuration());
  }
  clock_.Advance(late);
}

House::House()
    : clock_(absl::FromUnixSeconds(1'767'225'600)), service_token_(std::string(40, 't')) {
  postgres::Pool lobby(database_.PoolOptions("lobby"));
  postgres::Pool match(database_.PoolOptions("match"));
  postgres::Pool ranking(database_.PoolOptions("ranking"));
  DieUnless(postgres::Migrate(lobby, lobby::kSchema));
  DieUnless(postgres::Migrate(match, match::kSchema));
  DieUnless(postgres::Migrate(ranking, ranking::kSchema));
  ranking_.Serve(
      ValueOrDie(ranking::RankingApplication::Start(Patient(database_.PoolOptions("ranking")),
                                                    keys_.verifier, service_token_, clock_)),
      ranking_port_.port());
  RestartMatch();
  lobby_.Serve(ValueOrDie(lobby::LobbyApplication::Start(
                   {.database = Patient(database_.PoolOptions("lobby")),
                    .match_address = LocalAddress(match_port_.port()),
                    .password_cost = auth::kCheapestPasswordCost},
                   keys_.signer, keys_.verifier, service_token_, clock_)),
               lobby_port_.port());
}

House::~House() {
  for (Served* served : {&lobby_, &match_, &ranking_}) served->End();
}

void House::RestartMatch(std::size_t max_matches) {
  match_.End();
  postgres::Pool::Options database = Patient(database_.PoolOptions("match"));
  database.max_connections = 8;
  match_.Serve(ValueOrDie(match::MatchApplication::Start(
                   {.database = std::move(database),
                    .core = {.send_to_lobby = match::SendToLobby(LocalAddress(lobby_port_.port()),
                                                                 service_token_),
                             .send_to_ranking = match::SendToRanking(
                                 LocalAddress(ranking_port_.port()), service_token_),
                             .owner = "house",
                             .max_matches = max_matches,
                             .bots_pause = false}},
                   keys_.verifier, sealer_, service_token_, clock_)),
               match_port_.port());
}

std::shared_ptr<grpc::Channel> House::Channel(absl::string_view service, int connection) const {
  const Served& served = absl::StrContains(service, ".lobby.")   ? lobby_
                         : absl::StrContains(service, ".match.") ? match_
                                                                 : ranking_;
  const bool internal = absl::StrContains(service, "Internal");
  const auto& channels = internal ? served.internal_channels : served.public_channels;
  return channels.at(static_cast<size_t>(connection));
}

std::string House::NewId() { return base::NewId(clock_, random_); }

void House::Served::Serve(std::unique_ptr<server::Application> next, int internal_port) {
  application = std::move(next);
  server = ValueOrDie(server::Server::Start(
      {.listen_address = LocalAddress(0), .internal_listen_address = LocalAddress(internal_port)},
      *application));
  for (auto& channel : public_channels) channel = ChannelTo(server->public_port());
  for (auto& channel : internal_channels) channel = ChannelTo(server->internal_port());
}

void House::Served::End() {
  server.reset();
  application.reset();
}

}  // namespace naval::testing
