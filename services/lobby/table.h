#pragma once

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "lib/rules/rule_sets.h"

namespace naval::lobby {

// A table and its states. Each arrow is one statement that names the state it starts from, so of
// two that race one finds nothing to change:
//
//            TableStore::Join          MarkPlaying, RecordMatchChange     RecordMatchChange
//     OPEN --------------------> STARTING -----------------------> PLAYING ----------------> ENDED
//       |                            |
//       | Leave, CloseExpired        | MarkRefused (the match service refuses for good)
//       v                            v
//     CLOSED <-----------------------+
//
// A table against a bot begins in STARTING. The match's id is chosen with STARTING and stored
// before the match service is asked, so asking again is safe.
enum class TableState { kOpen, kStarting, kPlaying, kEnded, kClosed };

enum class TableKind { kPublic, kPrivate, kBot };

// Who sits at a table.
struct Player {
  std::string account_id;
  std::string handle;
};

// Whose move is awaited in a match: the creator has the first seat. Until when, if a clock runs.
struct AwaitedMove {
  bool of_first = false;
  bool of_second = false;
  std::optional<absl::Time> deadline;
};

struct Table {
  std::string table_id;
  TableKind kind = TableKind::kPublic;
  // As of the time it was read: an open table whose time is over is kClosed.
  TableState state = TableState::kOpen;
  Player creator;
  // The other seat: an account or a bot's id; neither while it is free.
  std::optional<Player> rival;
  std::optional<std::string> bot;
  rules::RulesChoice rules;
  bool rated = false;
  // Nothing while kOpen and kClosed.
  std::optional<std::string> match_id;
  // Of a match over days; means nothing but in kPlaying.
  AwaitedMove awaited;
  absl::Time create_time;
  // When it closes by itself while it is open. Nothing for a table against a bot.
  std::optional<absl::Time> expire_time;
};

// Whether the account sits at the table.
inline bool SitsAt(const Table& table, const std::string& account_id) {
  return table.creator.account_id == account_id ||
         (table.rival && table.rival->account_id == account_id);
}

}  // namespace naval::lobby
