#include "tests/support/temporary_folder.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace naval::testing {

TemporaryFolder::TemporaryFolder()
    : path_((std::filesystem::temp_directory_path() / "naval.XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr) {
    std::perror("TemporaryFolder");
    std::abort();
  }
}

TemporaryFolder::~TemporaryFolder() { std::filesystem::remove_all(path_); }

}  // namespace naval::testing
