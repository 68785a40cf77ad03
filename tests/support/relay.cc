#include "tests/support/relay.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace naval::testing {
namespace {

// How soon it sees what its owner told it.
constexpr int kPollMs = 2;

sockaddr_in Local(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

void DieUnless(bool good) {
  if (good) return;
  std::perror("Relay");
  std::abort();
}

int NewSocket() {
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  DieUnless(made >= 0);
  return made;
}

bool HasInput(int socket) {
  pollfd poll_for{.fd = socket, .events = POLLIN, .revents = 0};
  return poll(&poll_for, 1, 0) > 0;
}

void CloseBoth(const std::array<int, 2>& sockets) {
  for (const int socket : sockets) close(socket);
}

}  // namespace

Relay::Relay(int target_port) : target_port_(target_port), listener_(NewSocket()) {
  sockaddr_in address = Local(0);
  socklen_t length = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  DieUnless(bind(listener_, generic, length) == 0 && listen(listener_, SOMAXCONN) == 0 &&
            getsockname(listener_, generic, &length) == 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { Run(); });
}

Relay::~Relay() {
  {
    base::MutexLock lock(mutex_);
    stopped_ = true;
  }
  thread_.join();
  for (const Connection& connection : connections_) CloseBoth(connection);
  close(listener_);
}

void Relay::Freeze() {
  base::MutexLock lock(mutex_);
  frozen_ = true;
}

size_t Relay::waiting() const {
  base::MutexLock lock(mutex_);
  return waiting_;
}

bool Relay::frozen() const {
  base::MutexLock lock(mutex_);
  return frozen_;
}

void Relay::Run() {
  while (true) {
    // What waits while it is frozen stays unread, and would end every poll() at once.
    const size_t heard = frozen() ? 0 : 1 + 2 * connections_.size();
    std::vector<pollfd> sockets = {{.fd = listener_, .events = POLLIN, .revents = 0}};
    for (const auto& [client, target] : connections_) {
      sockets.push_back({.fd = client, .events = POLLIN, .revents = 0});
      sockets.push_back({.fd = target, .events = POLLIN, .revents = 0});
    }
    poll(sockets.data(), heard, kPollMs);
    base::MutexLock lock(mutex_);
    if (stopped_) return;
    if (frozen_) {
      waiting_ = static_cast<size_t>(
          std::count_if(connections_.begin(), connections_.end(),
                        [](const Connection& connection) { return HasInput(connection[0]); }));
      continue;
    }
    std::erase_if(connections_, [](const Connection& connection) {
      const bool ended = !Pass(connection);
      if (ended) CloseBoth(connection);
      return ended;
    });
    if (HasInput(listener_)) Accept();
  }
}

void Relay::Accept() {
  const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  const int target = NewSocket();
  sockaddr_in address = Local(target_port_);
  DieUnless(client >= 0 &&
            connect(target, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
  const int on = 1;
  for (const int socket : {client, target}) {
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }
  connections_.push_back({client, target});
}

bool Relay::Pass(const Connection& connection) {
  for (const size_t side : {0, 1}) {
    if (!HasInput(connection[side])) continue;
    std::array<char, 65536> bytes;
    const ssize_t count = recv(connection[side], bytes.data(), bytes.size(), 0);
    if (count <= 0) return false;
    const auto length = static_cast<size_t>(count);
    if (send(connection[1 - side], bytes.data(), length, MSG_NOSIGNAL) != count) return false;
  }
  return true;
}

}  // namespace naval::testing
