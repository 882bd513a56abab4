#include "support/ptx/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>

namespace headroom::ptx {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

// At commas outside of brackets and braces.
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

class Body {
 public:
  Body(Entry& entry, int line) : entry_(entry), line_(line) {}

  // The text between the braces of an entry.
  Status read(std::string_view text) {
    std::string statement;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '\n') ++line_;
      const bool is_empty = trimmed(statement).empty();
      if (is_empty && depth == 0 && (c == '{' || c == '}')) continue;  // a scope
      if (is_empty) begin_ = line_;
      if (c == '{') ++depth;
      if (c == '}') --depth;
      if (c == ':' && depth == 0 && is_label(trimmed(statement)) && text.substr(i, 2) != "::") {
        labels_[trimmed(statement)] = static_cast<std::uint32_t>(entry_.code.size());
        statement.clear();
        continue;
      }
      if (c != ';') {
        statement += c;
        continue;
      }
      if (Status done = take(trimmed(statement)); !done) return done;
      statement.clear();
    }
    return find_labels();
  }

 private:
  Error wrong(const std::string& what, const std::string& text) const {
    return {ErrorCode::kUnsupported, fmt::format("PTX, {}, line {}: {}: {}", entry_.name, begin_, what, text)};
  }

  static bool is_label(const std::string& text) {
    return !text.empty() && text.front() == '$' && text.find(' ') == std::string::npos;
  }

  Status take(const std::string& statement) {
    if (statement.empty()) return ok_status();
    if (statement.front() != '.') return add_instruction(statement);
    if (statement.starts_with(".pragma") || statement.starts_with(".loc")) return ok_status();
    if (statement.starts_with(".reg")) return add_registers(statement);
    if (statement.starts_with(".shared")) return add_shared(statement);
    return wrong("expected a directive that is known, found", statement);
  }

  // ".reg .b32 %r<12>" or ".reg .pred p, q".
  Status add_registers(const std::string& statement) {
    std::size_t at = statement.find('.', 1);
    at = at == std::string::npos ? at : statement.find_first_of(" \t", at);
    if (at == std::string::npos) return wrong("expected registers, found", statement);
    for (const std::string& name : split_operands(std::string_view(statement).substr(at))) {
      const std::size_t bracket = name.find('<');
      if (bracket == std::string::npos) {
        registers_[name] = entry_.n_registers++;
        continue;
      }
      const int n = std::atoi(name.c_str() + bracket + 1);
      for (int i = 0; i < n; ++i) registers_[name.substr(0, bracket) + std::to_string(i)] = entry_.n_registers++;
    }
    return ok_status();
  }

  // ".shared .align 4 .b8 name[9216]" or ".shared .align 4 .u32 name".
  Status add_shared(const std::string& statement) {
    const std::size_t align_at = statement.find(".align"), name_at = statement.find_last_of(" \t");
    if (align_at == std::string::npos || name_at == std::string::npos)
      return wrong("expected a variable, found", statement);
    const auto align = static_cast<std::uint64_t>(std::atoi(statement.c_str() + align_at + 6));
    std::string name = statement.substr(name_at + 1);
    std::uint64_t n = 1, bytes = 0;
    if (const std::size_t bracket = name.find('['); bracket != std::string::npos) {
      n = static_cast<std::uint64_t>(std::atoll(name.c_str() + bracket + 1));
      name.resize(bracket);
    }
    const std::size_t type_at = statement.rfind('.', name_at);
    bytes = static_cast<std::uint64_t>(std::atoi(statement.c_str() + type_at + 2)) / 8;
    if (align == 0 || bytes == 0) return wrong("expected a variable, found", statement);
    entry_.shared_bytes = (entry_.shared_bytes + align - 1) / align * align;
    variables_[name] = entry_.shared_bytes;
    entry_.shared_bytes += n * bytes;
    return ok_status();
  }

  Status add_instruction(std::string statement) {
    Instruction made;
    made.line = begin_;
    made.text = statement;
    if (statement.front() == '@') {
      const std::size_t end = statement.find_first_of(" \t");
      made.has_guard = true;
      made.is_negated = statement[1] == '!';
      const std::string name = statement.substr(made.is_negated ? 2 : 1, end - (made.is_negated ? 2 : 1));
      if (!registers_.contains(name)) return wrong("expected a predicate, found", name);
      made.guard = registers_[name];
      statement = trimmed(std::string_view(statement).substr(end));
    }
    const std::size_t end = std::min(statement.find_first_of(" \t"), statement.size());
    for (std::size_t first = 0; first < end;) {
      const std::size_t dot = std::min(statement.find('.', first), end);
      made.parts.push_back(statement.substr(first, dot - first));
      first = dot + 1;
    }
    for (const std::string& text : split_operands(std::string_view(statement).substr(end))) {
      Result<Operand> operand = read_operand(text);
      if (!operand) return operand.error();
      made.operands.push_back(std::move(*operand));
    }
    entry_.code.push_back(std::move(made));
    return ok_status();
  }

  Result<Operand> read_operand(const std::string& text) {
    Operand operand;
    if (text.front() == '{') {
      operand.kind = Operand::Kind::kVector;
      return read_elements(operand, split_operands(std::string_view(text).substr(1, text.size() - 2)));
    }
    if (const std::size_t bar = text.find('|'); bar != std::string::npos) {
      operand.kind = Operand::Kind::kVector;
      return read_elements(operand, {text.substr(0, bar), text.substr(bar + 1)});
    }
    if (text.front() == '[') {
      operand.kind = Operand::Kind::kAddress;
      std::string inner = trimmed(std::string_view(text).substr(1, text.size() - 2));
      const std::size_t plus = inner.find('+');
      if (plus != std::string::npos) {
        operand.number = static_cast<std::uint64_t>(std::stoll(inner.substr(plus + 1), nullptr, 0));
        inner = trimmed(std::string_view(inner).substr(0, plus));
      }
      if (const auto found = registers_.find(inner); found != registers_.end()) {
        operand.has_base = true;
        operand.index = found->second;
        return operand;
      }
      const Result<std::uint64_t> place = place_of(inner);
      if (!place) return place.error();
      operand.number += *place;
      return operand;
    }
    if (const auto found = registers_.find(text); found != registers_.end()) {
      operand.kind = Operand::Kind::kRegister;
      operand.index = found->second;
      return operand;
    }
    if (text.front() == '%') {
      operand.kind = Operand::Kind::kSpecial;
      operand.name = text;
      return operand;
    }
    if (text.front() == '$') {
      operand.kind = Operand::Kind::kLabel;
      operand.name = text;
      return operand;
    }
    operand.kind = Operand::Kind::kNumber;
    if (text.starts_with("0f") || text.starts_with("0d")) {
      operand.number = std::stoull(text.substr(2), nullptr, 16);
    } else if (std::isdigit(static_cast<unsigned char>(text.front())) != 0) {
      operand.number = std::stoull(text, nullptr, 0);
    } else if (text.front() == '-') {
      operand.number = static_cast<std::uint64_t>(std::stoll(text, nullptr, 0));
    } else {
      const Result<std::uint64_t> place = place_of(text);
      if (!place) return place.error();
      operand.number = *place;
    }
    return operand;
  }

  Result<Operand> read_elements(Operand operand, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      Result<Operand> element = text == "_" ? Operand{} : read_operand(text);
      if (!element) return element.error();
      operand.elements.push_back(std::move(*element));
    }
    return operand;
  }

  // Of a shared variable in shared memory, of the parameter in theirs.
  Result<std::uint64_t> place_of(const std::string& name) const {
    if (name == entry_.name + "_param_0") return std::uint64_t{0};
    const auto found = variables_.find(name);
    if (found == variables_.end()) return wrong("expected a register, a number or a variable, found", name);
    return found->second;
  }

  Status find_labels() {
    for (Instruction& each : entry_.code) {
      for (Operand& operand : each.operands) {
        if (operand.kind != Operand::Kind::kLabel) continue;
        const auto found = labels_.find(operand.name);
        if (found == labels_.end()) return wrong("expected a label, found", operand.name);
        operand.index = found->second;
      }
    }
    return ok_status();
  }

  Entry& entry_;
  int line_, begin_ = 0;
  std::map<std::string, std::uint32_t> registers_, labels_;
  std::map<std::string, std::uint64_t> variables_;
};

std::string without_comments(std::string_view text) {
  std::string left;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") i = std::min(text.find('\n', i), text.size() - 1);
    left += text[i];
  }
  return left;
}

}  // namespace

bool Instruction::has(std::string_view part) const { return std::ranges::find(parts, part) != parts.end(); }

Result<std::map<std::string, Entry>> parse(std::string_view commented) {
  const std::string text = without_comments(commented);
  std::map<std::string, Entry> entries;
  constexpr std::string_view kEntry = ".entry";
  for (std::size_t at = text.find(kEntry); at != std::string::npos; at = text.find(kEntry, at)) {
    const std::size_t open = text.find('(', at), close = text.find(')', at), begin = text.find('{', at);
    if (open == std::string::npos || close == std::string::npos || begin == std::string::npos)
      return Error{ErrorCode::kUnsupported, "PTX: an entry has no parameters or no body"};
    Entry entry;
    entry.name = trimmed(std::string_view(text).substr(at + kEntry.size(), open - at - kEntry.size()));
    const std::string params = text.substr(open, close - open), directives = text.substr(close, begin - close);
    if (const std::size_t bracket = params.find('[');
        bracket != std::string::npos && params.find(',') == std::string::npos)
      entry.param_bytes = static_cast<std::uint64_t>(std::atoll(params.c_str() + bracket + 1));
    if (entry.param_bytes == 0)
      return Error{ErrorCode::kUnsupported, fmt::format("PTX, {}: expected one struct as parameter", entry.name)};
    if (const std::size_t most = directives.find(".maxntid"); most != std::string::npos)
      entry.most_threads = static_cast<std::uint32_t>(std::atoi(directives.c_str() + most + 8));
    std::size_t end = begin + 1;
    for (int depth = 1; depth > 0 && end < text.size(); ++end)
      depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
    const int line =
        1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
    Body body(entry, line);
    if (Status read = body.read(std::string_view(text).substr(begin + 1, end - begin - 2)); !read) return read.error();
    at = end;
    const std::string name = entry.name;
    entries.emplace(name, std::move(entry));
  }
  return entries;
}

}  // namespace headroom::ptx
