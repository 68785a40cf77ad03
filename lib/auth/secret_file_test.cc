#include "lib/auth/secret_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace naval::auth {
namespace {

using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;
using ::testing::HasSubstr;
using ::testing::Not;

class SecretFileTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& content, int mode = 0600) {
    std::string path = folder_.path() + "/secret";
    std::ofstream(path) << content;
    std::filesystem::permissions(path, static_cast<std::filesystem::perms>(mode));
    return path;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(SecretFileTest, IsReadWithoutTheWhiteSpaceAround) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const base::Secret secret, ReadSecretFile(Write(" a b \n")));
  EXPECT_TRUE(secret.Equals("a b"));
}

TEST_F(SecretFileTest, MayBeReadByItsGroupButByNoOne) {
  for (const int mode : {0400, 0600, 0440, 0640}) {
    EXPECT_THAT(ReadSecretFile(Write("secret", mode)), IsOk()) << std::oct << mode;
  }
  for (const int mode : {0604, 0644, 0620, 0601, 0666}) {
    EXPECT_THAT(ReadSecretFile(Write("secret", mode)),
                StatusIs(absl::StatusCode::kFailedPrecondition))
        << std::oct << mode;
  }
}

TEST_F(SecretFileTest, IsRefusedWhenMissingEmptyOrTooLong) {
  const auto missing = ReadSecretFile(folder_.path() + "/nothing");
  EXPECT_THAT(missing, StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(std::string(missing.status().message()), HasSubstr(folder_.path() + "/nothing"));
  EXPECT_THAT(ReadSecretFile(Write("  \n")), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ReadSecretFile(Write(std::string(kMaxKeyFileBytes + 1, 'x'))),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ReadSecretFile(folder_.path()), Not(IsOk()));
}

TEST_F(SecretFileTest, HoldsAServiceTokenOfEnoughCharacters) {
  const std::string token(kMinServiceTokenLength, 'x');
  EXPECT_THAT(ReadServiceToken(Write(token)), IsOk());
  for (const std::string& bad : {token.substr(1), token + " x", token + "\xc3\xb1"}) {
    const auto result = ReadServiceToken(Write(bad));
    EXPECT_THAT(result, StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(std::string(result.status().message()), Not(HasSubstr("xxx")));
  }
}

TEST_F(SecretFileTest, IsNotOverwritten) {
  const std::string path = Write("old");
  EXPECT_THAT(WriteNewFile(path, "new", 0600), StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_TRUE(ReadSecretFile(path).value().Equals("old"));
}

// No file of this process may grow beyond `bytes` while this lives: a disk that is full.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_;
  void (*handler_)(int);
};

TEST_F(SecretFileTest, IsNotLeftHalfWritten) {
  const std::string path = folder_.path() + "/new";
  absl::Status status;
  {
    const FileSizeLimit limit(4);
    status = WriteNewFile(path, "longer than that", 0600);
  }
  EXPECT_THAT(status, Not(IsOk()));
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot write " + path));
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace naval::auth
