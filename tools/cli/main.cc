// naval-cli: plays Naval from a terminal or a script.

#include <cstdio>
#include <optional>

#include "absl/strings/numbers.h"
#include "lib/base/clock.h"
#include "lib/base/error.h"
#include "lib/base/random.h"
#include "tools/cli/arguments.h"
#include "tools/cli/commands.h"
#include "tools/cli/failure.h"

namespace naval::cli {
namespace {

// As a shell gives the code of a program that a signal ended. What is to be said was said.
std::optional<int> SignalCodeOf(const absl::Status& status) {
  int signal = 0;
  if (base::ReasonOf(status) != "INTERRUPTED" ||
      !absl::SimpleAtoi(base::MetadataOf(status)["signal"], &signal)) {
    return std::nullopt;
  }
  return 128 + signal;
}

int Main(int argc, const char* const* argv) {
  // Seen as it happens, also through a pipe.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  Arguments arguments;
  if (const auto code = ParseArguments(argc, argv, arguments)) return *code;
  base::SystemClock clock;
  base::SecureRandom random;
  absl::Status status = RunCommand(arguments, clock, random);
  if (const auto code = SignalCodeOf(status)) return *code;
  if (status.ok() && (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)) {
    status = absl::InternalError("standard output takes nothing more");
  }
  if (!status.ok()) {
    std::fputs((arguments.json ? FailureJson(status) : FailureText(status)).c_str(), stderr);
  }
  return static_cast<int>(ExitCodeOf(status));
}

}  // namespace
}  // namespace naval::cli

int main(int argc, char** argv) { return naval::cli::Main(argc, argv); }
