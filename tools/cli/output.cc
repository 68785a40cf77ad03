#include "tools/cli/output.h"

#include <cstdio>
#include <string>

#include "google/protobuf/util/json_util.h"

namespace naval::cli {

void PrintLines(const Lines& lines) {
  for (const std::string& line : lines) std::puts(Printable(line).c_str());
}

absl::Status PrintJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  std::string json;
  const auto status = google::protobuf::util::MessageToJsonString(message, &json, options);
  if (!status.ok()) return absl::InternalError(status.ToString());
  std::puts(json.c_str());
  return absl::OkStatus();
}

absl::Status PrintAnswer(bool json, const google::protobuf::Message& message,
                         absl::FunctionRef<Lines()> text) {
  if (json) return PrintJson(message);
  PrintLines(text());
  return absl::OkStatus();
}

}  // namespace naval::cli
