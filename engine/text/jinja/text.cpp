#include "text/jinja/text.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>

#include "text/jinja/error.h"
#include "text/utf8.h"

namespace headroom::jinja {

namespace {

utf8proc_category_t category(char32_t value) { return utf8proc_category(static_cast<utf8proc_int32_t>(value)); }
bool is_cased(char32_t value) {
  const utf8proc_category_t kind = category(value);
  return kind == UTF8PROC_CATEGORY_LU || kind == UTF8PROC_CATEGORY_LL || kind == UTF8PROC_CATEGORY_LT;
}

void append_upper(std::string& text, char32_t value) {
  if (value == 0xDF) {  // sharp s, the one letter of daily use whose capital is two letters
    text += "SS";
  } else {
    append_code_point(text, static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(value))));
  }
}
void append_title(std::string& text, char32_t value) {
  if (value == 0xDF) {
    text += "Ss";
  } else {
    append_code_point(text, static_cast<char32_t>(utf8proc_totitle(static_cast<utf8proc_int32_t>(value))));
  }
}
void append_lower(std::string& text, char32_t value) {
  append_code_point(text, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(value))));
}

// Calls `visit(code point, bytes)` for each character; what is not UTF-8 counts as U+FFFD and keeps its bytes.
template <class Visit>
void for_each_character(std::string_view text, Visit visit) {
  for (std::size_t pos = 0; pos < text.size();) {
    const CodePoint point = read_code_point(text, pos);
    visit(point, text.substr(pos, point.n_bytes));
    pos += point.n_bytes;
  }
}

// What each character becomes has the origin of that character.
template <class Append>
TracedText mapped(const TracedText& text, Append append) {
  TracedText out;
  std::string changed;
  for_each_character(text.bytes(), [&](const CodePoint& point, std::string_view bytes) {
    changed.clear();
    if (point.valid) {
      append(changed, point.value);
    } else {
      changed.append(bytes);
    }
    out.append(changed, text.origin_at(static_cast<std::size_t>(bytes.data() - text.bytes().data())));
  });
  return out;
}

// All cased characters satisfy `wanted`, and there is at least one.
bool all_cased(std::string_view text, utf8proc_category_t wanted) {
  bool any = false, all = true;
  for_each_character(text, [&](const CodePoint& point, std::string_view) {
    if (!is_cased(point.value)) return;
    any = true;
    all = all && category(point.value) == wanted;
  });
  return any && all;
}

// The character that ends at the end of the text.
std::string_view last_character(std::string_view text) {
  std::size_t from = text.size() - 1;
  while (from > 0 && text.size() - from < 4 && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80) --from;
  return text.substr(read_code_point(text, from).n_bytes == text.size() - from ? from : text.size() - 1);
}

bool strips(std::string_view character, std::string_view set) {
  const CodePoint point = read_code_point(character, 0);
  return set.empty() ? is_white_space(point.value) && point.valid : set.find(character) != std::string_view::npos;
}

}  // namespace

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for_each_character(text, [&](const CodePoint&, std::string_view) { ++count; });
  return count;
}

std::size_t bytes_of_characters(std::string_view text, std::size_t n_characters) {
  std::size_t pos = 0;
  for (; n_characters > 0 && pos < text.size(); --n_characters) pos += read_code_point(text, pos).n_bytes;
  return pos;
}

void Characters::Iterator::measure() { n_bytes_ = rest_.empty() ? 0 : read_code_point(rest_, 0).n_bytes; }

TracedText to_upper(const TracedText& text) { return mapped(text, append_upper); }
TracedText to_lower(const TracedText& text) { return mapped(text, append_lower); }

TracedText capitalized(const TracedText& text) {
  bool is_first = true;
  return mapped(text, [&](std::string& out, char32_t value) {
    is_first ? append_title(out, value) : append_lower(out, value);
    is_first = false;
  });
}

TracedText title_case(const TracedText& text) {
  bool in_word = false;
  return mapped(text, [&](std::string& out, char32_t value) {
    in_word ? append_lower(out, value) : append_title(out, value);
    in_word = is_cased(value);
  });
}

TracedText swapped_case(const TracedText& text) {
  return mapped(text, [](std::string& out, char32_t value) {
    category(value) == UTF8PROC_CATEGORY_LU ? append_lower(out, value) : append_upper(out, value);
  });
}

TracedText case_folded(const TracedText& text) {
  return mapped(text, [](std::string& out, char32_t value) {
    if (value == 0xDF || value == 0x1E9E) {  // sharp s
      out += "ss";
    } else {
      append_lower(out, value);
    }
  });
}

TracedText filter_title(const TracedText& text) {
  bool starts_word = true;
  return mapped(text, [&](std::string& out, char32_t value) {
    starts_word ? append_upper(out, value) : append_lower(out, value);
    starts_word = is_white_space(value) || value == '-' || value == '(' || value == '{' || value == '[' || value == '<';
  });
}

bool is_white_space(char32_t value) {
  return (value >= 0x09 && value <= 0x0D) || (value >= 0x1C && value <= 0x20) || value == 0x85 || value == 0xA0 ||
         value == 0x1680 || (value >= 0x2000 && value <= 0x200A) || value == 0x2028 || value == 0x2029 ||
         value == 0x202F || value == 0x205F || value == 0x3000;
}

bool is_letter(char32_t value) {
  const utf8proc_category_t kind = category(value);
  return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}

bool is_number(char32_t value) { return category(value) == UTF8PROC_CATEGORY_ND; }
bool is_upper(std::string_view text) { return all_cased(text, UTF8PROC_CATEGORY_LU); }
bool is_lower(std::string_view text) { return all_cased(text, UTF8PROC_CATEGORY_LL); }

std::string_view stripped(std::string_view text, std::string_view characters_to_strip, bool left, bool right) {
  while (left && !text.empty()) {
    const std::string_view first = text.substr(0, read_code_point(text, 0).n_bytes);
    if (!strips(first, characters_to_strip)) break;
    text.remove_prefix(first.size());
  }
  while (right && !text.empty()) {
    const std::string_view last = last_character(text);
    if (!strips(last, characters_to_strip)) break;
    text.remove_suffix(last.size());
  }
  return text;
}

TracedText replaced(const TracedText& traced, std::string_view from, const TracedText& to, std::int64_t max_count,
                    std::size_t max_bytes) {
  const std::string_view text = traced.bytes();
  TracedText out;
  const auto add_part = [&](const TracedText& source, std::string_view part) {
    if (out.bytes().size() + part.size() > max_bytes)
      fail_too_much(fmt::format("a text of more than {} bytes", max_bytes));
    out.append_part(source, part);
  };
  const auto add = [&](std::string_view part) { add_part(traced, part); };
  std::int64_t count = 0;
  std::size_t pos = 0;
  while (max_count < 0 || count < max_count) {
    const std::size_t found = text.find(from, pos);
    if (found == std::string_view::npos) break;
    add(text.substr(pos, found - pos));
    add_part(to, to.bytes());
    ++count;
    pos = found + from.size();
    if (!from.empty()) continue;
    if (pos >= text.size()) return out;  // the empty text stands between all characters, and at both ends
    const std::size_t n_bytes = read_code_point(text, pos).n_bytes;
    add(text.substr(pos, n_bytes));
    pos += n_bytes;
  }
  add(text.substr(std::min(pos, text.size())));
  return out;
}

void split_at(std::string_view text, std::string_view separator, std::int64_t max_splits, bool from_right,
              const TakePart& take) {
  for (std::int64_t n_splits = 0; max_splits < 0 || n_splits < max_splits; ++n_splits) {
    const std::size_t found = from_right ? text.rfind(separator) : text.find(separator);
    if (found == std::string_view::npos) break;
    take(from_right ? text.substr(found + separator.size()) : text.substr(0, found));
    text = from_right ? text.substr(0, found) : text.substr(found + separator.size());
  }
  take(text);
}

void split_words(std::string_view text, std::int64_t max_splits, bool from_right, const TakePart& take) {
  std::int64_t n_words = 0;
  while (!(text = stripped(text, {}, !from_right, from_right)).empty()) {
    if (max_splits >= 0 && n_words++ == max_splits) return take(text);  // with the blanks at its far end
    std::size_t n_bytes = 0;
    while (n_bytes < text.size()) {
      const std::string_view rest = from_right ? text.substr(0, text.size() - n_bytes) : text.substr(n_bytes);
      const std::string_view character =
          from_right ? last_character(rest) : rest.substr(0, read_code_point(rest, 0).n_bytes);
      if (strips(character, {})) break;
      n_bytes += character.size();
    }
    take(from_right ? text.substr(text.size() - n_bytes) : text.substr(0, n_bytes));
    text = from_right ? text.substr(0, text.size() - n_bytes) : text.substr(n_bytes);
  }
}

void split_lines(std::string_view text, bool keep_ends, const TakePart& take) {
  std::size_t from = 0;
  for (std::size_t pos = 0; pos < text.size();) {
    const CodePoint point = read_code_point(text, pos);
    const char32_t c = point.value;
    const bool ends_line =
        (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
    std::size_t end = pos + point.n_bytes;
    if (ends_line) {
      if (c == '\r' && end < text.size() && text[end] == '\n') ++end;
      take(text.substr(from, (keep_ends ? end : pos) - from));
      from = end;
    }
    pos = end;
  }
  if (from < text.size()) take(text.substr(from));
}

}  // namespace headroom::jinja
