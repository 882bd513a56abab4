#include "support/ptx/symbols.h"

#include <cctype>
#include <charconv>

#include "base/check.h"

namespace headroom::ptx {
namespace {

Error unknown(const std::string& what, const std::string& found) {
  return {ErrorCode::kUnsupported, Message::plain("expected " + what + ", found: " + found)};
}

std::optional<std::uint64_t> digits(std::string_view text, int base) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || at != end) return std::nullopt;
  return value;
}

std::optional<Special> special_of(const std::string& name) {
  static const std::map<std::string, Special> kSpecials = {
      {"%tid.x", Special::kThread},   {"%tid.y", Special::kZero},     {"%tid.z", Special::kZero},
      {"%ntid.x", Special::kThreads}, {"%ntid.y", Special::kOne},     {"%ntid.z", Special::kOne},
      {"%ctaid.x", Special::kBlockX}, {"%ctaid.y", Special::kBlockY}, {"%ctaid.z", Special::kBlockZ},
      {"%nctaid.x", Special::kGridX}, {"%nctaid.y", Special::kGridY}, {"%nctaid.z", Special::kGridZ},
      {"%laneid", Special::kLane},
  };
  const auto found = kSpecials.find(name);
  if (found == kSpecials.end()) return std::nullopt;
  return found->second;
}

}  // namespace

std::string trimmed(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::vector<std::string> split_operands(std::string_view text) {
  std::vector<std::string> found;
  int depth = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] == '{' || text[i] == '[')) ++depth;
    if (i < text.size() && (text[i] == '}' || text[i] == ']')) --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    if (std::string one = trimmed(text.substr(first, i - first)); !one.empty()) found.push_back(std::move(one));
    first = i + 1;
  }
  return found;
}

std::optional<std::uint64_t> parsed_number(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const bool is_hexadecimal = text.starts_with("0x");
  const std::optional<std::uint64_t> value = digits(text.substr(is_hexadecimal ? 2 : 0), is_hexadecimal          ? 16
                                                                                         : text.starts_with('0') ? 8
                                                                                                                 : 10);
  if (!value) return std::nullopt;
  return is_negative ? std::uint64_t{0} - *value : *value;
}

void Symbols::close_scope() {
  CHECK(scopes_.size() > 1, "no braces are open");
  scopes_.pop_back();
}

const Symbols::Register* Symbols::find_register(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->find(name); found != scope->end()) return &found->second;
  }
  return nullptr;
}

Result<Operand> Symbols::operand(const std::string& text) const {
  if (text.front() == '{') {
    if (text.back() != '}') return unknown("a vector", text);
    return vector(split_operands(std::string_view(text).substr(1, text.size() - 2)));
  }
  if (const std::size_t bar = text.find('|'); bar != std::string::npos)
    return vector({trimmed(text.substr(0, bar)), trimmed(text.substr(bar + 1))});
  if (text.front() == '[') return address(text);
  Operand operand;
  if (const Register* found = find_register(text)) {
    operand.kind = Operand::Kind::kRegister;
    operand.index = found->index;
    operand.is_predicate = found->is_predicate;
    return operand;
  }
  if (text.front() == '%') {
    const std::optional<Special> special = special_of(text);
    if (!special) return unknown("a register", text);
    operand.kind = Operand::Kind::kSpecial;
    operand.special = *special;
    return operand;
  }
  if (text.front() == '$') {
    operand.kind = Operand::Kind::kLabel;
    operand.name = text;
    return operand;
  }
  return number(text);
}

Result<Operand> Symbols::vector(const std::vector<std::string>& texts) const {
  Operand made;
  made.kind = Operand::Kind::kVector;
  for (const std::string& text : texts) {
    Result<Operand> element = text.empty() ? unknown("an element", text) : text == "_" ? Operand{} : operand(text);
    if (!element) return element.error();
    made.elements.push_back(std::move(*element));
  }
  return made;
}

Result<Operand> Symbols::address(const std::string& text) const {
  if (text.back() != ']') return unknown("an address", text);
  Operand made;
  made.kind = Operand::Kind::kAddress;
  std::string inner = trimmed(std::string_view(text).substr(1, text.size() - 2));
  if (const std::size_t plus = inner.find('+'); plus != std::string::npos) {
    const std::optional<std::uint64_t> added = parsed_number(trimmed(std::string_view(inner).substr(plus + 1)));
    if (!added) return unknown("an address", text);
    made.number = *added;
    inner = trimmed(std::string_view(inner).substr(0, plus));
  }
  if (const Register* found = find_register(inner)) {
    made.has_base = true;
    made.index = found->index;
    return made;
  }
  const auto found = variables_.find(inner);
  if (found == variables_.end()) return unknown("a register or a variable", inner);
  made.number += found->second;
  return made;
}

Result<Operand> Symbols::number(const std::string& text) const {
  Operand made;
  made.kind = Operand::Kind::kNumber;
  std::optional<std::uint64_t> value;
  if ((text.starts_with("0f") && text.size() == 10) || (text.starts_with("0d") && text.size() == 18)) {
    value = digits(std::string_view(text).substr(2), 16);
  } else if (const auto found = variables_.find(text); found != variables_.end()) {
    value = found->second;
  } else {
    value = parsed_number(text);
  }
  if (!value) return unknown("a register, a number or a variable", text);
  made.number = *value;
  return made;
}

}  // namespace headroom::ptx
