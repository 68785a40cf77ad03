#include "tools/lint/source_file.h"

#include <cstddef>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "re2/re2.h"

namespace naval::lint {
namespace {

// Copies `text` with comments blanked, and with the insides of literals blanked too where asked.
// Line ends stay.
class Blanker {
 public:
  Blanker(absl::string_view text, bool blank_literals)
      : text_(text), out_(text), blank_literals_(blank_literals) {}

  std::string Run() {
    while (at_ < text_.size()) {
      if (Starts("//")) {
        BlankTo(text_.find('\n', at_), true);
      } else if (Starts("/*")) {
        BlankTo(EndOf("*/", at_ + 2), true);
      } else if (Starts("R\"")) {
        RawString();
      } else if (text_[at_] == '"' || (text_[at_] == '\'' && !IsDigitSeparator())) {
        Literal();
      } else {
        ++at_;
      }
    }
    return out_;
  }

 private:
  bool Starts(absl::string_view word) const { return absl::StartsWith(text_.substr(at_), word); }

  // 1'000'000
  bool IsDigitSeparator() const {
    return at_ > 0 && absl::ascii_isalnum(static_cast<unsigned char>(text_[at_ - 1]));
  }

  size_t EndOf(absl::string_view word, size_t from) const {
    const size_t found = text_.find(word, from);
    return found == absl::string_view::npos ? found : found + word.size();
  }

  void BlankTo(size_t end, bool blank) {
    if (end == absl::string_view::npos) end = text_.size();
    for (; at_ < end; ++at_) {
      if (blank && text_[at_] != '\n') out_[at_] = ' ';
    }
  }

  void RawString() {
    const size_t open = text_.find('(', at_);
    if (open == absl::string_view::npos) {
      at_ = text_.size();
      return;
    }
    const std::string close = absl::StrCat(")", text_.substr(at_ + 2, open - at_ - 2), "\"");
    const size_t end = text_.find(close, open);
    at_ = open + 1;
    BlankTo(end, blank_literals_);
    if (end != absl::string_view::npos) at_ = end + close.size();
  }

  void Literal() {
    const char quote = text_[at_++];
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      const size_t length = text_[at_] == '\\' ? 2 : 1;
      BlankTo(at_ + length, blank_literals_);
    }
    ++at_;
  }

  absl::string_view text_;
  std::string out_;
  bool blank_literals_;
  size_t at_ = 0;
};

std::vector<std::string> SplitLines(absl::string_view text) {
  return absl::StrSplit(absl::StripSuffix(text, "\n"), '\n');
}

}  // namespace

std::string ToText(const Finding& finding) {
  return absl::StrCat(finding.path, ":", finding.line, ": found ", finding.found, ": ",
                      finding.instead);
}

SourceLines LinesOf(absl::string_view text) {
  return {.all = SplitLines(text),
          .no_comments = SplitLines(Blanker(text, false).Run()),
          .code = SplitLines(Blanker(text, true).Run())};
}

bool IsCpp(absl::string_view path) {
  return absl::EndsWith(path, ".cc") || absl::EndsWith(path, ".h");
}

bool IsTest(absl::string_view path) {
  static const RE2& name = *new RE2(R"((^|[/_])(test|fake)[_.][^/]*$)");
  return IsUnder(path, "tests") ||
         RE2::PartialMatch(re2::StringPiece(path.data(), path.size()), name);
}

bool IsUnder(absl::string_view path, absl::string_view prefix) {
  return absl::ConsumePrefix(&path, prefix) && (path.empty() || path[0] == '/');
}

}  // namespace naval::lint
