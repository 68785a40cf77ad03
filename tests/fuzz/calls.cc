#include "tests/fuzz/calls.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.pb.h"
#include "lib/base/error.h"
#include "lib/server/grpc_status.h"
#include "lib/server/request_check.h"
#include "tests/fuzz/fail.h"
#include "tests/refusals/documented.h"

namespace naval::fuzz {
namespace {

using google::protobuf::DescriptorProto;
using google::protobuf::FieldDescriptor;
using google::protobuf::FieldDescriptorProto;
using google::protobuf::Message;
using google::protobuf::MethodDescriptor;
using google::protobuf::Reflection;
using google::protobuf::ServiceDescriptor;

// The longest wait of one call, three days: longer than any clock but the idle one.
constexpr int kMaxWaitSeconds = 3 * 24 * 3600;
// A token goes into a header, whose limits are gRPC's business.
constexpr std::size_t kMaxTokenLength = 1200;
// The longest answer there is, 200 tables, has some 80,000 bytes.
constexpr std::size_t kMaxAnswerBytes = 128 * 1024;
constexpr std::size_t kMaxErrorBytes = 2048;

// The name of a method as a field: "GetMatch" is "get_match".
std::string FieldNameOf(const MethodDescriptor& method) {
  std::string name;
  for (const char c : method.name()) {
    if (absl::ascii_isupper(c) && !name.empty()) name += '_';
    name += absl::ascii_tolower(c);
  }
  return name;
}

FieldDescriptorProto& AddField(DescriptorProto& message, const std::string& name,
                               FieldDescriptorProto::Type type) {
  FieldDescriptorProto& field = *message.add_field();
  field.set_name(name);
  field.set_number(message.field_size());
  field.set_label(FieldDescriptorProto::LABEL_OPTIONAL);
  field.set_type(type);
  return field;
}

bool IsPrintableAscii(absl::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return absl::ascii_isprint(c); });
}

// A header holds no other characters.
std::string AsHeader(std::string text) {
  text.resize(std::min(text.size(), kMaxTokenLength));
  for (char& c : text) c = absl::ascii_isprint(c) ? c : '?';
  return text;
}

std::string Describe(const Exchange& exchange, absl::string_view what) {
  return absl::StrCat(exchange.method->full_name(), " ", what, ": code ", exchange.answer.code,
                      ", message \"", absl::CEscape(exchange.answer.error_message),
                      "\", details \"", absl::CEscape(exchange.answer.error_details),
                      "\"; the request was \"", absl::CEscape(exchange.request), "\"");
}

}  // namespace

Calls::Calls(const std::vector<std::string>& services)
    : pool_(google::protobuf::DescriptorPool::generated_pool()) {
  factory_.SetDelegateToGeneratedFactory(true);
  google::protobuf::FileDescriptorProto file;
  file.set_name("naval/fuzz/calls.proto");
  file.set_package("naval.fuzz");
  file.set_syntax("proto3");
  DescriptorProto& list = *file.add_message_type();
  list.set_name("Calls");
  FieldDescriptorProto& calls = AddField(list, "calls", FieldDescriptorProto::TYPE_MESSAGE);
  calls.set_label(FieldDescriptorProto::LABEL_REPEATED);
  calls.set_type_name(".naval.fuzz.Call");
  DescriptorProto& call = *file.add_message_type();
  call.set_name("Call");
  call.add_oneof_decl()->set_name("request");
  AddField(call, "access_token", FieldDescriptorProto::TYPE_STRING);
  AddField(call, "wait_seconds", FieldDescriptorProto::TYPE_INT32);
  AddField(call, "appended", FieldDescriptorProto::TYPE_BYTES);
  std::set<std::string> imports;
  for (const std::string& name : services) {
    const ServiceDescriptor* const service = pool_.FindServiceByName(name);
    Require(service != nullptr, absl::StrCat("there is no service ", name));
    imports.insert(service->file()->name());
    for (int i = 0; i < service->method_count(); ++i) {
      const MethodDescriptor& method = *service->method(i);
      FieldDescriptorProto& field =
          AddField(call, FieldNameOf(method), FieldDescriptorProto::TYPE_MESSAGE);
      field.set_type_name("." + method.input_type()->full_name());
      field.set_oneof_index(0);
      imports.insert(method.input_type()->file()->name());
      Require(methods_.emplace(FieldNameOf(method), &method).second, "two methods have one name");
    }
  }
  for (const std::string& import : imports) file.add_dependency(import);
  const auto* const built = pool_.BuildFile(file);
  Require(built != nullptr, "the type of the inputs could not be made");
  empty_ = factory_.GetPrototype(built->FindMessageTypeByName("Calls"));
}

std::unique_ptr<Message> Calls::NewMessage(const google::protobuf::Descriptor* type) const {
  return std::unique_ptr<Message>(factory_.GetPrototype(type)->New());
}

void Calls::Run(const Message& calls, Words words, const Target& target) const {
  struct Stream {
    Exchange exchange;
    std::unique_ptr<testing::RawCall> call;
  };
  std::vector<Stream> streams;
  const Reflection& list = *calls.GetReflection();
  const FieldDescriptor* const elements = calls.GetDescriptor()->field(0);
  for (int i = 0; i < list.FieldSize(calls, elements); ++i) {
    const Message& call = list.GetRepeatedMessage(calls, elements, i);
    const Reflection& reflection = *call.GetReflection();
    const auto text = [&](const char* field) {
      return reflection.GetString(call, call.GetDescriptor()->FindFieldByName(field));
    };
    const auto* const wait = call.GetDescriptor()->FindFieldByName("wait_seconds");
    target.wait(absl::Seconds(std::clamp(reflection.GetInt32(call, wait), 0, kMaxWaitSeconds)));
    const FieldDescriptor* const field =
        reflection.GetOneofFieldDescriptor(call, call.GetDescriptor()->oneof_decl(0));
    if (field == nullptr) continue;

    const Message& template_request = reflection.GetMessage(call, field);
    const std::unique_ptr<Message> request(template_request.New());
    request->CopyFrom(template_request);
    words.ReplaceAll(*request);
    Exchange exchange{.method = methods_.at(field->name()),
                      .access_token = AsHeader(words.Replace(text("access_token"))),
                      .request = request->SerializeAsString() + text("appended")};
    auto raw_call = std::make_unique<testing::RawCall>(
        target.channel,
        absl::StrCat("/", exchange.method->service()->full_name(), "/", exchange.method->name()),
        exchange.access_token, exchange.request);
    if (exchange.method->server_streaming()) {
      streams.push_back({std::move(exchange), std::move(raw_call)});
      continue;
    }
    exchange.answer = raw_call->Finish();
    Conclude(exchange, target);
    for (const auto& message : exchange.messages) words.AddAll(*message);
  }
  target.end();
  for (Stream& stream : streams) {
    stream.exchange.answer = stream.call->Finish();
    Conclude(stream.exchange, target);
  }
}

void Calls::Conclude(Exchange& exchange, const Target& target) const {
  for (const std::string& bytes : exchange.answer.messages) {
    exchange.messages.push_back(NewMessage(exchange.method->output_type()));
    Require(exchange.messages.back()->ParseFromString(bytes),
            Describe(exchange, "gave an answer that does not parse"));
  }
  Check(exchange);
  target.check(exchange);
}

void Calls::Check(const Exchange& exchange) const {
  for (const std::string& message : exchange.answer.messages) {
    Require(message.size() <= kMaxAnswerBytes, Describe(exchange, "gave too long an answer"));
  }
  const std::string reason = base::ReasonOf(server::FromGrpcStatus(exchange.answer.status()));
  // What is wrong before anybody looks at what it says.
  if (exchange.request.size() > server::kMaxReceivedBytes) {
    return Require(exchange.answer.code == grpc::StatusCode::RESOURCE_EXHAUSTED,
                   Describe(exchange, "took a request of any length"));
  }
  const std::unique_ptr<Message> request = NewMessage(exchange.method->input_type());
  const bool parses = request->ParseFromString(exchange.request);
  Require(parses == (reason != "MALFORMED_REQUEST"),
          Describe(exchange, "has another opinion of whether the request parses"));
  const bool fits = request->ByteSizeLong() <= server::kMaxRequestBytes;
  Require(!parses || fits == (reason != "REQUEST_TOO_LARGE"),
          Describe(exchange, "has another opinion of how long the request is"));
  if (exchange.answer.code == grpc::StatusCode::OK) {
    Require(exchange.method->server_streaming() || exchange.messages.size() == 1,
            Describe(exchange, "was OK without an answer"));
  } else {
    CheckError(exchange);
  }
}

void Calls::CheckError(const Exchange& exchange) const {
  const testing::RawAnswer& answer = exchange.answer;
  const auto require = [&](bool condition, absl::string_view what) {
    if (!condition) Fail(Describe(exchange, what));
  };
  require(answer.code != grpc::StatusCode::INTERNAL && answer.code != grpc::StatusCode::UNKNOWN &&
              answer.code != grpc::StatusCode::DATA_LOSS,
          "failed by our fault");
  require(answer.error_message.size() + answer.error_details.size() <= kMaxErrorBytes,
          "gave too long an error");
  require(!answer.error_message.empty() && IsPrintableAscii(answer.error_message),
          "gave an error that is no line of ASCII");
  const absl::Status status = server::FromGrpcStatus(answer.status());
  const std::string reason = base::ReasonOf(status);
  require(testing::IsDocumented(exchange.method->service()->full_name(), exchange.method->name(),
                                status),
          "gave an error that its proto does not name");
  require(status.code() != absl::StatusCode::kInvalidArgument || reason == "MALFORMED_REQUEST" ||
              !base::FieldViolationsOf(status).empty(),
          "refused a request without saying which field is wrong");
}

}  // namespace naval::fuzz
