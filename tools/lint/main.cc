// naval-lint: checks the text files of the repository it is started in, named on standard input one
// a line. Prints one line a finding. Exits 0 when there is none, 1 when there are, 2 when it cannot
// do its work.

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/lint/banned_words.h"
#include "tools/lint/include_table.h"
#include "tools/lint/layout.h"
#include "tools/lint/rule_coverage.h"
#include "tools/lint/source_file.h"

namespace naval::lint {
namespace {

constexpr absl::string_view kBannedWordsPath = "tools/lint/banned_words.txt";
constexpr absl::string_view kIncludesPath = "tools/lint/includes.txt";

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in.good() && !in.eof()) return absl::NotFoundError("cannot read " + path);
  return text;
}

absl::StatusOr<std::vector<SourceFile>> ReadFiles(std::istream& names) {
  std::vector<SourceFile> files;
  for (std::string path; std::getline(names, path);) {
    absl::StatusOr<std::string> text = ReadFile(path);
    if (!text.ok()) return text.status();
    // A zero byte makes a file binary, as for git.
    if (text->find('\0') != std::string::npos) continue;
    files.push_back({.path = path, .text = *std::move(text)});
  }
  return files;
}

void Append(std::vector<Finding> more, std::vector<Finding>& findings) {
  findings.insert(findings.end(), more.begin(), more.end());
}

absl::StatusOr<std::vector<Finding>> CheckAll(const std::vector<SourceFile>& files) {
  absl::StatusOr<std::string> words_text = ReadFile(std::string(kBannedWordsPath));
  if (!words_text.ok()) return words_text.status();
  absl::StatusOr<BannedWords> words = BannedWords::Parse(*words_text);
  if (!words.ok()) return words.status();
  absl::StatusOr<std::string> includes_text = ReadFile(std::string(kIncludesPath));
  if (!includes_text.ok()) return includes_text.status();
  absl::StatusOr<IncludeTable> includes = IncludeTable::Parse(*includes_text);
  if (!includes.ok()) return includes.status();

  absl::flat_hash_set<std::string> paths;
  for (const SourceFile& file : files) paths.insert(file.path);
  std::vector<Finding> findings;
  for (const SourceFile& file : files) {
    Append(words->Check(file), findings);
    Append(includes->Check(file, paths), findings);
  }
  Append(CheckLayout(files), findings);
  Append(CheckRuleCoverage(files), findings);
  return findings;
}

int Main() {
  const absl::StatusOr<std::vector<SourceFile>> files = ReadFiles(std::cin);
  if (!files.ok()) {
    std::cerr << "naval-lint: " << files.status() << "\n";
    return 2;
  }
  if (files->empty()) {
    std::cerr << "naval-lint: no file was named on standard input\n";
    return 2;
  }
  const absl::StatusOr<std::vector<Finding>> findings = CheckAll(*files);
  if (!findings.ok()) {
    std::cerr << "naval-lint: " << findings.status() << "\n";
    return 2;
  }
  for (const Finding& finding : *findings) std::cout << ToText(finding) << "\n";
  std::cout << files->size() << " files, " << findings->size() << " findings\n";
  return findings->empty() ? 0 : 1;
}

}  // namespace
}  // namespace naval::lint

int main() { return naval::lint::Main(); }
