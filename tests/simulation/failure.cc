#include "tests/simulation/failure.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace naval::simulation {
namespace {

char* failure_buffer = nullptr;
std::size_t failure_buffer_size = 0;

}  // namespace

void Fail(const std::string& message) {
  if (failure_buffer != nullptr) {
    const std::size_t length = std::min(message.size(), failure_buffer_size - 1);
    std::memcpy(failure_buffer, message.data(), length);
    failure_buffer[length] = '\0';
  } else {
    std::fprintf(stderr, "%s\n", message.c_str());
  }
  std::fflush(nullptr);
  _exit(3);
}

void SetFailureBuffer(char* buffer, std::size_t size) {
  failure_buffer = buffer;
  failure_buffer_size = size;
}

}  // namespace naval::simulation
