#include "lib/metrics/listener.h"

#include <microhttpd.h>
#include <netdb.h>
#include <prometheus/text_serializer.h>
#include <sys/socket.h>

#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "lib/base/error.h"

namespace naval::metrics {
namespace {

constexpr char kContentType[] = "text/plain; version=0.0.4; charset=utf-8";

struct FreeAddresses {
  void operator()(addrinfo* addresses) const { freeaddrinfo(addresses); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

// "127.0.0.1:7301", "[::]:7301", "localhost:7301". Null when it is none.
Addresses Resolve(absl::string_view address) {
  const size_t colon = address.rfind(':');
  if (colon == absl::string_view::npos) return nullptr;
  absl::string_view host = address.substr(0, colon);
  if (absl::ConsumePrefix(&host, "[")) {
    if (!absl::ConsumeSuffix(&host, "]")) return nullptr;
  }
  // Without a host or a port getaddrinfo would choose one.
  const absl::string_view port = address.substr(colon + 1);
  if (host.empty() || port.empty()) return nullptr;
  const addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
  addrinfo* found = nullptr;
  if (getaddrinfo(std::string(host).c_str(), std::string(port).c_str(), &hints, &found) != 0) {
    return nullptr;
  }
  return Addresses(found);
}

MHD_Result Answer(MHD_Connection* connection, unsigned code, const char* content_type,
                  const std::string& body) {
  MHD_Response* const response = MHD_create_response_from_buffer(
      body.size(), const_cast<char*>(body.data()), MHD_RESPMEM_MUST_COPY);
  if (response == nullptr) return MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, content_type);
  if (code == MHD_HTTP_METHOD_NOT_ALLOWED) {
    MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
  }
  const MHD_Result queued = MHD_queue_response(connection, code, response);
  MHD_destroy_response(response);
  return queued;
}

// Bodies of requests are refused with the request: nothing here reads one.
MHD_Result OnRequest(void* listener, MHD_Connection* connection, const char* path,
                     const char* method, const char*, const char*, size_t*, void**) {
  if (absl::string_view(path) != "/metrics") {
    return Answer(connection, MHD_HTTP_NOT_FOUND, "text/plain", "the page is /metrics\n");
  }
  if (absl::string_view(method) != "GET" && absl::string_view(method) != "HEAD") {
    return Answer(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain", "the method is GET\n");
  }
  return Answer(connection, MHD_HTTP_OK, kContentType,
                static_cast<const Listener*>(listener)->Page());
}

}  // namespace

absl::StatusOr<std::unique_ptr<Listener>> Listener::Start(
    const std::string& address, std::vector<const prometheus::Collectable*> parts) {
  std::unique_ptr<Listener> listener(new Listener(std::move(parts)));
  if (const Addresses resolved = Resolve(address); resolved != nullptr) {
    const unsigned family = resolved->ai_family == AF_INET6 ? MHD_USE_DUAL_STACK : MHD_NO_FLAG;
    listener->daemon_ =
        MHD_start_daemon(MHD_USE_AUTO_INTERNAL_THREAD | MHD_USE_ITC | family, /*port=*/0, nullptr,
                         nullptr, OnRequest, listener.get(), MHD_OPTION_SOCK_ADDR,
                         resolved->ai_addr, MHD_OPTION_CONNECTION_LIMIT, kMaxConnections,
                         MHD_OPTION_CONNECTION_TIMEOUT, kConnectionTimeoutSeconds, MHD_OPTION_END);
  }
  if (listener->daemon_ == nullptr) {
    return base::Error(
        absl::StatusCode::kFailedPrecondition, "CANNOT_LISTEN",
        absl::StrCat("cannot serve metrics on ", address,
                     ": the port is taken, or this is no HOST:PORT of this machine"));
  }
  return listener;
}

Listener::~Listener() {
  if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
}

int Listener::port() const { return MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_BIND_PORT)->port; }

std::string Listener::Page() const {
  std::vector<prometheus::MetricFamily> families;
  for (const prometheus::Collectable* part : parts_) {
    std::vector<prometheus::MetricFamily> some = part->Collect();
    families.insert(families.end(), std::make_move_iterator(some.begin()),
                    std::make_move_iterator(some.end()));
  }
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace naval::metrics
