#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/dynamic_message.h"
#include "google/protobuf/message.h"
#include "tests/fuzz/words.h"
#include "tests/support/raw_call.h"

namespace naval::fuzz {

// A call as it was made and what came of it.
struct Exchange {
  const google::protobuf::MethodDescriptor* method;
  std::string access_token;
  // The bytes that were sent.
  std::string request;
  testing::RawAnswer answer;
  // The messages of the answer, of the method's type.
  std::vector<std::unique_ptr<google::protobuf::Message>> messages;
};

// Inputs that are calls of some services. Their type is made from the services, so that a method
// that is new is in it by itself:
//
//   calls {
//     access_token: "$access_token1"  # none: the call carries no token
//     wait_seconds: 90                # the clock moves before the call
//     get_match { match_id: "$match_id1" }
//     appended: "\x12\x01"            # bytes put after those of the request
//   }
//
// For words such as $match_id1 see words.h.
class Calls {
 public:
  // The full names of the services.
  explicit Calls(const std::vector<std::string>& services);

  // An empty list of calls.
  const google::protobuf::Message& empty() const { return *empty_; }

  // Where calls go.
  struct Target {
    std::shared_ptr<grpc::Channel> channel;
    std::function<void(absl::Duration)> wait;
    // Looks at what came of each call, besides what is promised of every call: no crash, no error
    // that is our fault, none that the method's proto does not name, no answer that is too long.
    // Streams come last.
    std::function<void(const Exchange&)> check;
    // Called after the last call: must end all streams.
    std::function<void()> end;
  };

  // Makes the calls, one after the other; a stream stays open to the end.
  void Run(const google::protobuf::Message& calls, Words words, const Target& target) const;

 private:
  using Message = google::protobuf::Message;
  using Method = google::protobuf::MethodDescriptor;

  std::unique_ptr<Message> NewMessage(const google::protobuf::Descriptor* type) const;
  void Check(const Exchange& exchange) const;
  void CheckError(const Exchange& exchange) const;
  // Fills in the messages and looks at everything.
  void Conclude(Exchange& exchange, const Target& target) const;

  google::protobuf::DescriptorPool pool_;
  mutable google::protobuf::DynamicMessageFactory factory_;
  const Message* empty_ = nullptr;
  // By the name of the field in a call.
  absl::flat_hash_map<std::string, const Method*> methods_;
};

}  // namespace naval::fuzz
