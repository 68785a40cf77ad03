#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/clock.h"
#include "lib/base/random.h"
#include "naval/match/v1/match.pb.h"
#include "tests/support/cluster.h"
#include "tools/client/client.h"
#include "tools/client/player.h"

namespace naval::testing {

inline constexpr char kPassword[] = "tres barcos de papel azul";

// Makes those who play in a test, with real time and chance. Calls of theirs wait up to a minute
// for a service that is away. A person that cannot register ends the test program.
class People {
 public:
  // `cluster` must outlive the people.
  explicit People(const Cluster& cluster) : cluster_(cluster) {}

  // A registered account, which plays at this process of the match service.
  std::unique_ptr<client::Client> NewAccount(const std::string& handle,
                                             Service match = Service::kMatch);
  std::unique_ptr<client::Client> NewGuest();

  std::unique_ptr<client::Player> NewPlayer(client::Client& client, const std::string& match_id);

  base::Clock& clock() { return clock_; }
  base::Random& random() { return random_; }

 private:
  std::unique_ptr<client::Client> NewStranger(Service match);

  const Cluster& cluster_;
  base::SystemClock clock_;
  base::SecureRandom random_;
};

// Runs both at the same time; gives the first error.
absl::Status Together(absl::FunctionRef<absl::Status()> one,
                      absl::FunctionRef<absl::Status()> other);

// The whole match as a new client of this account is told it: every event from number 1 on.
absl::StatusOr<std::vector<match::v1::MatchEvent>> WholeStory(client::Client& client,
                                                              const std::string& match_id);

// How many messages of the match service to `service` about this match are not delivered.
int UndeliveredMessages(Cluster& cluster, const std::string& match_id, Service service);

}  // namespace naval::testing
