// naval-demo: shows a running Naval from the outside.

#include <cstdio>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_format.h"
#include "lib/base/clock.h"
#include "lib/base/flags.h"
#include "lib/base/random.h"
#include "tools/demo/demo.h"

ABSL_FLAG(std::string, lobby, "127.0.0.1:7101", "HOST:PORT of the lobby's public API.");
ABSL_FLAG(std::string, match, "127.0.0.1:7102", "HOST:PORT of the match service's public API.");
ABSL_FLAG(std::string, ranking, "127.0.0.1:7103", "HOST:PORT of the ranking's public API.");

int main(int argc, char** argv) {
  const std::vector<char*> rest = naval::base::ParseFlags(
      argc, argv,
      "two people play a rated match, one of them then a bot, over the public API. "
      "Exits with 1 when anything is not as it should be.");
  if (!rest.empty()) {
    absl::FPrintF(stderr, "naval-demo: '%s' is no flag; see --help\n", rest[0]);
    return 1;
  }
  // Seen as it happens, also through a pipe.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  naval::base::SystemClock clock;
  naval::base::SecureRandom random;
  const absl::Status status = naval::demo::RunDemo({.lobby = absl::GetFlag(FLAGS_lobby),
                                                    .match = absl::GetFlag(FLAGS_match),
                                                    .ranking = absl::GetFlag(FLAGS_ranking)},
                                                   clock, random);
  if (status.ok()) return 0;
  absl::FPrintF(stderr, "naval-demo: %s\n", status.ToString());
  return 1;
}
