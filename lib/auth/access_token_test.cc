#include "lib/auth/access_token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/auth/base64url.h"
#include "naval/auth/v1/claims.pb.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace naval::auth {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000) + absl::Microseconds(7);

Claims SomeClaims() {
  return {.account_id = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
          .session_id = "017f22e2-79b0-7cc3-98c4-dc0c0c073990",
          .kind = AccountKind::kRegistered,
          .handle = "capitán",
          .issue_time = kNow,
          .expire_time = kNow + kAccessTokenLifetime};
}

class AccessTokenTest : public ::testing::Test {
 protected:
  // A new pair of keys in files named after `name`.
  Signer NewSigner(const std::string& name = "key") {
    EXPECT_THAT(GenerateKeyFiles(SigningKey(name), VerifyKey(name)), IsOk());
    return Signer::FromFile(SigningKey(name)).value();
  }
  Verifier NewVerifier(const std::string& name = "key") {
    return Verifier::FromFile(VerifyKey(name)).value();
  }
  std::string SigningKey(const std::string& name) { return folder_.path() + "/" + name + ".seed"; }
  std::string VerifyKey(const std::string& name) { return folder_.path() + "/" + name + ".pub"; }

  std::string Write(const std::string& name, const std::string& content) {
    std::string path = folder_.path() + "/" + name;
    std::ofstream(path) << content;
    std::filesystem::permissions(path, std::filesystem::perms(0600));
    return path;
  }
  std::string Read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  testing::TemporaryFolder folder_;
};

TEST_F(AccessTokenTest, GivesBackTheClaimsThatWereSigned) {
  const Signer signer = NewSigner();
  const base::Secret token = signer.Sign(SomeClaims());
  EXPECT_THAT(std::string(token.Reveal()), StartsWith("nvl_"));
  NAVAL_ASSERT_OK_AND_ASSIGN(const Claims claims, NewVerifier().Verify(token.Reveal(), kNow));
  EXPECT_EQ(claims, SomeClaims());
}

TEST_F(AccessTokenTest, SaysThatATokenIsMissing) {
  NewSigner();
  const auto result = NewVerifier().Verify("", kNow);
  EXPECT_THAT(result, StatusIs(absl::StatusCode::kUnauthenticated));
  EXPECT_THAT(result, HasReason("TOKEN_MISSING"));
}

TEST_F(AccessTokenTest, RefusesATokenFromTheMomentItExpires) {
  const base::Secret token = NewSigner().Sign(SomeClaims());
  const absl::Time expire_time = SomeClaims().expire_time;
  const Verifier verifier = NewVerifier();
  for (int repeat = 0; repeat < 2; ++repeat) {
    EXPECT_THAT(verifier.Verify(token.Reveal(), expire_time - absl::Microseconds(1)), IsOk());
  }
  const auto result = verifier.Verify(token.Reveal(), expire_time);
  EXPECT_THAT(result, StatusIs(absl::StatusCode::kUnauthenticated));
  EXPECT_THAT(result, HasReason("TOKEN_EXPIRED"));
}

TEST_F(AccessTokenTest, RefusesATokenThatLivesTooLong) {
  Claims claims = SomeClaims();
  claims.expire_time += absl::Microseconds(1);
  const base::Secret token = NewSigner().Sign(claims);
  EXPECT_THAT(NewVerifier().Verify(token.Reveal(), kNow), HasReason("TOKEN_INVALID"));
}

TEST_F(AccessTokenTest, RefusesATokenFromTheFuture) {
  const base::Secret token = NewSigner().Sign(SomeClaims());
  const Verifier verifier = NewVerifier();
  EXPECT_THAT(verifier.Verify(token.Reveal(), kNow - absl::Seconds(30)), IsOk());
  EXPECT_THAT(verifier.Verify(token.Reveal(), kNow - absl::Seconds(31)),
              HasReason("TOKEN_INVALID"));
}

TEST_F(AccessTokenTest, RefusesATokenChangedAtAnyPlace) {
  const std::string token(NewSigner().Sign(SomeClaims()).Reveal());
  const Verifier verifier = NewVerifier();
  // What it remembers of this one is good for no other.
  ASSERT_THAT(verifier.Verify(token, kNow), IsOk());
  for (size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    ASSERT_THAT(verifier.Verify(changed, kNow), HasReason("TOKEN_INVALID")) << "at " << i;
    ASSERT_THAT(verifier.Verify(absl::string_view(token).substr(0, i), kNow), Not(IsOk()))
        << "cut at " << i;
  }
}

TEST_F(AccessTokenTest, RefusesWhatIsNoToken) {
  NewSigner();
  const Verifier verifier = NewVerifier();
  for (const std::string& token :
       {std::string("nvl_"), std::string("nvl_===="), std::string("token"), std::string("nvl_\n"),
        "nvl_" + std::string(100'000, 'A'), std::string(3, '\0')}) {
    EXPECT_THAT(verifier.Verify(token, kNow), HasReason("TOKEN_INVALID"));
  }
}

TEST_F(AccessTokenTest, RefusesATokenOfAnotherKey) {
  const base::Secret token = NewSigner("other").Sign(SomeClaims());
  NewSigner("key");
  EXPECT_THAT(NewVerifier("key").Verify(token.Reveal(), kNow), HasReason("TOKEN_INVALID"));
}

TEST_F(AccessTokenTest, RefusesAGoodSignatureUnderTheNameOfAnotherKey) {
  const base::Secret ours = NewSigner("a").Sign(SomeClaims());
  const base::Secret theirs = NewSigner("b").Sign(SomeClaims());
  v1::SignedClaims message;
  v1::SignedClaims other;
  ASSERT_TRUE(message.ParseFromString(DecodeBase64Url(ours.Reveal().substr(4)).value()));
  ASSERT_TRUE(other.ParseFromString(DecodeBase64Url(theirs.Reveal().substr(4)).value()));
  message.set_key_id(other.key_id());
  const std::string token = absl::StrCat("nvl_", EncodeBase64Url(message.SerializeAsString()));
  EXPECT_THAT(NewVerifier("b").Verify(token, kNow), HasReason("TOKEN_INVALID"));
}

TEST_F(AccessTokenTest, AcceptsEveryKeyOfTheFileSoThatKeysCanBeReplaced) {
  const base::Secret before = NewSigner("before").Sign(SomeClaims());
  const base::Secret after = NewSigner("after").Sign(SomeClaims());
  const std::string both = Write(
      "both", "# until 12:00\n" + Read(VerifyKey("before")) + "\n" + Read(VerifyKey("after")));
  const Verifier verifier = Verifier::FromFile(both).value();
  EXPECT_THAT(verifier.Verify(before.Reveal(), kNow), IsOk());
  EXPECT_THAT(verifier.Verify(after.Reveal(), kNow), IsOk());
}

TEST_F(AccessTokenTest, RefusesClaimsWithoutAKindOrWithBadIds) {
  Claims claims = SomeClaims();
  claims.account_id = "me";
  const base::Secret token = NewSigner().Sign(claims);
  EXPECT_THAT(NewVerifier().Verify(token.Reveal(), kNow), HasReason("TOKEN_INVALID"));
}

TEST_F(AccessTokenTest, OverwritesNoKeyFile) {
  NewSigner();
  const std::string seed = Read(SigningKey("key"));
  EXPECT_THAT(GenerateKeyFiles(SigningKey("key"), VerifyKey("new")),
              StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(Read(SigningKey("key")), seed);
}

TEST_F(AccessTokenTest, LeavesNoSeedWithoutItsPublicKey) {
  const std::string taken = Write("taken", "something else");
  EXPECT_THAT(GenerateKeyFiles(SigningKey("new"), taken),
              StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_FALSE(std::filesystem::exists(SigningKey("new")));
  EXPECT_EQ(Read(taken), "something else");
}

TEST_F(AccessTokenTest, KeepsTheSeedToItsOwner) {
  NewSigner();
  struct stat info;
  ASSERT_EQ(stat(SigningKey("key").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
  std::filesystem::permissions(SigningKey("key"), std::filesystem::perms(0644));
  const auto signer = Signer::FromFile(SigningKey("key"));
  EXPECT_THAT(signer, StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(std::string(signer.status().message()), HasSubstr("chmod 600"));
}

TEST_F(AccessTokenTest, NamesTheFileAndLineThatHoldsNoKey) {
  const auto verifier = Verifier::FromFile(Write("bad", "# comment\nabc\n"));
  EXPECT_THAT(verifier, StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(std::string(verifier.status().message()), HasSubstr("bad, line 2"));
  EXPECT_THAT(Verifier::FromFile(Write("none", "# comment\n")),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(Verifier::FromFile(folder_.path() + "/missing"),
              StatusIs(absl::StatusCode::kNotFound));
  const auto signer = Signer::FromFile(Write("seed", "c2hvcnQ\n"));
  EXPECT_THAT(signer, StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(std::string(signer.status().message()), Not(HasSubstr("c2hvcnQ")));
}

}  // namespace
}  // namespace naval::auth
