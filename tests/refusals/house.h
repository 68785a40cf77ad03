#pragma once

#include <grpcpp/grpcpp.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/auth/access_token.h"
#include "lib/auth/sealer.h"
#include "lib/base/clock.h"
#include "lib/base/random.h"
#include "lib/base/secret.h"
#include "lib/base/simulated_clock.h"
#include "lib/postgres/pool.h"
#include "lib/server/server.h"
#include "services/lobby/lobby_application.h"
#include "services/match/match_application.h"
#include "services/ranking/ranking_application.h"
#include "tests/support/reserved_port.h"
#include "tests/support/test_database.h"
#include "tests/support/test_keys.h"

namespace naval::testing {

// A clock that stands still until it is moved, and whose alarms can be late: it shows a later time
// then, but wakes nobody. Thread safe.
class LateClock final : public base::Clock {
 public:
  explicit LateClock(absl::Time now) : clock_(now) {}

  absl::Time Now() const override NAVAL_EXCLUDES(mutex_);
  bool WaitUntil(base::CondVar& changed, base::Mutex& mutex, absl::Time deadline)
      NAVAL_REQUIRES(mutex) override;

  // Moves time forward and wakes who waits for it.
  void Advance(absl::Duration duration) { clock_.Advance(duration); }
  // Moves time forward; those who wait are woken by RingAlarms.
  void AdvanceSilently(absl::Duration duration) NAVAL_EXCLUDES(mutex_);
  void RingAlarms() NAVAL_EXCLUDES(mutex_);

 private:
  base::SimulatedClock clock_;
  mutable base::Mutex mutex_;
  absl::Duration late_ NAVAL_GUARDED_BY(mutex_) = absl::ZeroDuration();
};

// The three services in this process, wired to each other as in production: real ports, a database
// of their own, and one clock. Ends the test program when something does not start. For one thread.
class House {
 public:
  House();
  ~House();
  House(const House&) = delete;
  House& operator=(const House&) = delete;

  // How many connections to each port there are: a server takes 1000 calls at once over one.
  static constexpr int kConnections = 5;

  // A connection to the port that serves this service ("naval.lobby.v1.LobbyService"), from 0.
  std::shared_ptr<grpc::Channel> Channel(absl::string_view service, int connection = 0) const;

  // The match service ends and comes back, with what it had in the database only.
  void RestartMatch(std::size_t max_matches = match::kMaxMatches);

  LateClock& clock() { return clock_; }
  TestDatabase& database() { return database_; }
  const auth::Signer& signer() const { return keys_.signer; }
  const base::Secret& service_token() const { return service_token_; }
  std::string NewId();

 private:
  struct Served {
    std::unique_ptr<server::Application> application;
    std::unique_ptr<server::Server> server;
    std::array<std::shared_ptr<grpc::Channel>, kConnections> public_channels;
    std::array<std::shared_ptr<grpc::Channel>, kConnections> internal_channels;

    // What was served before ends first.
    void Serve(std::unique_ptr<server::Application> next, int internal_port);
    void End();
  };

  LateClock clock_;
  base::SecureRandom random_;
  TestDatabase database_;
  const base::Secret service_token_;
  const TestKeys keys_ = NewTestKeys();
  const auth::Sealer sealer_ = NewTestSealer();
  // The internal ports, taken before anything starts: the services call each other.
  const ReservedPort lobby_port_;
  const ReservedPort match_port_;
  const ReservedPort ranking_port_;
  Served ranking_;
  Served lobby_;
  Served match_;
};

}  // namespace naval::testing
