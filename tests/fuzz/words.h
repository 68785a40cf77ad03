#pragma once

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"

namespace naval::fuzz {

// What only a running service can say (ids, tokens, codes) stands in an input as a word:
// "$table_id2" is the second table_id that came in an answer, or that the target knew from the
// start.
class Words {
 public:
  // Gives `value` the next word of `name`, unless it has one.
  void Add(absl::string_view name, const std::string& value);

  // Adds every text in the message, by the name of its field.
  void AddAll(const google::protobuf::Message& message);

  // Puts values in the place of words; what is no word stays.
  std::string Replace(const std::string& text) const;
  void ReplaceAll(google::protobuf::Message& message) const;

 private:
  absl::flat_hash_map<std::string, int> counts_;
  absl::flat_hash_map<std::string, std::string> values_;
  absl::flat_hash_map<std::string, std::string> words_;
};

}  // namespace naval::fuzz
