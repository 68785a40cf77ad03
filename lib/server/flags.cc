#include "lib/server/flags.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/error.h"
#include "lib/base/flags.h"

ABSL_FLAG(
    std::string, listen, "127.0.0.1:0",
    "Address HOST:PORT of the public gRPC port; port 0 takes a free one, named in the log line "
    "\"serving\".");
ABSL_FLAG(
    std::string, internal_listen, "127.0.0.1:0",
    "Address HOST:PORT of the gRPC port for the other services; it must not be reachable from "
    "outside. Port 0 as for --listen.");
ABSL_FLAG(
    std::string, metrics_listen, "127.0.0.1:0",
    "Address HOST:PORT of the page /metrics for Prometheus, over HTTP; it must not be reachable "
    "from outside. Port 0 as for --listen.");
ABSL_FLAG(
    bool, reflection, false,
    "Tell callers on both gRPC ports which services there are (gRPC reflection), so that a tool "
    "needs no protos. For development.");
ABSL_FLAG(
    std::string, database, "",
    "libpq connection string or URI of the Postgres database. Keep the password in the file "
    "that the environment variable PGPASSFILE names. What is not said here comes from libpq's "
    "environment variables (PGHOST, PGUSER, ...).");
ABSL_FLAG(
    std::string, service_token_file, "",
    "File with the secret that services show each other on internal calls, the same for all: at "
    "least 32 characters, in a file that only its owner may change and only its owner and group "
    "may read.");
ABSL_FLAG(std::string, verify_key_file, "",
          "File with the public keys that access tokens are checked by, one a line in base64url.");
ABSL_FLAG(
    naval::base::LogLevel, log_level, naval::base::LogLevel::kInfo,
    "Log lines below this level are dropped: debug, info, warning or error. While the process "
    "runs, SIGUSR1 makes the log one level more talkative and SIGUSR2 one less.");
ABSL_FLAG(
    bool, migrate, false,
    "Bring the database schema up to date and end. Without it the process serves, and ends with an "
    "error when the schema is too old.");

namespace naval::server {

void ParseFlags(int argc, char** argv, absl::string_view usage) {
  const std::vector<char*> rest = base::ParseFlags(argc, argv, usage);
  if (!rest.empty()) {
    absl::FPrintF(stderr, "%s: '%s' is no flag; flags look like --name=value, see --help\n",
                  argv[0], rest[0]);
    std::exit(1);
  }
  base::SetLogLevel(absl::GetFlag(FLAGS_log_level));
}

absl::StatusOr<std::string> RequiredFlag(const absl::Flag<std::string>& flag) {
  std::string value = absl::GetFlag(flag);
  if (!value.empty()) return value;
  const absl::CommandLineFlag& about = absl::GetFlagReflectionHandle(flag);
  return base::Error(absl::StatusCode::kInvalidArgument, "FLAG_MISSING",
                     absl::StrCat("--", about.Name(), " is missing. ", about.Help()));
}

std::pair<std::string, std::string> SplitAddress(absl::string_view address) {
  const std::size_t colon = address.rfind(':');
  if (colon == absl::string_view::npos) return {std::string(address), ""};
  return {std::string(address.substr(0, colon)), std::string(address.substr(colon + 1))};
}

absl::StatusOr<std::string> AddressFlag(const absl::Flag<std::string>& flag) {
  const std::string value = absl::GetFlag(flag);
  const auto [host, port] = SplitAddress(value);
  const bool is_ipv6 = absl::StartsWith(host, "[") && absl::EndsWith(host, "]");
  const bool is_host = !host.empty() && host.find_first_of(is_ipv6 ? " /" : " /:[]") == host.npos;
  int number = 0;
  if (is_host && absl::SimpleAtoi(port, &number) && 1 <= number && number <= 65535) return value;
  const absl::CommandLineFlag& about = absl::GetFlagReflectionHandle(flag);
  return base::Error(absl::StatusCode::kInvalidArgument, "FLAG_NO_ADDRESS",
                     absl::StrFormat("--%s is '%s' and must be HOST:PORT with a port from 1 to "
                                     "65535. %s",
                                     about.Name(), value, about.Help()));
}

absl::StatusOr<int> FlagInRange(const absl::Flag<int>& flag, int min, int max) {
  const int value = absl::GetFlag(flag);
  if (min <= value && value <= max) return value;
  const absl::CommandLineFlag& about = absl::GetFlagReflectionHandle(flag);
  return base::Error(absl::StatusCode::kInvalidArgument, "FLAG_OUT_OF_RANGE",
                     absl::StrFormat("--%s is %d and must be from %d to %d. %s", about.Name(),
                                     value, min, max, about.Help()));
}

}  // namespace naval::server
