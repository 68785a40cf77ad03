#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "naval/lobby/v1/account_service.pb.h"
#include "tools/client/session_store.h"

namespace naval::cli {

// What a command leaves for the next one.
struct State {
  // Empty when nobody is logged in.
  lobby::v1::Session session;
  // The last table and match of this account; empty where there is none.
  std::string table_id;
  std::string match_id;
  // Every table of this account that may still be open or played at, the oldest first.
  std::vector<std::string> open_table_ids;
};

// The state in a file of mode 0600, in JSON. Changes are made under a lock (FILE.lock) and whole: a
// reader finds the old or the new one. Errors are FAILED_PRECONDITION or INTERNAL with reason
// STATE_FILE, naming the file. Thread safe.
class StateFile final : public client::SessionStore {
 public:
  explicit StateFile(std::string path) : path_(std::move(path)) {}

  // naval/cli.json in $XDG_STATE_HOME, or in ~/.local/state. An error of UsageError when neither is
  // known.
  static absl::StatusOr<std::string> DefaultPath();

  // The state; an empty one when there is no file. Refuses a file that others may read or write.
  absl::StatusOr<State> Read() const;

  // Reads, has `change` change it, and writes it, while no other process does. An error of `change`
  // leaves the file as it was.
  absl::Status Change(absl::FunctionRef<absl::Status(State&)> change);

  absl::StatusOr<lobby::v1::Session> ChangeSession(client::SessionStore::Change change) override;

  const std::string& path() const { return path_; }

 private:
  absl::Status Write(const State& state) const;

  const std::string path_;
};

}  // namespace naval::cli
