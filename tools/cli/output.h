#pragma once

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "google/protobuf/message.h"
#include "tools/cli/text.h"

namespace naval::cli {

// Each line, Printable, on standard output.
void PrintLines(const Lines& lines);

// The message as one line of the proto's JSON on standard output, with every field that has a
// value or a default. Control characters in it are escaped.
absl::Status PrintJson(const google::protobuf::Message& message);

// What a command answers: the message as JSON, or its text.
absl::Status PrintAnswer(bool json, const google::protobuf::Message& message,
                         absl::FunctionRef<Lines()> text);

}  // namespace naval::cli
