#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tests/refusals/house.h"
#include "tests/refusals/script.h"
#include "tests/support/raw_call.h"

namespace naval::testing {

// Plays a script against the three services. For one thread.
class Stage {
 public:
  Stage();

  // One text a call that was answered otherwise than the script says, or a line that cannot be
  // played: its number, and what the script would have to say.
  std::vector<std::string> Play(const std::vector<ScriptStep>& script);

 private:
  // What a `send` asks for.
  struct Sending {
    std::string text;
    int times = 1;
    int flood = 0;
    std::string hold;
    std::vector<std::string> meanwhile;
    std::vector<std::pair<std::string, std::string>> keep;
    // The `want` with what follows it, a line each; empty when it is to succeed.
    std::vector<std::string> want;
  };
  absl::Status PlayStep(const ScriptStep& step);
  absl::Status Choose(absl::string_view rest);
  absl::Status Send(const ScriptStep& step);
  absl::Status SendTo(const std::string& method, const Sending& sending);
  absl::Status Open(absl::string_view rest);
  absl::Status PlayDatabase(const std::string& verb, const std::string& rest);
  absl::Status Run(const std::string& sql);

  absl::StatusOr<Sending> Read(const ScriptStep& step);
  // `text` with every $NAME replaced.
  absl::StatusOr<std::string> Fill(absl::string_view text);
  absl::StatusOr<std::string> RequestBytes(const std::string& method, absl::string_view text);
  absl::Status Keep(const std::string& method, const std::string& response, const Sending& sending);

  // What the caller of the last `call` sends with each.
  std::multimap<std::string, std::string> Headers();
  std::string TokenOf(const std::string& caller, absl::Duration age, const auth::Signer& signer);
  std::unique_ptr<RawCall> Start(const std::string& method, const std::string& bytes,
                                 int connection = 0);
  // A call, or a flood of them, while `hold` is held.
  absl::StatusOr<RawAnswer> CallHeld(const std::string& method, const std::string& bytes,
                                     const Sending& sending);
  absl::Status Wait(const std::vector<std::unique_ptr<RawCall>>& calls, const Sending& sending);
  bool SomebodyWaits();

  House house_;
  postgres::Pool pool_;
  std::map<std::string, std::string> values_;
  std::vector<std::string> called_;
  std::string caller_;
  std::vector<std::unique_ptr<RawCall>> streams_;
};

}  // namespace naval::testing
