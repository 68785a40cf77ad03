#pragma once

#include <array>
#include <cstddef>
#include <thread>
#include <vector>

#include "lib/base/mutex.h"

namespace naval::testing {

// A TCP relay on 127.0.0.1 that can fall silent without closing anything, like a server that is
// frozen or behind a network that swallows packets. Thread safe.
class Relay {
 public:
  // To this port of 127.0.0.1. Ends the test program when that is impossible.
  explicit Relay(int target_port);
  // Closes all connections.
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  int port() const { return port_; }

  // From now on nothing is passed on; the kernel still takes new connections, which get no answer.
  void Freeze() NAVAL_EXCLUDES(mutex_);

  // How many clients have sent something since Freeze, on connections from before it.
  size_t waiting() const NAVAL_EXCLUDES(mutex_);

 private:
  // The sockets of the client and of the target.
  using Connection = std::array<int, 2>;

  void Run() NAVAL_EXCLUDES(mutex_);
  bool frozen() const NAVAL_EXCLUDES(mutex_);
  void Accept();
  // Passes on what has come in, one way or the other; false when the connection has ended.
  static bool Pass(const Connection& connection);

  const int target_port_;
  const int listener_;
  int port_ = 0;
  // Of the thread alone.
  std::vector<Connection> connections_;
  mutable base::Mutex mutex_;
  bool frozen_ NAVAL_GUARDED_BY(mutex_) = false;
  bool stopped_ NAVAL_GUARDED_BY(mutex_) = false;
  size_t waiting_ NAVAL_GUARDED_BY(mutex_) = 0;
  std::thread thread_;
};

}  // namespace naval::testing
