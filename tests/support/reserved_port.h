#pragma once

namespace naval::testing {

// A TCP port on 127.0.0.1 that stays the caller's while the object lives, also while nobody listens
// on it: the kernel gives it to no other socket by itself, and no client's own end of a connection
// lands on it. A server that sets SO_REUSEADDR, as gRPC's do, can listen on it, again and again.
class ReservedPort {
 public:
  ReservedPort();
  ~ReservedPort();
  ReservedPort(const ReservedPort&) = delete;
  ReservedPort& operator=(const ReservedPort&) = delete;

  int port() const { return port_; }

 private:
  int socket_ = -1;
  int port_ = 0;
};

}  // namespace naval::testing
