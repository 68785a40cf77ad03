#include "tools/cli/state_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/util/json_util.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "tools/cli/failure.h"

namespace naval::cli {
namespace {

constexpr size_t kMostBytes = 64 * 1024;

absl::Status FileError(absl::string_view path, absl::string_view what) {
  return base::Error(absl::StatusCode::kInternal, "STATE_FILE", absl::StrCat(path, ": ", what),
                     {{"file", std::string(path)}});
}

absl::Status SystemError(absl::string_view path, absl::string_view what, int error) {
  return FileError(path, absl::StrCat("cannot ", what, ": ", std::strerror(error)));
}

absl::StatusOr<std::string> ReadAll(int file, const std::string& path) {
  std::string text(kMostBytes + 1, '\0');
  size_t length = 0;
  while (length < text.size()) {
    const ssize_t count = read(file, text.data() + length, text.size() - length);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(path, "read", errno);
    if (count == 0) break;
    length += static_cast<size_t>(count);
  }
  text.resize(length);
  return text;
}

absl::Status WriteAll(int file, const std::string& path, absl::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(path, "write", errno);
    text.remove_prefix(static_cast<size_t>(count));
  }
  return fsync(file) == 0 ? absl::OkStatus() : SystemError(path, "write", errno);
}

std::string TextAt(const nlohmann::json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

std::vector<std::string> TextsAt(const nlohmann::json& json, const char* name) {
  std::vector<std::string> texts;
  const auto found = json.find(name);
  if (found == json.end() || !found->is_array()) return texts;
  for (const nlohmann::json& text : *found) {
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

absl::StatusOr<State> Parse(const std::string& text, const std::string& path) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  State state;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  if (!json.is_object() || !json.contains("session") ||
      !google::protobuf::util::JsonStringToMessage(json["session"].dump(), &state.session, options)
           .ok()) {
    return FileError(path, "is no state of naval-cli; move it away, or name another with --state");
  }
  state.table_id = TextAt(json, "tableId");
  state.match_id = TextAt(json, "matchId");
  state.open_table_ids = TextsAt(json, "openTableIds");
  // Files of before there was a list.
  if (!json.contains("openTableIds") && !state.table_id.empty()) {
    state.open_table_ids = {state.table_id};
  }
  return state;
}

absl::StatusOr<std::string> Format(const State& state) {
  std::string session;
  const auto status = google::protobuf::util::MessageToJsonString(state.session, &session);
  if (!status.ok()) return absl::InternalError(status.ToString());
  const nlohmann::json json = {
      {"session", nlohmann::json::parse(session, nullptr, /*allow_exceptions=*/false)},
      {"tableId", state.table_id},
      {"matchId", state.match_id},
      {"openTableIds", state.open_table_ids}};
  return absl::StrCat(json.dump(2), "\n");
}

}  // namespace

absl::StatusOr<std::string> StateFile::DefaultPath() {
  constexpr char kName[] = "/naval/cli.json";
  // The XDG specification wants a path that is not absolute to be passed over.
  const char* const state_home = std::getenv("XDG_STATE_HOME");
  if (state_home != nullptr && state_home[0] == '/') return absl::StrCat(state_home, kName);
  const char* const home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return absl::StrCat(home, "/.local/state", kName);
  return UsageError("neither HOME nor XDG_STATE_HOME says where to keep the session: use --state");
}

absl::StatusOr<State> StateFile::Read() const {
  const int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return State();
  if (file < 0) return SystemError(path_, "read", errno);
  const auto closer = absl::MakeCleanup([file] { close(file); });
  struct stat info;
  if (fstat(file, &info) != 0) return SystemError(path_, "read", errno);
  if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return FileError(path_, absl::StrFormat("holds secrets, but others may use it (mode %04o): "
                                            "chmod 600 it",
                                            info.st_mode & 07777));
  }
  NAVAL_ASSIGN_OR_RETURN(const std::string text, ReadAll(file, path_));
  return Parse(text, path_);
}

absl::Status StateFile::Change(absl::FunctionRef<absl::Status(State&)> change) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  if (!folder.empty() && std::filesystem::create_directories(folder, error)) {
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
  }
  if (error) return SystemError(path_, "make its folder", error.value());
  const std::string lock_path = absl::StrCat(path_, ".lock");
  const int lock = open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) return SystemError(lock_path, "open", errno);
  const auto closer = absl::MakeCleanup([lock] { close(lock); });
  while (flock(lock, LOCK_EX) != 0) {
    if (errno != EINTR) return SystemError(lock_path, "lock", errno);
  }
  NAVAL_ASSIGN_OR_RETURN(State state, Read());
  NAVAL_RETURN_IF_ERROR(change(state));
  return Write(state);
}

absl::StatusOr<lobby::v1::Session> StateFile::ChangeSession(client::SessionStore::Change change) {
  lobby::v1::Session changed;
  NAVAL_RETURN_IF_ERROR(Change([&](State& state) -> absl::Status {
    NAVAL_ASSIGN_OR_RETURN(changed, change(state.session));
    // Another account has other tables and matches.
    if (changed.account().account_id() != state.session.account().account_id()) state = {};
    state.session = changed;
    return absl::OkStatus();
  }));
  return changed;
}

absl::Status StateFile::Write(const State& state) const {
  NAVAL_ASSIGN_OR_RETURN(const std::string text, Format(state));
  // Under the lock, so nobody else uses this name; what a killed command left behind is
  // overwritten.
  const std::string new_path = absl::StrCat(path_, ".new");
  if (unlink(new_path.c_str()) != 0 && errno != ENOENT) {
    return SystemError(new_path, "remove", errno);
  }
  const int file = open(new_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return SystemError(new_path, "write", errno);
  const absl::Status written = WriteAll(file, new_path, text);
  close(file);
  NAVAL_RETURN_IF_ERROR(written);
  if (rename(new_path.c_str(), path_.c_str()) != 0) return SystemError(path_, "write", errno);
  return absl::OkStatus();
}

}  // namespace naval::cli
