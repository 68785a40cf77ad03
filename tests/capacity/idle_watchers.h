#pragma once

#include <memory>
#include <string>
#include <vector>

namespace naval::capacity {

class IdleWatcher;

// Many WatchMatch streams that read what comes and do nothing else, a hundred on each connection,
// as they come through an edge. For one thread.
class IdleWatchers {
 public:
  // `address` is that of the match service; the account that `access_token` speaks for must play in
  // the matches.
  IdleWatchers(const std::string& address, const std::string& access_token);
  // Ends all streams.
  ~IdleWatchers();
  IdleWatchers(const IdleWatchers&) = delete;
  IdleWatchers& operator=(const IdleWatchers&) = delete;

  void Watch(const std::string& match_id);

  // How many streams have got a first message and not ended.
  int watching() const;

 private:
  struct Connection;

  const std::string address_;
  const std::string access_token_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<std::unique_ptr<IdleWatcher>> watchers_;
};

}  // namespace naval::capacity
