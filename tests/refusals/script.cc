#include "tests/refusals/script.h"

#include <google/protobuf/descriptor.h>

#include <array>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace naval::testing {
namespace {

const std::set<absl::string_view>& StepVerbs() {
  static const auto* const kVerbs = new std::set<absl::string_view>{
      "call", "send", "new",  "let",      "pass",    "late", "on",    "sql",
      "fail", "kill", "mend", "database", "matches", "open", "close", "elsewhere"};
  return *kVerbs;
}

const std::set<absl::string_view>& DetailVerbs() {
  static const auto* const kVerbs = new std::set<absl::string_view>{
      "times", "keep", "hold", "meanwhile", "flood", "want", "with", "field", "retry"};
  return *kVerbs;
}

constexpr std::array<absl::string_view, 7> kServices = {
    "naval.lobby.v1.AccountService",          "naval.lobby.v1.LobbyService",
    "naval.lobby.v1.LobbyInternalService",    "naval.match.v1.MatchService",
    "naval.match.v1.MatchInternalService",    "naval.ranking.v1.RankingService",
    "naval.ranking.v1.RankingInternalService"};

std::vector<ScriptLine> JoinLines(absl::string_view text) {
  std::vector<ScriptLine> lines;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (absl::StartsWith(line, "#") || absl::StripAsciiWhitespace(line).empty()) continue;
    if (absl::StartsWith(line, "  ") && !lines.empty()) {
      absl::StrAppend(&lines.back().rest, " ", absl::StripAsciiWhitespace(line));
      continue;
    }
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(' ', 1));
    lines.push_back({number, std::string(parts.first),
                     std::string(absl::StripTrailingAsciiWhitespace(parts.second))});
  }
  return lines;
}

void AddRefusals(absl::string_view name, absl::string_view code, absl::string_view reason,
                 std::vector<Refused>& refusals) {
  for (const std::string& method : MethodsNamed(name)) {
    const size_t dot = method.rfind('.');
    refusals.push_back({.service = method.substr(0, dot),
                        .method = method.substr(dot + 1),
                        .code = std::string(code),
                        .reason = std::string(reason)});
  }
}

}  // namespace

absl::StatusOr<std::vector<ScriptStep>> ParseScript(absl::string_view text) {
  std::vector<ScriptStep> steps;
  for (ScriptLine& line : JoinLines(text)) {
    if (StepVerbs().contains(line.verb)) {
      steps.push_back({.line = std::move(line), .details = {}});
    } else if (DetailVerbs().contains(line.verb) && !steps.empty() &&
               steps.back().line.verb == "send") {
      steps.back().details.push_back(std::move(line));
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", line.number, ": ", line.verb, " cannot stand here, see script.h"));
    }
  }
  return steps;
}

std::vector<std::string> MethodsNamed(absl::string_view name) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(name, absl::MaxSplits('.', 1));
  std::vector<std::string> methods;
  for (const absl::string_view service : kServices) {
    if (!absl::EndsWith(service, absl::StrCat(".", parts.first))) continue;
    const auto* const descriptor =
        google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(std::string(service));
    for (int i = 0; descriptor != nullptr && i < descriptor->method_count(); ++i) {
      const auto& method = *descriptor->method(i);
      if (parts.second == "*" || parts.second == method.name()) {
        methods.push_back(method.full_name());
      }
    }
  }
  return methods;
}

std::vector<Refused> RefusalsOf(const std::vector<ScriptStep>& script) {
  std::vector<Refused> refusals;
  std::string called;
  for (const ScriptStep& step : script) {
    const std::vector<std::string> words = absl::StrSplit(step.line.rest, ' ');
    if (step.line.verb == "call") called = words[0];
    if (step.line.verb == "elsewhere" && words.size() == 4) {
      AddRefusals(words[0], words[1], words[2], refusals);
    }
    for (const ScriptLine& detail : step.details) {
      if (detail.verb != "want") continue;
      const std::pair<absl::string_view, absl::string_view> want =
          absl::StrSplit(detail.rest, absl::MaxSplits(' ', 1));
      AddRefusals(called, want.first, want.second, refusals);
    }
  }
  return refusals;
}

}  // namespace naval::testing
