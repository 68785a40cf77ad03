#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "naval/lobby/v1/lobby_service.pb.h"
#include "tools/client/client.h"

namespace naval::client {

// The ways to a match. Each blocks; errors are those of LobbyService.

// Opens a table; where the rival is a bot, waits until the match has started.
absl::StatusOr<lobby::v1::CreateTableResponse> OpenTable(
    Client& client, const lobby::v1::CreateTableRequest& request);

// Takes the free seat of a table and waits until its match has started.
absl::StatusOr<lobby::v1::Table> Join(Client& client, const lobby::v1::JoinTableRequest& request);

// The rule set "tablu" without options.
game::v1::GameRules TabluRules();

// Opens a private table; the answer holds the code for the rival.
absl::StatusOr<lobby::v1::CreateTableResponse> OpenPrivateTable(
    Client& client, bool rated, const game::v1::GameRules& rules = TabluRules());

// Opens a table against `bot` ("jota") and waits until its match has started.
absl::StatusOr<lobby::v1::Table> OpenBotTable(Client& client, absl::string_view bot,
                                              const game::v1::GameRules& rules = TabluRules());

// Takes the free seat of a private table and waits until its match has started.
absl::StatusOr<lobby::v1::Table> JoinByCode(Client& client, const std::string& join_code);

// Waits until `table` is in `state`; DEADLINE_EXCEEDED after `limit`.
absl::StatusOr<lobby::v1::Table> WaitForTable(Client& client, const std::string& table_id,
                                              lobby::v1::TableState state, absl::Duration limit);

// Two strangers meet: `creator` opens a private table, `guest` joins by its code. Gives the match's
// id.
absl::StatusOr<std::string> MeetAtPrivateTable(Client& creator, Client& guest, bool rated,
                                               const game::v1::GameRules& rules = TabluRules());

}  // namespace naval::client
