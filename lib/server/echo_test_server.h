#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/server/echo_application.h"
#include "lib/server/server.h"
#include "tests/support/grpc_pin.h"

namespace naval::server {

// An EchoApplication on free ports of this machine, for one test.
class EchoTestServer {
 public:
  explicit EchoTestServer(EchoApplication::EchoHandler echo = nullptr)
      : application_(std::move(echo)) {
    testing::PinGrpc();
    server_ = Server::Start({.listen_address = "127.0.0.1:0",
                             .internal_listen_address = "127.0.0.1:0",
                             .metrics_listen_address = "127.0.0.1:0"},
                            application_)
                  .value();
  }

  EchoApplication& application() { return application_; }
  Server& server() { return *server_; }
  std::string public_address() { return absl::StrCat("127.0.0.1:", server_->public_port()); }
  std::string internal_address() { return absl::StrCat("127.0.0.1:", server_->internal_port()); }

  std::shared_ptr<grpc::Channel> NewPublicChannel() {
    return grpc::CreateChannel(public_address(), grpc::InsecureChannelCredentials());
  }

  // One call of Echo with `text`, over a new connection; `context` carries metadata and a deadline.
  grpc::Status Echo(const std::string& text, grpc::ClientContext& context) {
    echo::v1::EchoRequest request;
    request.set_text(text);
    echo::v1::EchoResponse response;
    const grpc::Status status =
        echo::v1::EchoService::NewStub(NewPublicChannel())->Echo(&context, request, &response);
    if (status.ok()) answer_ = response.text();
    return status;
  }
  grpc::Status Echo(const std::string& text) {
    grpc::ClientContext context;
    return Echo(text, context);
  }
  const std::string& answer() const { return answer_; }

 private:
  EchoApplication application_;
  std::unique_ptr<Server> server_;
  std::string answer_;
};

}  // namespace naval::server
