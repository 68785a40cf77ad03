#include "lib/base/flags.h"

#include <string>

#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/flags/usage_config.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace naval::base {

std::vector<char*> ParseFlags(int argc, char** argv, absl::string_view usage) {
  absl::SetProgramUsageMessage(usage);
  // Abseil's own choice, the flags of a file that is named as the program is, shows none.
  absl::FlagsUsageConfig config;
  config.contains_help_flags = [](absl::string_view file) {
    return !absl::StrContains(file, "absl/") && !absl::StrContains(file, "grpc");
  };
  config.contains_helpshort_flags = config.contains_help_flags;
  // As it stands in the repository, without the way from the folder of the build.
  config.normalize_filename = [](absl::string_view file) {
    while (absl::ConsumePrefix(&file, "../")) {
    }
    return std::string(file);
  };
  absl::SetFlagsUsageConfig(config);
  std::vector<char*> words = absl::ParseCommandLine(argc, argv);
  words.erase(words.begin());  // the program's name
  return words;
}

}  // namespace naval::base
