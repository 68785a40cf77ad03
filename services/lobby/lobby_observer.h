#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace naval::lobby {

// How an account came to be.
enum class AccountOrigin {
  kGuest,
  kRegistered,
  // A guest registered and kept its id.
  kGuestRegistered,
};

// Tables on their way to a match.
struct WaitingTables {
  // For a rival.
  std::int64_t open = 0;
  // For the match service.
  std::int64_t starting = 0;
};

// Is told what happens in the lobby, to count it: the core knows no metrics. Does nothing by
// itself. Called on any thread; must not block. Thread safe.
class LobbyObserver {
 public:
  virtual ~LobbyObserver() = default;

  virtual void AccountMade(AccountOrigin /*origin*/) {}

  // With what a log-in, or the exchange of a refresh token, was answered.
  virtual void LoggedIn(const absl::Status& /*outcome*/) {}
  virtual void Refreshed(const absl::Status& /*outcome*/) {}

  // What the match service said to a match it was asked to make.
  virtual void MatchAsked(const absl::Status& /*answer*/) {}

  virtual void TablesCounted(const absl::StatusOr<WaitingTables>& /*tables*/) {}
};

}  // namespace naval::lobby
