#pragma once

#include <string>

namespace naval::client {

// The public ports of the three services, each as HOST:PORT.
struct Addresses {
  std::string lobby;
  std::string match;
  std::string ranking;
};

}  // namespace naval::client
