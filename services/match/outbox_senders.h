#pragma once

#include <string>

#include "lib/base/secret.h"
#include "services/match/outbox.h"

namespace naval::match {

// The senders of the outbox: calls to the internal API of the lobby and of the ranking at
// `address`, with the service token.
Outbox::Send SendToLobby(const std::string& address, const base::Secret& service_token);
Outbox::Send SendToRanking(const std::string& address, const base::Secret& service_token);

}  // namespace naval::match
