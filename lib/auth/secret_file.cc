#include "lib/auth/secret_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/status_macros.h"

namespace naval::auth {
namespace {

absl::Status SystemError(const std::string& path, absl::string_view what) {
  return absl::ErrnoToStatus(errno, absl::StrCat(what, " ", path));
}

absl::Status CheckSecretMode(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return SystemError(path, "cannot read");
  if ((info.st_mode & (S_IRWXO | S_IWGRP)) == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrFormat(
      "%s holds a secret, and its mode %04o lets others read it or its group change "
      "it: chmod 600 it",
      path, info.st_mode & 07777));
}

absl::Status WriteAll(int file, const std::string& path, absl::string_view content) {
  while (!content.empty()) {
    const ssize_t count = write(file, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(path, "cannot write");
    content.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ReadKeyFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return SystemError(path, "cannot read");
  const auto closer = absl::MakeCleanup([file] { close(file); });
  std::string content(kMaxKeyFileBytes + 1, '\0');
  size_t length = 0;
  while (length < content.size()) {
    const ssize_t count = read(file, content.data() + length, content.size() - length);
    if (count < 0) return SystemError(path, "cannot read");
    if (count == 0) break;
    length += static_cast<size_t>(count);
  }
  if (length > kMaxKeyFileBytes) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s is longer than %d bytes: this is no key file", path, kMaxKeyFileBytes));
  }
  content.resize(length);
  absl::StripAsciiWhitespace(&content);
  if (content.empty()) return absl::InvalidArgumentError(absl::StrCat(path, " is empty"));
  return content;
}

absl::StatusOr<base::Secret> ReadSecretFile(const std::string& path) {
  NAVAL_RETURN_IF_ERROR(CheckSecretMode(path));
  NAVAL_ASSIGN_OR_RETURN(std::string content, ReadKeyFile(path));
  return base::Secret(std::move(content));
}

absl::StatusOr<base::Secret> ReadServiceToken(const std::string& path) {
  NAVAL_ASSIGN_OR_RETURN(base::Secret token, ReadSecretFile(path));
  if (token.Reveal().size() < kMinServiceTokenLength) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: a service token has at least %d characters", path, kMinServiceTokenLength));
  }
  // It travels as a header, which takes printable ASCII only.
  for (const char c : token.Reveal()) {
    if (!absl::ascii_isgraph(static_cast<unsigned char>(c))) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": a service token consists of printable ASCII without spaces"));
    }
  }
  return token;
}

absl::Status WriteNewFile(const std::string& path, absl::string_view content, mode_t mode) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0) return SystemError(path, "cannot make");
  const auto closer = absl::MakeCleanup([file] { close(file); });
  absl::Status status = WriteAll(file, path, absl::StrCat(content, "\n"));
  if (!status.ok()) unlink(path.c_str());
  return status;
}

}  // namespace naval::auth
