#include "tests/e2e/people.h"

#include <thread>
#include <utility>

#include "absl/time/time.h"
#include "lib/base/secret.h"
#include "lib/base/status_macros.h"
#include "lib/postgres/pool.h"
#include "tests/support/or_die.h"

namespace naval::testing {
std::unique_ptr<client::Client> People::NewStranger(Service match) {
  return std::make_unique<client::Client>(
      client::Client::Options{.addresses = {.lobby = cluster_.Address(Service::kLobby),
                                            .match = cluster_.Address(match),
                                            .ranking = cluster_.Address(Service::kRanking)},
                              .call_timeout = absl::Minutes(1)},
      clock_, random_);
}

std::unique_ptr<client::Client> People::NewAccount(const std::string& handle, Service match) {
  auto client = NewStranger(match);
  DieUnless(client->Register(handle, base::Secret(kPassword)));
  return client;
}

std::unique_ptr<client::Client> People::NewGuest() {
  auto client = NewStranger(Service::kMatch);
  DieUnless(client->CreateGuest());
  return client;
}

std::unique_ptr<client::Player> People::NewPlayer(client::Client& client,
                                                  const std::string& match_id) {
  return std::make_unique<client::Player>(client, clock_, random_, match_id);
}

absl::Status Together(absl::FunctionRef<absl::Status()> one,
                      absl::FunctionRef<absl::Status()> other) {
  absl::Status status_of_other;
  std::thread thread([&] { status_of_other = other(); });
  const absl::Status status_of_one = one();
  thread.join();
  return status_of_one.ok() ? status_of_other : status_of_one;
}

absl::StatusOr<std::vector<match::v1::MatchEvent>> WholeStory(client::Client& client,
                                                              const std::string& match_id) {
  NAVAL_ASSIGN_OR_RETURN(const match::v1::Match match, MatchOf(client, match_id));
  auto stream = client.Watch(match_id, 0);
  std::vector<match::v1::MatchEvent> events;
  while (static_cast<int64_t>(events.size()) < match.seq()) {
    const auto message = stream->Next();
    if (message.has_value()) {
      if (message->has_event()) events.push_back(message->event());
      continue;
    }
    if (!stream->status().ok()) return stream->status();
    // A long story comes in parts: the stream asked to go on with another one.
    stream = client.Watch(match_id, static_cast<int64_t>(events.size()));
  }
  return events;
}

int UndeliveredMessages(Cluster& cluster, const std::string& match_id, Service service) {
  postgres::Pool pool(cluster.database().PoolOptions());
  const auto undelivered =
      ValueOrDie(pool.Transact([&](postgres::Transaction& transaction) -> absl::StatusOr<int64_t> {
        NAVAL_ASSIGN_OR_RETURN(
            const postgres::Rows rows,
            transaction.Execute("SELECT count(*) AS undelivered FROM match.match_outbox"
                                " WHERE match_id = $1 AND destination = $2"
                                " AND delivered_time IS NULL",
                                {match_id, ServiceName(service)}));
        return rows[0].Get<int64_t>("undelivered");
      }));
  return static_cast<int>(undelivered);
}

}  // namespace naval::testing
