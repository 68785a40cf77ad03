#include "tools/client/ratings.h"

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace naval::client {
namespace {

namespace v1 = ranking::v1;

constexpr char kRuleSet[] = "tablu";
constexpr absl::Duration kDeliveryLimit = absl::Minutes(1);

}  // namespace

absl::StatusOr<v1::Rating> RatingOf(Client& client) {
  v1::GetRatingRequest request;
  request.set_rule_set(kRuleSet);
  request.set_account_id(client.account().account_id());
  NAVAL_ASSIGN_OR_RETURN(const v1::GetRatingResponse response,
                         client.Call(&v1::RankingService::Stub::GetRating, request));
  return response.rating();
}

absl::StatusOr<v1::Rating> AwaitRating(Client& client, int64_t matches) {
  v1::Rating rating;
  const auto has_come = [&]() -> absl::StatusOr<bool> {
    const auto found = RatingOf(client);
    if (absl::IsNotFound(found.status())) return false;
    NAVAL_RETURN_IF_ERROR(found.status());
    rating = *found;
    return rating.wins() + rating.losses() >= matches;
  };
  NAVAL_RETURN_IF_ERROR(client.WaitUntil(absl::StrCat("a result of ", client.account().handle()),
                                         kDeliveryLimit, has_come));
  return rating;
}

}  // namespace naval::client
