#include "tests/fuzz/text_target.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/stubs/logging.h"
#include "google/protobuf/text_format.h"
#include "lib/base/log.h"
#include "tests/fuzz/fail.h"
#include "tests/fuzz/message_mutator.h"

namespace naval::fuzz {
namespace {

using google::protobuf::Message;
using google::protobuf::TextFormat;

class FirstError final : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text_.empty()) text_ = absl::StrCat(line + 1, ":", column + 1, ": ", message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Every input is the text of a message: a seed that is not would test nothing.
std::unique_ptr<Message> Parse(const std::uint8_t* data, std::size_t size) {
  std::unique_ptr<Message> message(EmptyInput().New());
  FirstError error;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (!parser.ParseFromString(text, message.get())) {
    Fail(absl::StrCat("the input is no ", message->GetDescriptor()->name(),
                      " in text form: ", error.text()));
  }
  return message;
}

std::optional<std::size_t> Print(const Message& message, std::uint8_t* data, std::size_t max_size) {
  std::string text;
  Require(TextFormat::PrintToString(message, &text), "a message could not be printed");
  if (text.size() > max_size) return std::nullopt;
  text.copy(reinterpret_cast<char*>(data), text.size());
  return text.size();
}

}  // namespace

void Fail(absl::string_view what) {
  absl::FPrintF(stderr, "BROKEN PROMISE: %s\n", what);
  std::abort();
}

}  // namespace naval::fuzz

extern "C" {

int LLVMFuzzerInitialize(int*, char***) {
  // Protobuf complains of every text that is not UTF-8, which are many here.
  google::protobuf::SetLogHandler(nullptr);
  naval::base::SetLogLevel(naval::base::LogLevel::kError);
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  naval::fuzz::RunInput(*naval::fuzz::Parse(data, size));
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  const auto message = naval::fuzz::Parse(data, size);
  naval::fuzz::MessageMutator(seed).Mutate(*message);
  // What has become too long stays as it was.
  return naval::fuzz::Print(*message, data, max_size).value_or(size);
}

std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t first_size,
                                      const std::uint8_t* second, std::size_t second_size,
                                      std::uint8_t* out, std::size_t max_size, unsigned seed) {
  const auto message = naval::fuzz::Parse(first, first_size);
  const auto other = naval::fuzz::Parse(second, second_size);
  naval::fuzz::MessageMutator(seed).CrossOver(*message, *other);
  return naval::fuzz::Print(*message, out, max_size).value_or(0);
}

}  // extern "C"
