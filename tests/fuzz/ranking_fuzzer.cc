// Calls of the ranking, on a database with the results of a few matches: $account_id1 and on have a
// rating. $access_token1 is good. Nothing that these calls do changes anything.

#include <cstdlib>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "lib/server/channel.h"
#include "services/ranking/test_ranking.h"
#include "tests/fuzz/calls.h"
#include "tests/fuzz/fail.h"
#include "tests/fuzz/text_target.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/test_database.h"

namespace naval::fuzz {
namespace {

constexpr int kPlayers = 12;

struct FuzzedRanking {
  FuzzedRanking() {
    for (int player = 1; player < kPlayers; ++player) {
      Require(ranking.RecordResult(ranking::WonBy(player, player, player + 1)).ok(),
              "a result could not be recorded");
    }
    words.Add("access_token", ranking.access_token());
    for (int player = 1; player <= kPlayers; ++player) {
      words.Add("account_id", ranking::AccountId(player));
    }
  }

  testing::TestDatabase database;
  ranking::TestRanking ranking{database.PoolOptions("ranking")};
  std::shared_ptr<grpc::Channel> channel = server::NewChannel(ranking.address());
  Words words;
};

const Calls& RankingCalls() {
  static const auto& calls = *new Calls({"naval.ranking.v1.RankingService"});
  return calls;
}

}  // namespace

const google::protobuf::Message& EmptyInput() { return RankingCalls().empty(); }

void RunInput(const google::protobuf::Message& input) {
  testing::PinGrpc();
  static auto& fuzzed = *new auto(std::make_unique<FuzzedRanking>());
  RankingCalls().Run(input, fuzzed->words,
                     {.channel = fuzzed->channel,
                      // The clock stands still, or the token would end.
                      .wait = [](absl::Duration) {},
                      .check = [](const Exchange&) {},
                      .end = [] {}});
  // Before the libraries' own statics, all of which are made by now: its threads use them.
  [[maybe_unused]] static const int at_exit = std::atexit([] { fuzzed.reset(); });
}

}  // namespace naval::fuzz
