#pragma once

#include <cstddef>
#include <deque>
#include <future>
#include <optional>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/clock.h"
#include "naval/match/v1/match.pb.h"
#include "tools/cli/terminal.h"
#include "tools/cli/text.h"
#include "tools/cli/typing.h"
#include "tools/client/client.h"
#include "tools/client/match_feed.h"

namespace naval::cli {

// A match on standard output as it goes on, with moves from standard input where `playing`. On a
// terminal that can be drawn on both seas stand in place, with the clock running; elsewhere what
// happens is printed line by line, and the seas when it is the player's turn. For one thread.
class Live {
 public:
  // `client` and `clock` must outlive it.
  Live(client::Client& client, base::Clock& clock, const std::string& match_id, bool playing);
  // Stops the client, so that nothing is waited for that is still under way.
  ~Live();
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;

  // Returns when the match is over or the player leaves it. CANCELLED, see InterruptedBy, when a
  // signal came; the error of MatchFeed when the match cannot be followed any more.
  absl::Status Run();

  // The match as it was seen last; nullopt before it came.
  const std::optional<match::v1::Match>& match() const { return match_; }
  absl::Time ServerNow() const { return feed_.ServerNow(); }
  // Whether it draws in place; nothing of it stays on the screen when Run returns.
  bool draws() const { return drawing_; }

 private:
  // What a call to the server came to say to the player, if anything.
  using Call = absl::AnyInvocable<absl::StatusOr<std::string>()>;

  absl::Status Loop(Keyboard& keyboard, Screen& screen);
  // The news since the last time.
  void Update();
  bool IsOver() const;
  // Puts the answer that was awaited into the note.
  void TakeAnswer();
  // A player who has no fleet yet gets one to begin with.
  void ProposeAtFirst();
  void TakeLine(const std::string& line);

  void Do(const ShowMove& move);
  void Do(const FireMove& move);
  void Do(const RandomMove& move);
  void Do(const PlaceMove& move);
  void Do(const ConfirmMove& move);
  void Do(const ResignMove& move);
  void Do(const ClaimMove& move);
  void Do(const QuitMove& move);
  void Do(const HelpMove& move);
  // Makes the call on a thread of its own, so that the clock goes on; its answer is awaited.
  void Begin(Call call);

  std::string Note() const;
  void Draw(Screen& screen);
  void PrintNews(Screen& screen);

  client::Client& client_;
  base::Clock& clock_;
  const std::string match_id_;
  const bool playing_;
  const bool drawing_;
  client::MatchFeed feed_;
  std::optional<match::v1::Match> match_;
  Lines news_;
  std::size_t events_told_ = 0;
  LineEditor editor_;
  // Lines that wait until the call before them is answered.
  std::deque<std::string> lines_;
  std::future<absl::StatusOr<std::string>> answer_;
  // When it became awaited.
  absl::Time asked_at_;
  std::string note_;
  bool proposed_ = false;
  bool left_ = false;
  // Where all is printed line by line: what was printed, and of which moment the seas.
  std::size_t news_printed_ = 0;
  std::string note_printed_;
  std::string moment_printed_;
  bool seas_wanted_ = false;
};

}  // namespace naval::cli
