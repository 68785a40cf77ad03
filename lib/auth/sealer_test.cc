#include "lib/auth/sealer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/auth/secret_file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace naval::auth {
namespace {

using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kPlace[] = "the place";
constexpr std::size_t kPaddedSize = 100;

class SealerTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }

  // The text of a new key.
  std::string NewKey() {
    const std::string path = Path(absl::StrCat("key", ++keys_));
    EXPECT_THAT(GenerateSealingKeyFile(path), IsOk());
    return *ReadKeyFile(path);
  }

  absl::StatusOr<Sealer> SealerOf(const std::string& content) {
    const std::string path = Path(absl::StrCat("file", ++keys_));
    EXPECT_THAT(WriteNewFile(path, content, 0600), IsOk());
    return Sealer::FromFile(path);
  }

  std::string Seal(const Sealer& sealer, absl::string_view text) {
    return sealer.Seal(text, kPaddedSize, kPlace, random_);
  }

  testing::TemporaryFolder folder_;
  base::SecureRandom random_;
  int keys_ = 0;
};

TEST_F(SealerTest, OpensWhatItSealed) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const Sealer sealer, SealerOf(NewKey()));
  for (const std::string& text : {std::string(), std::string("portaaviones A1"),
                                  std::string("\0\x80\0", 3), std::string(kPaddedSize, '\x80')}) {
    EXPECT_EQ(sealer.Open(Seal(sealer, text), kPlace).value(), text);
  }
}

TEST_F(SealerTest, SealsTextsOfAnyLengthToOne) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const Sealer sealer, SealerOf(NewKey()));
  std::set<std::size_t> sizes;
  for (std::size_t size = 0; size <= kPaddedSize; ++size) {
    sizes.insert(Seal(sealer, std::string(size, 'a')).size());
  }
  EXPECT_THAT(sizes, ::testing::ElementsAre(kPaddedSize + Sealer::kOverhead));
}

TEST_F(SealerTest, SealsTheSameTextToOtherBytesEachTime) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const Sealer sealer, SealerOf(NewKey()));
  const std::string sealed = Seal(sealer, "portaaviones");
  EXPECT_FALSE(absl::StrContains(sealed, "portaaviones"));
  // All but the format and the id of the key.
  EXPECT_NE(sealed.substr(9, 24), Seal(sealer, "portaaviones").substr(9, 24));
  EXPECT_NE(sealed.substr(33), Seal(sealer, "portaaviones").substr(33));
}

TEST_F(SealerTest, OpensNothingThatWasChangedCutOrMoved) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const Sealer sealer, SealerOf(NewKey()));
  const std::string sealed = Seal(sealer, "fleet");
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_THAT(sealer.Open(changed, kPlace), StatusIs(absl::StatusCode::kDataLoss)) << i;
    EXPECT_THAT(sealer.Open(sealed.substr(0, i), kPlace), StatusIs(absl::StatusCode::kDataLoss));
  }
  EXPECT_THAT(sealer.Open(absl::StrCat(sealed, "a"), kPlace),
              StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(sealer.Open(sealed, "another place"), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(SealerTest, NamesTheKeyThatIsMissing) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const Sealer sealer, SealerOf(NewKey()));
  NAVAL_ASSERT_OK_AND_ASSIGN(const Sealer other, SealerOf(NewKey()));
  const auto opened = other.Open(Seal(sealer, "fleet"), kPlace);
  ASSERT_THAT(opened, StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(std::string(opened.status().message()),
              AllOf(HasSubstr(sealer.key_id()), Not(HasSubstr(other.key_id()))));
  EXPECT_EQ(other.RequireKeyOf(Seal(sealer, "fleet")), opened.status());
  EXPECT_THAT(sealer.RequireKeyOf(Seal(sealer, "fleet")), IsOk());
  EXPECT_THAT(sealer.RequireKeyOf("a text that was never sealed"), IsOk());
}

TEST_F(SealerTest, SealsWithTheFirstKeyAndOpensWithEvery) {
  const std::string old_key = NewKey();
  const std::string new_key = NewKey();
  NAVAL_ASSERT_OK_AND_ASSIGN(const Sealer before, SealerOf(old_key));
  // A process that was not started anew since the new key came, and one that was since it seals.
  NAVAL_ASSERT_OK_AND_ASSIGN(const Sealer between, SealerOf(old_key + "\n" + new_key));
  NAVAL_ASSERT_OK_AND_ASSIGN(const Sealer after,
                             SealerOf("# of November\n\n  " + new_key + "\n" + old_key));
  NAVAL_ASSERT_OK_AND_ASSIGN(const Sealer without, SealerOf(new_key));
  EXPECT_EQ(between.key_id(), before.key_id());
  EXPECT_EQ(after.key_id(), without.key_id());
  EXPECT_NE(after.key_id(), before.key_id());
  EXPECT_EQ(after.Open(Seal(before, "fleet"), kPlace).value(), "fleet");
  EXPECT_EQ(between.Open(Seal(after, "fleet"), kPlace).value(), "fleet");
  EXPECT_EQ(without.Open(Seal(after, "fleet"), kPlace).value(), "fleet");
  EXPECT_THAT(without.Open(Seal(between, "fleet"), kPlace), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(SealerTest, RefusesAFileThatHoldsNoKeyNamingTheLine) {
  for (const std::string& content :
       {std::string("not a key"), NewKey() + "A", NewKey().substr(1)}) {
    const auto sealer = SealerOf(NewKey() + "\n" + content);
    ASSERT_THAT(sealer, StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(std::string(sealer.status().message()), HasSubstr("line 2"));
  }
  EXPECT_THAT(SealerOf("# nothing"), StatusIs(absl::StatusCode::kInvalidArgument));
  const std::string open_to_all = Path("open");
  ASSERT_THAT(WriteNewFile(open_to_all, NewKey(), 0644), IsOk());
  EXPECT_THAT(Sealer::FromFile(open_to_all), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(SealerTest, MakesNoKeyOverAnother) {
  ASSERT_THAT(GenerateSealingKeyFile(Path("key")), IsOk());
  NAVAL_ASSERT_OK_AND_ASSIGN(const std::string key, ReadKeyFile(Path("key")));
  EXPECT_THAT(GenerateSealingKeyFile(Path("key")), StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(*ReadKeyFile(Path("key")), key);
}

}  // namespace
}  // namespace naval::auth
