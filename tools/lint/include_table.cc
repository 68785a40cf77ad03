#include "tools/lint/include_table.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "re2/re2.h"

namespace naval::lint {
namespace {

// "lib/rules/sea.h" -> "lib/rules"; "services/match/main.cc" -> "services/match".
std::string FolderOf(absl::string_view path) {
  const std::vector<std::string> parts = absl::StrSplit(path, '/');
  if (parts.size() < 3) return parts.size() == 2 ? parts[0] : "";
  return absl::StrCat(parts[0], "/", parts[1]);
}

// What the table calls the target of an include: a folder of ours, "proto" or "proto_grpc" for
// generated headers, the first word of the path for a library, "" for the language's own headers.
std::string NameOf(absl::string_view target, bool quoted,
                   const absl::flat_hash_set<std::string>& paths) {
  if (paths.contains(target)) return FolderOf(target);
  // The migrations of a service, generated from its SQL files, are a value of lib/postgres.
  if (absl::StartsWith(target, "naval/") && absl::EndsWith(target, "/migrations.h")) {
    return "lib/postgres";
  }
  if (absl::EndsWith(target, ".grpc.pb.h")) return "proto_grpc";
  if (absl::EndsWith(target, ".pb.h") && !absl::StartsWith(target, "google/protobuf/")) {
    return "proto";
  }
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(target, absl::MaxSplits('/', 1));
  if (parts.first == "grpcpp") return "grpc";
  static const auto& libraries = *new absl::flat_hash_set<std::string>{
      "CLI",   "absl",     "fmt",  "gmock",      "google", "grpc",
      "gtest", "nlohmann", "pqxx", "prometheus", "re2",    "spdlog"};
  if (libraries.contains(parts.first)) return std::string(parts.first);
  if (target == "sodium.h") return "sodium";
  if (target == "libpq-fe.h") return "libpq";
  if (target == "microhttpd.h") return "microhttpd";
  return quoted ? "unknown" : "";
}

}  // namespace

absl::StatusOr<IncludeTable> IncludeTable::Parse(absl::string_view table) {
  IncludeTable result;
  int line_number = 0;
  for (absl::string_view line : absl::StrSplit(table, '\n')) {
    ++line_number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    const std::vector<absl::string_view> parts = absl::StrSplit(line, ':');
    if (parts.size() != 2) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", line_number, ": expected 'folder: what it may include'"));
    }
    auto& row = result.allowed_[std::string(absl::StripAsciiWhitespace(parts[0]))];
    for (absl::string_view name : absl::StrSplit(parts[1], ' ', absl::SkipEmpty())) {
      row.insert(std::string(name));
    }
  }
  return result;
}

absl::btree_set<std::string> IncludeTable::AllowedTo(absl::string_view path,
                                                     absl::string_view folder) const {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(folder, '/');
  absl::btree_set<std::string> names;
  for (const std::string& head : {std::string(folder), absl::StrCat(parts.first, "/*")}) {
    if (const auto row = allowed_.find(head); row != allowed_.end()) {
      names.insert(row->second.begin(), row->second.end());
    }
  }
  if (const auto row = allowed_.find("tests");
      !names.empty() && row != allowed_.end() && IsTest(path)) {
    names.insert(row->second.begin(), row->second.end());
  }
  return names;
}

std::vector<Finding> IncludeTable::Check(const SourceFile& file,
                                         const absl::flat_hash_set<std::string>& paths) const {
  if (!IsCpp(file.path)) return {};
  const std::string folder = FolderOf(file.path);
  const absl::btree_set<std::string> allowed = AllowedTo(file.path, folder);
  if (allowed.empty()) {
    return {{.path = file.path,
             .found = absl::StrCat("C++ in the folder '", folder, "', unknown to the layers"),
             .instead = "give it a line in tools/lint/includes.txt"}};
  }
  std::vector<Finding> findings;
  static const RE2& include = *new RE2(R"(^\s*#\s*include\s*(["<])([^">]+)[">])");
  const std::vector<std::string> lines = LinesOf(file.text).no_comments;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string bracket, target;
    if (!RE2::PartialMatch(lines[i], include, &bracket, &target)) continue;
    const std::string name = NameOf(target, bracket == "\"", paths);
    if (name.empty() || name == folder || allowed.contains(name)) continue;
    findings.push_back({.path = file.path,
                        .line = static_cast<int>(i) + 1,
                        .found = absl::StrCat("an include of ", target),
                        .instead = name == "unknown"
                                       ? "name the file by its path from the root"
                                       : absl::StrCat(folder, " may include only itself and: ",
                                                      absl::StrJoin(allowed, " "))});
  }
  return findings;
}

}  // namespace naval::lint
