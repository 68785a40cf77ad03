// Calls of the lobby's two services, from an empty database on. An input makes its accounts itself:
// what the answers hold ($access_token1, $table_id1, $join_code1, $refresh_token1, ...) it can use
// from then on. The match service is a fake that takes every match.

#include <cstdlib>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/postgres/transaction.h"
#include "lib/server/channel.h"
#include "services/lobby/test_lobby.h"
#include "tests/fuzz/calls.h"
#include "tests/fuzz/fail.h"
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
  LobbyCalls().Run(
      input, Words(),
      {.channel = fuzzed->channel,
       .wait = [](absl::Duration duration) { fuzzed->lobby.clock().Advance(duration); },
       .check = [](const Exchange&) {},
       .end = [] {}});
  // Before the libraries' own statics, all of which are made by now: its threads use them.
  [[maybe_unused]] static const int at_exit = std::atexit([] { fuzzed.reset(); });
}

}  // namespace naval::fuzz
