// Names from a file, made safe to stand in a message.
#pragma once

#include <string>
#include <string_view>

namespace headroom {

// 'text' with everything but printable ASCII as \xNN, cut after 80 bytes.
std::string show_name(std::string_view text);

// `text` as valid UTF-8 on one line: control characters and broken bytes become U+FFFD; cut after 200 bytes.
std::string displayable(std::string_view text);

// Keys and tensor names are ASCII in every file that tools write; anything else could not be shown, stored or compared
// safely.
bool is_printable_ascii(std::string_view text);

}  // namespace headroom
