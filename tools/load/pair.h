#pragma once

#include <string>

#include "tools/load/player.h"

namespace naval::load {

// Two players who meet at a private rated table, play, and meet again, until Common::ending. For
// the loop's thread.
class Pair {
 public:
  // Who play by these rules. All must outlive the pair.
  Pair(Common& common, const game::v1::GameRules& rules, Connection& first, Connection& second)
      : common_(common),
        rules_(rules),
        lobby_(first),
        rival_lobby_(second),
        creator_(common, first, /*match_process=*/0),
        rival_(common, second, /*match_process=*/1) {}
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  Player& creator() { return creator_; }
  Player& rival() { return rival_; }

  // Both must be registered.
  void Begin();

  // To be called when Common::ending was set.
  void Stop();

  // Whether it once got as far as to shoot.
  bool warm() const { return games_ > 0 || (creator_.in_battle() && rival_.in_battle()); }
  // Whether nothing goes on any more.
  bool resting() const { return resting_; }

 private:
  void Join(const std::string& join_code);
  void AwaitMatch(const lobby::v1::Table& table);
  void Play(const std::string& match_id);
  void End();

  Common& common_;
  const game::v1::GameRules& rules_;
  Connection& lobby_;
  Connection& rival_lobby_;
  Player creator_;
  Player rival_;
  int playing_ = 0;
  int games_ = 0;
  bool resting_ = false;
};

}  // namespace naval::load
