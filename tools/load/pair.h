#pragma once

#include <string>

#include "tools/load/player.h"

namespace naval::load {

// Two players who meet at a private rated table, play, and meet again, until Common::stopping. For
// the loop's thread.
class Pair {
 public:
  // All must outlive the pair.
  Pair(Common& common, Connection& first, Connection& second)
      : common_(common),
        lobby_(first),
        rival_lobby_(second),
        creator_(common, first),
        rival_(common, second) {}
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  Player& creator() { return creator_; }
  Player& rival() { return rival_; }

  // Both must be registered.
  void Begin();

  // To be called when Common::stopping was set.
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
  Connection& lobby_;
  Connection& rival_lobby_;
  Player creator_;
  Player rival_;
  int playing_ = 0;
  int games_ = 0;
  bool resting_ = false;
};

}  // namespace naval::load
