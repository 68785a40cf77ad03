#include "tests/fuzz/words.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "google/protobuf/descriptor.h"

namespace naval::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// More of one name than this no input can use.
constexpr int kMaxWordsOfName = 9;

std::vector<const FieldDescriptor*> FieldsOf(const Message& message) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  return fields;
}

}  // namespace

void Words::Add(absl::string_view name, const std::string& value) {
  int& count = counts_[name];
  if (value.empty() || count == kMaxWordsOfName) return;
  const std::string key = absl::StrCat(name, "=", value);
  if (words_.contains(key)) return;
  const std::string word = absl::StrCat("$", name, ++count);
  words_[key] = word;
  values_[word] = value;
}

void Words::AddAll(const Message& message) {
  const Reflection& reflection = *message.GetReflection();
  for (const FieldDescriptor* field : FieldsOf(message)) {
    const bool is_text = field->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
    const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (!field->is_repeated()) {
      if (is_text) Add(field->name(), reflection.GetString(message, field));
      if (is_message) AddAll(reflection.GetMessage(message, field));
    } else if (is_message) {
      for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
        AddAll(reflection.GetRepeatedMessage(message, field, i));
      }
    }
  }
}

std::string Words::Replace(const std::string& text) const {
  return absl::StrContains(text, '$') ? absl::StrReplaceAll(text, values_) : text;
}

void Words::ReplaceAll(Message& message) const {
  const Reflection& reflection = *message.GetReflection();
  for (const FieldDescriptor* field : FieldsOf(message)) {
    const bool is_text = field->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
    const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (!field->is_repeated()) {
      if (is_text) {
        reflection.SetString(&message, field, Replace(reflection.GetString(message, field)));
      }
      if (is_message) ReplaceAll(*reflection.MutableMessage(&message, field));
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      if (is_text) {
        reflection.SetRepeatedString(&message, field, i,
                                     Replace(reflection.GetRepeatedString(message, field, i)));
      }
      if (is_message) ReplaceAll(*reflection.MutableRepeatedMessage(&message, field, i));
    }
  }
}

}  // namespace naval::fuzz
