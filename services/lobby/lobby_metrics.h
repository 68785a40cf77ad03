#pragma once

#include <memory>

#include "lib/metrics/service_metrics.h"
#include "services/lobby/lobby_observer.h"

namespace naval::lobby {

// All metrics of the lobby; each one's HELP, in lobby_metrics.cc, says what it means to whoever is
// on call. Thread safe.
class LobbyMetrics final : public LobbyObserver, public metrics::ServiceMetrics {
 public:
  LobbyMetrics();
  ~LobbyMetrics() override;

  void AccountMade(AccountOrigin origin) override;
  void LoggedIn(const absl::Status& outcome) override;
  void Refreshed(const absl::Status& outcome) override;
  void MatchAsked(const absl::Status& answer) override;
  void TablesCounted(const absl::StatusOr<WaitingTables>& tables) override;

 private:
  struct Metrics;

  const std::unique_ptr<Metrics> metrics_;
};

}  // namespace naval::lobby
