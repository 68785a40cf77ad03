#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "lib/base/random.h"

namespace naval::fuzz {

// Changes messages of any type at random, by reflection. The same seed makes the same changes, as
// far as libFuzzer's LLVMFuzzerMutate, which changes the texts and knows the dictionary, does so.
//
// Own code, because Debian has no libprotobuf-mutator: this is the part of it that is needed here.
// It knows the kinds of fields that the API and the log have (no map, no floating point number).
class MessageMutator {
 public:
  explicit MessageMutator(std::uint32_t seed) : random_(seed) {}

  // One change, or a few.
  void Mutate(google::protobuf::Message& message);

  // Puts parts of `other`, of the same type, into `message`.
  void CrossOver(google::protobuf::Message& message, const google::protobuf::Message& other);

 private:
  using Message = google::protobuf::Message;
  using Field = google::protobuf::FieldDescriptor;

  bool OneIn(std::uint64_t n) { return random_.Uniform(n) == 0; }
  int Below(int n) { return static_cast<int>(random_.Uniform(static_cast<std::uint64_t>(n))); }

  void Change(Message& node);
  void ChangeRepeated(Message& node, const Field& field);
  void ChangeSingular(Message& node, const Field& field);
  void Add(Message& node, const Field& field);
  // Sets about half of the fields.
  void Fill(Message& node, int depth);
  // Sets a field that is not a message to a new value made from an old one: of the singular field,
  // or of the element `index`.
  void SetValue(Message& node, const Field& field, int index);

  std::int64_t NewNumber(std::int64_t old);
  int NewEnum(const google::protobuf::EnumDescriptor& type);
  std::string NewText(const std::string& old);

  base::SeededRandom random_;
  // The texts of the message being changed: to say again what was said elsewhere in it.
  std::vector<std::string> texts_;
};

}  // namespace naval::fuzz
