#include "tests/support/reserved_port.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace naval::testing {

// A socket that is bound but does not listen holds its port against everybody but those who, like
// it, set SO_REUSEADDR.
ReservedPort::ReservedPort() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const int on = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (socket_ < 0 || setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
      bind(socket_, generic, length) != 0 || getsockname(socket_, generic, &length) != 0) {
    std::perror("ReservedPort");
    std::abort();
  }
  port_ = ntohs(address.sin_port);
}

ReservedPort::~ReservedPort() { close(socket_); }

}  // namespace naval::testing
