#include "tests/fuzz/message_mutator.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "tests/fuzz/fail.h"

// libFuzzer's own mutations of bytes.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace naval::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// How deep a new message is filled; none of ours is deeper.
constexpr int kMaxDepth = 6;

// A text is seldom longer than this; a few are, to pass every limit.
constexpr std::size_t kUsualTextBytes = 100;
constexpr std::size_t kMaxTextBytes = 5000;

bool IsMessage(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
}

// `node` and every message in it.
void CollectNodes(Message& node, std::vector<Message*>& nodes) {
  nodes.push_back(&node);
  const Reflection& reflection = *node.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(node, &fields);
  for (const FieldDescriptor* field : fields) {
    if (!IsMessage(*field)) continue;
    if (!field->is_repeated()) {
      CollectNodes(*reflection.MutableMessage(&node, field), nodes);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(node, field); ++i) {
      CollectNodes(*reflection.MutableRepeatedMessage(&node, field, i), nodes);
    }
  }
}

std::vector<Message*> NodesOf(Message& root) {
  std::vector<Message*> nodes;
  CollectNodes(root, nodes);
  return nodes;
}

std::vector<std::string> TextsOf(const std::vector<Message*>& nodes) {
  std::vector<std::string> texts;
  for (const Message* node : nodes) {
    const Reflection& reflection = *node->GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(*node, &fields);
    for (const FieldDescriptor* field : fields) {
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_STRING) continue;
      if (!field->is_repeated()) texts.push_back(reflection.GetString(*node, field));
      for (int i = 0; field->is_repeated() && i < reflection.FieldSize(*node, field); ++i) {
        texts.push_back(reflection.GetRepeatedString(*node, field, i));
      }
    }
  }
  return texts;
}

}  // namespace

void MessageMutator::Mutate(Message& message) {
  do {
    const std::vector<Message*> nodes = NodesOf(message);
    texts_ = TextsOf(nodes);
    Change(*nodes[static_cast<std::size_t>(Below(static_cast<int>(nodes.size())))]);
  } while (OneIn(2));
}

void MessageMutator::CrossOver(Message& message, const Message& other) {
  // A part of the one in the place of a part of the other, or a few elements put in between.
  const std::unique_ptr<Message> copy(other.New());
  copy->CopyFrom(other);
  const std::vector<Message*> from = NodesOf(*copy);
  const Message& part = *from[static_cast<std::size_t>(Below(static_cast<int>(from.size())))];
  for (Message* node : NodesOf(message)) {
    if (node->GetDescriptor() != part.GetDescriptor() || !OneIn(3)) continue;
    if (OneIn(2)) {
      node->CopyFrom(part);
    } else {
      // Elements of lists are appended, other fields replaced.
      node->MergeFrom(part);
    }
    return;
  }
}

void MessageMutator::Change(Message& node) {
  const int fields = node.GetDescriptor()->field_count();
  if (fields == 0) return;
  const Field& field = *node.GetDescriptor()->field(Below(fields));
  const auto* const oneof = field.real_containing_oneof();
  // A choice that was made mostly stays.
  if (oneof != nullptr && node.GetReflection()->HasOneof(node, oneof) && !OneIn(4)) return;
  field.is_repeated() ? ChangeRepeated(node, field) : ChangeSingular(node, field);
}

void MessageMutator::ChangeRepeated(Message& node, const Field& field) {
  const Reflection& reflection = *node.GetReflection();
  const int size = reflection.FieldSize(node, &field);
  if (size == 0) return Add(node, field);
  const int index = Below(size);
  switch (Below(4)) {
    case 0:
      return Add(node, field);
    case 1:
      reflection.SwapElements(&node, &field, index, size - 1);
      return reflection.RemoveLast(&node, &field);
    case 2:
      return reflection.SwapElements(&node, &field, index, Below(size));
    default:
      if (!IsMessage(field)) return SetValue(node, field, index);
      // Twice the same, one after the other.
      Add(node, field);
      reflection.MutableRepeatedMessage(&node, &field, size)
          ->CopyFrom(reflection.GetRepeatedMessage(node, &field, index));
      for (int i = size; i > index + 1; --i) reflection.SwapElements(&node, &field, i, i - 1);
  }
}

void MessageMutator::ChangeSingular(Message& node, const Field& field) {
  const Reflection& reflection = *node.GetReflection();
  if (OneIn(8)) return reflection.ClearField(&node, &field);
  if (!IsMessage(field)) return SetValue(node, field, 0);
  // What stands there is changed when it is its turn.
  if (!reflection.HasField(node, &field)) Fill(*reflection.MutableMessage(&node, &field), 0);
}

void MessageMutator::Add(Message& node, const Field& field) {
  const Reflection& reflection = *node.GetReflection();
  const int size = reflection.FieldSize(node, &field);
  switch (field.cpp_type()) {
    case Field::CPPTYPE_MESSAGE: {
      Message& added = *reflection.AddMessage(&node, &field);
      if (size > 0 && OneIn(2)) {
        added.CopyFrom(reflection.GetRepeatedMessage(node, &field, Below(size)));
      } else {
        Fill(added, 0);
      }
      break;
    }
    case Field::CPPTYPE_STRING:
      return reflection.AddString(&node, &field, NewText(""));
    case Field::CPPTYPE_INT32:
      return reflection.AddInt32(&node, &field, static_cast<std::int32_t>(NewNumber(0)));
    default:
      Fail(absl::StrCat("MessageMutator knows no list like ", field.full_name()));
  }
}

void MessageMutator::Fill(Message& node, int depth) {
  if (depth > kMaxDepth) return;
  const Reflection& reflection = *node.GetReflection();
  for (int i = 0; i < node.GetDescriptor()->field_count(); ++i) {
    const Field& field = *node.GetDescriptor()->field(i);
    const auto* const oneof = field.real_containing_oneof();
    const std::uint64_t choices =
        oneof == nullptr ? 2 : static_cast<std::uint64_t>(oneof->field_count());
    if (!OneIn(choices)) continue;
    if (field.is_repeated()) {
      do Add(node, field);
      while (OneIn(2));
    } else if (IsMessage(field)) {
      Fill(*reflection.MutableMessage(&node, &field), depth + 1);
    } else {
      SetValue(node, field, 0);
    }
  }
}

void MessageMutator::SetValue(Message& node, const Field& field, int index) {
  const Reflection& reflection = *node.GetReflection();
  switch (field.cpp_type()) {
    case Field::CPPTYPE_STRING:
      if (field.is_repeated()) {
        return reflection.SetRepeatedString(
            &node, &field, index, NewText(reflection.GetRepeatedString(node, &field, index)));
      }
      return reflection.SetString(&node, &field, NewText(reflection.GetString(node, &field)));
    case Field::CPPTYPE_BOOL:
      return reflection.SetBool(&node, &field, !reflection.GetBool(node, &field));
    case Field::CPPTYPE_ENUM:
      return reflection.SetEnumValue(&node, &field, NewEnum(*field.enum_type()));
    case Field::CPPTYPE_INT32:
      if (field.is_repeated()) {
        return reflection.SetRepeatedInt32(
            &node, &field, index,
            static_cast<std::int32_t>(NewNumber(reflection.GetRepeatedInt32(node, &field, index))));
      }
      return reflection.SetInt32(
          &node, &field, static_cast<std::int32_t>(NewNumber(reflection.GetInt32(node, &field))));
    case Field::CPPTYPE_INT64:
      return reflection.SetInt64(&node, &field, NewNumber(reflection.GetInt64(node, &field)));
    default:
      Fail(absl::StrCat("MessageMutator knows no field like ", field.full_name()));
  }
}

std::int64_t MessageMutator::NewNumber(std::int64_t old) {
  constexpr std::int64_t kEdges[] = {std::numeric_limits<std::int64_t>::min(),
                                     std::numeric_limits<std::int64_t>::max(),
                                     std::numeric_limits<std::int32_t>::min(),
                                     std::numeric_limits<std::int32_t>::max(),
                                     0,
                                     -1};
  const auto wide = static_cast<std::uint64_t>(old);
  switch (Below(4)) {
    case 0:
      return Below(20);
    case 1:
      // Without a sign, so that it may wrap.
      return static_cast<std::int64_t>(OneIn(2) ? wide + 1 : wide - 1);
    case 2:
      return kEdges[Below(std::size(kEdges))];
    default:
      return static_cast<std::int64_t>(random_.Next() >> Below(64));
  }
}

int MessageMutator::NewEnum(const google::protobuf::EnumDescriptor& type) {
  if (OneIn(8)) return static_cast<int>(NewNumber(0));
  return type.value(Below(type.value_count()))->number();
}

std::string MessageMutator::NewText(const std::string& old) {
  if (!texts_.empty() && OneIn(3)) {
    return texts_[static_cast<std::size_t>(Below(static_cast<int>(texts_.size())))];
  }
  if (OneIn(200)) return std::string(static_cast<std::size_t>(Below(kMaxTextBytes)), 'x');
  std::string text = old;
  const std::size_t size = text.size();
  text.resize(std::max(size, kUsualTextBytes));
  text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, text.size()));
  return text;
}

}  // namespace naval::fuzz
