#include "tests/refusals/house.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/ids.h"
#include "lib/postgres/migrations.h"
#include "naval/lobby/migrations.h"
#include "naval/match/migrations.h"
#include "naval/ranking/migrations.h"
#include "services/match/outbox_senders.h"
#include "tests/support/temporary_folder.h"

namespace naval::testing {
namespace {

template <typename T>
T ValueOrDie(absl::StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  absl::FPrintF(stderr, "House: %s\n", value.status().ToString());
  std::exit(1);
}

void DieUnless(const absl::Status& status) {
  if (!status.ok()) ValueOrDie<int>(status);
}

std::string Local(int port) { return absl::StrCat("127.0.0.1:", port); }

std::shared_ptr<grpc::Channel> ChannelTo(int port) {
  grpc::ChannelArguments arguments;
  // A connection of its own.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(Local(port), grpc::InsecureChannelCredentials(), arguments);
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
  const TemporaryFolder folder;
  const std::string signing = folder.path() + "/signing";
  const std::string verify = folder.path() + "/verify";
  DieUnless(auth::GenerateKeyFiles(signing, verify));
  signer_ = std::make_unique<auth::Signer>(ValueOrDie(auth::Signer::FromFile(signing)));
  verifier_ = std::make_unique<auth::Verifier>(ValueOrDie(auth::Verifier::FromFile(verify)));
  postgres::Pool lobby(database_.PoolOptions("lobby"));
  postgres::Pool match(database_.PoolOptions("match"));
  postgres::Pool ranking(database_.PoolOptions("ranking"));
  DieUnless(postgres::Migrate(lobby, lobby::kSchema));
  DieUnless(postgres::Migrate(match, match::kSchema));
  DieUnless(postgres::Migrate(ranking, ranking::kSchema));
  ranking_.Serve(ValueOrDie(ranking::RankingApplication::Start(database_.PoolOptions("ranking"),
                                                               *verifier_, service_token_, clock_)),
                 ranking_port_.port());
  RestartMatch();
  lobby_.Serve(
      ValueOrDie(lobby::LobbyApplication::Start({.database = database_.PoolOptions("lobby"),
                                                 .match_address = Local(match_port_.port()),
                                                 .password_cost = auth::kCheapestPasswordCost},
                                                *signer_, *verifier_, service_token_, clock_)),
      lobby_port_.port());
}

House::~House() {
  for (Served* served : {&lobby_, &match_, &ranking_}) served->End();
}

void House::RestartMatch(std::size_t max_matches) {
  match_.End();
  postgres::Pool::Options database = database_.PoolOptions("match");
  database.max_connections = 8;
  match_.Serve(
      ValueOrDie(match::MatchApplication::Start(
          {.database = std::move(database),
           .send_to_lobby = match::SendToLobby(Local(lobby_port_.port()), service_token_),
           .send_to_ranking = match::SendToRanking(Local(ranking_port_.port()), service_token_),
           .max_matches = max_matches},
          *verifier_, service_token_, clock_)),
      match_port_.port());
}

std::shared_ptr<grpc::Channel> House::Channel(absl::string_view service, bool second) const {
  const Served& served = absl::StrContains(service, ".lobby.")   ? lobby_
                         : absl::StrContains(service, ".match.") ? match_
                                                                 : ranking_;
  const bool internal = absl::StrContains(service, "Internal");
  return (internal ? served.internal_channels : served.public_channels)[second ? 1 : 0];
}

std::string House::NewId() { return base::NewId(clock_, random_); }

void House::Served::Serve(std::unique_ptr<server::Application> next, int internal_port) {
  application = std::move(next);
  server = ValueOrDie(server::Server::Start(
      {.listen_address = Local(0), .internal_listen_address = Local(internal_port)}, *application));
  for (auto& channel : public_channels) channel = ChannelTo(server->public_port());
  for (auto& channel : internal_channels) channel = ChannelTo(server->internal_port());
}

void House::Served::End() {
  server.reset();
  application.reset();
}

}  // namespace naval::testing
