#pragma once

namespace naval::comparison {

// The sanitizers make everything here ten times slower, and what they look for shows in few games:
// under them a part is played. The whole of the gate's part is played by the build that is shipped.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace naval::comparison
