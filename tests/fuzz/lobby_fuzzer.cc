// Calls of the lobby's two services, from an empty database on. An input makes its accounts itself:
// what the answers hold ($access_token1, $table_id1, $join_code1, $refresh_token1, ...) it can use
// from then on. The match service is a fake that takes every match.

#include <cstdlib>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/base/simulated_clock.h"
#include "lib/postgres/transaction.h"
#include "lib/server/channel.h"
#include "naval/lobby/v1/account_service.pb.h"
#include "naval/lobby/v1/lobby_service.pb.h"
#include "services/lobby/account_store.h"
#include "services/lobby/test_lobby.h"
#include "tests/fuzz/calls.h"
#include "tests/fuzz/fail.h"
#include "tests/fuzz/repetitions.h"
#include "tests/fuzz/text_target.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/test_database.h"

namespace naval::fuzz {
namespace {

// The fake remembers every match, and the clock never goes back: after so many inputs all is made
// anew.
constexpr int kInputsOfLobby = 10'000;

struct FuzzedLobby {
  testing::TestDatabase database;
  lobby::TestLobby lobby{database.PoolOptions("lobby")};
  std::shared_ptr<grpc::Channel> channel = server::NewChannel(lobby.address());
};

// Deletes every account and table.
void Empty(postgres::Pool& pool) {
  const absl::Status status = pool.Transact([](postgres::Transaction& transaction) -> absl::Status {
    for (const char* const table : {"lobby.game_table", "lobby.account"}) {
      const auto deleted = transaction.Execute(absl::StrCat("DELETE FROM ", table));
      if (!deleted.ok()) return deleted.status();
    }
    return absl::OkStatus();
  });
  Require(status.ok(), absl::StrCat("the database could not be emptied: ", status.ToString()));
}

template <typename Response>
Response As(const Exchange& exchange) {
  Response response;
  if (!exchange.answer.messages.empty()) response.ParseFromString(exchange.answer.messages[0]);
  return response;
}

// The accounts and tables of one input, and what is promised of calls that are made again.
class Promises {
 public:
  void Check(const Exchange& exchange, absl::Time now) {
    const std::string& method = exchange.method->name();
    if (method == "CreateGuest") {
      repetitions_.Check(
          exchange, As<lobby::v1::CreateGuestResponse>(exchange).session().account().account_id(),
          now);
    } else if (method == "Register") {
      const std::string account_id =
          As<lobby::v1::RegisterResponse>(exchange).session().account().account_id();
      repetitions_.Check(exchange, account_id, now);
      // A guest that has registered is no guest any more.
      repetitions_.Forget("CreateGuest", account_id);
    } else if (method == "CreateTable") {
      repetitions_.Check(exchange, As<lobby::v1::CreateTableResponse>(exchange).table().table_id(),
                         now);
    } else if (method == "JoinTable") {
      repetitions_.Check(exchange, As<lobby::v1::JoinTableResponse>(exchange).table().table_id(),
                         now);
    } else if (method == "LeaveTable" || method == "LogOut") {
      repetitions_.Check(exchange, "", now);
    }
  }

 private:
  // What is repeated is known for this long in any case.
  Repetitions repetitions_{lobby::kAccountRequestLifetime};
};

const Calls& LobbyCalls() {
  static const auto& calls =
      *new Calls({"naval.lobby.v1.AccountService", "naval.lobby.v1.LobbyService"});
  return calls;
}

}  // namespace

const google::protobuf::Message& EmptyInput() { return LobbyCalls().empty(); }

void RunInput(const google::protobuf::Message& input) {
  testing::PinGrpc();
  static int inputs = 0;
  static auto& fuzzed = *new std::unique_ptr<FuzzedLobby>;
  if (inputs++ % kInputsOfLobby == 0) {
    fuzzed.reset();
    fuzzed = std::make_unique<FuzzedLobby>();
  }
  Empty(fuzzed->lobby.pool());
  Promises promises;
  base::SimulatedClock& clock = fuzzed->lobby.clock();
  LobbyCalls().Run(
      input, Words(),
      {.channel = fuzzed->channel,
       .wait = [&](absl::Duration duration) { clock.Advance(duration); },
       .check = [&](const Exchange& exchange) { promises.Check(exchange, clock.Now()); },
       .end = [] {}});
  // Before the libraries' own statics, all of which are made by now: its threads use them.
  [[maybe_unused]] static const int at_exit = std::atexit([] { fuzzed.reset(); });
}

}  // namespace naval::fuzz
