// Everything that is read from a text that a client or a key file's owner hands in: access tokens,
// refresh tokens, page tokens, ids, handles, passwords, squares, ids of rule sets, ships and bots.
// What is taken must be what was written, in its one spelling.

#include <sodium.h>

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/auth/access_token.h"
#include "lib/auth/base64url.h"
#include "lib/auth/opaque_token.h"
#include "lib/base/error.h"
#include "lib/base/ids.h"
#include "lib/base/secret.h"
#include "lib/bots/bot.h"
#include "lib/rules/rule_sets.h"
#include "lib/rules/square.h"
#include "lib/server/fields.h"
#include "naval/auth/v1/claims.pb.h"
#include "services/lobby/handle.h"
#include "services/lobby/password_policy.h"
#include "services/lobby/refresh_token.h"
#include "services/ranking/page_token.h"
#include "tests/fuzz/fail.h"
#include "tests/fuzz/inputs.pb.h"
#include "tests/fuzz/text_target.h"
#include "tests/support/test_keys.h"

namespace naval::fuzz {
namespace {

constexpr absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

const testing::TestKeys& TheKeys() {
  static const auto& keys = *new testing::TestKeys(testing::NewTestKeys());
  return keys;
}

// A refusal of what a client sent: the code of one, with a reason.
void RequireRefusal(const absl::Status& status, absl::StatusCode code) {
  Require(status.code() == code && !base::ReasonOf(status).empty(),
          absl::StrCat("refused with ", status.ToString()));
}

unsigned char* Unsigned(std::string& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

// A token as the lobby would make it, of claims that it would never make.
std::string Sign(const std::string& claims) {
  std::string public_key(crypto_sign_PUBLICKEYBYTES, '\0');
  std::string secret_key(crypto_sign_SECRETKEYBYTES, '\0');
  std::string seed = TheKeys().seed;
  crypto_sign_seed_keypair(Unsigned(public_key), Unsigned(secret_key), Unsigned(seed));
  std::string text = absl::StrCat("naval access token v1:", claims);
  std::string signature(crypto_sign_BYTES, '\0');
  crypto_sign_detached(Unsigned(signature), nullptr, Unsigned(text), text.size(),
                       Unsigned(secret_key));
  auth::v1::SignedClaims token;
  token.set_key_id(auth::HashToken(public_key).substr(0, 8));
  token.set_claims(claims);
  token.set_signature(signature);
  return absl::StrCat("nvl_", auth::EncodeBase64Url(token.SerializeAsString()));
}

void CheckAccessToken(const std::string& token) {
  const absl::StatusOr<auth::Claims> claims = TheKeys().verifier.Verify(token, kNow);
  if (!claims.ok()) return RequireRefusal(claims.status(), absl::StatusCode::kUnauthenticated);
  Require(base::IsId(claims->account_id) && base::IsId(claims->session_id), "claims without ids");
  Require(claims->expire_time > kNow &&
              claims->expire_time - claims->issue_time <= auth::kAccessTokenLifetime,
          "a token with a life of its own choice");
  // Tokens are made to the microsecond.
  auth::Claims made = *claims;
  made.issue_time = absl::FromUnixMicros(absl::ToUnixMicros(made.issue_time));
  made.expire_time = absl::FromUnixMicros(absl::ToUnixMicros(made.expire_time));
  const auto again = TheKeys().verifier.Verify(TheKeys().signer.Sign(made).Reveal(), kNow);
  Require(!again.ok() ? made.expire_time <= kNow : *again == made,
          "claims change when they are signed again");
}

void CheckBase64Url(const std::string& text) {
  const auto bytes = auth::DecodeBase64Url(text);
  Require(!bytes.has_value() || auth::EncodeBase64Url(*bytes) == text,
          "base64url in two spellings");
  Require(auth::DecodeBase64Url(auth::EncodeBase64Url(text)) == text, "bytes lost in base64url");
}

void CheckRefreshToken(const std::string& text) {
  const base::Secret token(text);
  const auto session_id = lobby::SessionIdOf(token);
  if (!session_id.has_value()) return;
  Require(base::IsId(*session_id), "a refresh token that names no session");
  const base::Secret next = lobby::SuccessorOf(token, "salt");
  Require(lobby::SessionIdOf(next) == session_id &&
              lobby::SessionKeyOf(next).Reveal() == lobby::SessionKeyOf(token).Reveal(),
          "a refresh token whose successor is another session's");
}

void CheckPageToken(const std::string& token) {
  const auto position = ranking::ReadPageToken("tablu", token);
  if (!position.ok()) {
    return RequireRefusal(position.status(), absl::StatusCode::kInvalidArgument);
  }
  if (token.empty()) return;
  const auto again = ranking::ReadPageToken("tablu", ranking::MakePageToken("tablu", *position));
  Require(again.ok() && again->rating == position->rating &&
              again->update_time == position->update_time &&
              again->account_id == position->account_id,
          "a page token that changes when it is made again");
}

void CheckNames(const std::string& text) {
  const auto square = rules::Square::Parse(text);
  Require(!square.ok() || square->ToString() == absl::AsciiStrToUpper(text),
          "a square in two spellings");
  if (!square.ok()) RequireRefusal(square.status(), absl::StatusCode::kInvalidArgument);
  const absl::Status id = server::CheckId("match_id", text);
  Require(id.ok() == base::IsId(text), "two opinions of an id");
  if (!id.ok()) RequireRefusal(id, absl::StatusCode::kInvalidArgument);
  const absl::Status handle = lobby::CheckHandle(text);
  Require(!handle.ok() || (text.size() >= 3 && text.size() <= 20), "a handle of no good length");
  if (!handle.ok()) RequireRefusal(handle, absl::StatusCode::kInvalidArgument);
  const absl::Status password = lobby::CheckPassword(base::Secret(text));
  Require(!password.ok() || text.size() >= 15, "a short password");
  if (!password.ok()) RequireRefusal(password, absl::StatusCode::kInvalidArgument);
  const auto preset = rules::FindPreset(text);
  Require(!preset.ok() || (*preset)->rules.id == text, "a rule set with two ids");
  if (!preset.ok()) RequireRefusal(preset.status(), absl::StatusCode::kInvalidArgument);
  const auto& tablu = (*rules::FindPreset("tablu"))->rules;
  const auto ship = rules::FindShip(tablu, text);
  if (!ship.ok()) RequireRefusal(ship.status(), absl::StatusCode::kInvalidArgument);
  const auto bot = bots::MakeBot(text);
  if (!bot.ok()) RequireRefusal(bot.status(), absl::StatusCode::kInvalidArgument);
}

}  // namespace

const google::protobuf::Message& EmptyInput() { return Codes::default_instance(); }

void RunInput(const google::protobuf::Message& input) {
  const auto& codes = dynamic_cast<const Codes&>(input);
  const std::string& text = codes.text();
  CheckBase64Url(text);
  CheckAccessToken(text);
  CheckAccessToken(absl::StrCat("nvl_", auth::EncodeBase64Url(text)));
  CheckAccessToken(Sign(codes.claims().SerializeAsString() + codes.claims_appended()));
  CheckRefreshToken(text);
  CheckPageToken(text);
  CheckPageToken(absl::WebSafeBase64Escape(text));
  CheckNames(text);
}

}  // namespace naval::fuzz
