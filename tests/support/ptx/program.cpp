#include "support/ptx/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "support/ptx/lanes.h"
#include "support/ptx/symbols.h"

namespace headroom::ptx {
namespace {

Error wrong(const std::string& name, int line, const std::string& what, const std::string& text) {
  return {ErrorCode::kUnsupported, Message::plain(fmt::format("PTX, {}, line {}: {}: {}", name, line, what, text))};
}

// The statements between the braces of an entry.
class Body {
 public:
  Body(Entry& entry, int line) : entry_(entry), line_(line) {
    symbols_.add_variable(entry.name + "_param_0", 0);
    for (const auto& [name, constant] : *entry.constants)
      symbols_.add_variable(name, reinterpret_cast<std::uint64_t>(constant.data()));
  }

  Status read(std::string_view text) {
    std::string statement;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '\n') ++line_;
      const bool is_empty = trimmed(statement).empty();
      if (is_empty && depth == 0 && (c == '{' || c == '}')) {
        c == '{' ? symbols_.open_scope() : symbols_.close_scope();
        continue;
      }
      if (is_empty) begin_ = line_;
      if (c == '{') ++depth;
      if (c == '}') --depth;
      if (c == ':' && depth == 0 && is_label(trimmed(statement)) && text.substr(i, 2) != "::") {
        if (!labels_.emplace(trimmed(statement), static_cast<std::uint32_t>(entry_.code.size())).second)
          return fault("expected a label of its own, found", trimmed(statement));
        statement.clear();
        continue;
      }
      if (c != ';') {
        statement += c;
        continue;
      }
      if (Status added = add_statement(trimmed(statement)); !added) return added;
      statement.clear();
    }
    if (!trimmed(statement).empty()) return fault("expected a semicolon behind", trimmed(statement));
    return complete();
  }

 private:
  Error fault(const std::string& what, const std::string& text) const { return wrong(entry_.name, begin_, what, text); }

  static bool is_label(const std::string& text) {
    return !text.empty() && text.front() == '$' && text.find(' ') == std::string::npos;
  }

  Status add_statement(const std::string& statement) {
    if (statement.empty()) return ok_status();
    if (statement.front() != '.') return add_instruction(statement);
    if (statement.starts_with(".pragma") || statement.starts_with(".loc")) return ok_status();
    if (statement.starts_with(".reg")) return add_registers(statement);
    if (statement.starts_with(".shared")) return add_shared(statement);
    return fault("expected a directive that is known, found", statement);
  }

  // ".reg .b32 %r<12>" or ".reg .pred p, q".
  Status add_registers(const std::string& statement) {
    constexpr std::array kTypes = {"pred", "b8", "b16", "b32", "b64", "u8",  "u16", "u32",
                                   "u64",  "s8", "s16", "s32", "s64", "f16", "f32", "f64"};
    const std::size_t dot = statement.find('.', 1),
                      end = statement.find_first_of(" \t", std::min(dot, statement.size()));
    if (end == std::string::npos) return fault("expected registers, found", statement);
    const std::string type = statement.substr(dot + 1, end - dot - 1);
    if (std::ranges::find(kTypes, type) == kTypes.end())
      return fault("expected registers of a known type, found", statement);
    for (const std::string& name : split_operands(std::string_view(statement).substr(end))) {
      const std::size_t bracket = name.find('<');
      const std::string stem = name.substr(0, bracket);
      const int n = bracket == std::string::npos ? 1 : std::atoi(name.c_str() + bracket + 1);
      for (int i = 0; i < n; ++i)
        symbols_.add_register(bracket == std::string::npos ? name : stem + std::to_string(i),
                              {entry_.n_registers++, type == "pred"});
    }
    return ok_status();
  }

  // ".shared .align 4 .b8 name[9216]" or ".shared .align 4 .u32 name".
  Status add_shared(const std::string& statement) {
    const std::size_t align_at = statement.find(".align"), name_at = statement.find_last_of(" \t");
    if (align_at == std::string::npos || name_at == std::string::npos)
      return fault("expected a variable, found", statement);
    const auto align = static_cast<std::uint64_t>(std::atoi(statement.c_str() + align_at + 6));
    std::string name = statement.substr(name_at + 1);
    std::uint64_t n = 1, bytes = 0;
    if (const std::size_t bracket = name.find('['); bracket != std::string::npos) {
      n = static_cast<std::uint64_t>(std::atoll(name.c_str() + bracket + 1));
      name.resize(bracket);
    }
    const std::size_t type_at = statement.rfind('.', name_at);
    bytes = static_cast<std::uint64_t>(std::atoi(statement.c_str() + type_at + 2)) / 8;
    if (align == 0 || bytes == 0) return fault("expected a variable, found", statement);
    entry_.shared_bytes = (entry_.shared_bytes + align - 1) / align * align;
    symbols_.add_variable(name, entry_.shared_bytes);
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
      const Symbols::Register* guard = symbols_.find_register(name);
      if (guard == nullptr || !guard->is_predicate) return fault("expected a predicate, found", name);
      made.guard = guard->index;
      statement = trimmed(std::string_view(statement).substr(std::min(end, statement.size())));
    }
    const std::size_t end = std::min(statement.find_first_of(" \t"), statement.size());
    for (std::size_t first = 0; first < end;) {
      const std::size_t dot = std::min(statement.find('.', first), end);
      made.parts.push_back(statement.substr(first, dot - first));
      first = dot + 1;
    }
    if (made.parts.empty()) return fault("expected an instruction, found", made.text);
    for (const std::string& text : split_operands(std::string_view(statement).substr(end))) {
      Result<Operand> operand = symbols_.operand(text);
      if (!operand) return fault(operand.error().message.text(), made.text);
      made.operands.push_back(std::move(*operand));
    }
    entry_.code.push_back(std::move(made));
    return ok_status();
  }

  // What instructions do, and where they jump to.
  Status complete() {
    for (Instruction& each : entry_.code) {
      for (Operand& operand : each.operands) {
        if (operand.kind != Operand::Kind::kLabel) continue;
        const auto found = labels_.find(operand.name);
        if (found == labels_.end()) return wrong(entry_.name, each.line, "expected a label, found", operand.name);
        operand.index = found->second;
      }
      try {
        each.action = is_control(each) ? Action{} : action_of(each);
      } catch (const std::exception& fault) {
        return wrong(entry_.name, each.line, fault.what(), each.text);
      }
      each.is_together = each.has("sync");
    }
    return ok_status();
  }

  Entry& entry_;
  int line_, begin_ = 0;
  Symbols symbols_;
  std::map<std::string, std::uint32_t> labels_;
};

std::string without_comments(std::string_view text) {
  std::string left;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") i = std::min(text.find('\n', i), text.size() - 1);
    left += text[i];
  }
  return left;
}

// Each line of the text begins with one of these words, or is empty.
Status expect_lines_of(std::string_view text, std::initializer_list<std::string_view> words) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    const std::string first = line.substr(0, line.find_first_of(" \t"));
    if (std::ranges::find(words, first) == words.end())
      return Error{ErrorCode::kUnsupported,
                   Message::plain("PTX: expected a directive that is known outside of bodies, found: " + line)};
  }
  return ok_status();
}

Status expect_outside_of_entries(std::string_view text) {
  return expect_lines_of(text, {".version", ".target", ".address_size", ".visible", ".global"});
}

// Before the first entry: ".global .align 4 .b8 name[8] = {4, 4, 4, 4, 12, 4, 4, 4};" NVRTC writes down constants that
// no instruction reads, too.
Result<Constants> read_constants(std::string_view text) {
  Constants constants;
  for (std::size_t at = text.find(".global"); at != std::string_view::npos; at = text.find(".global", at + 1)) {
    const std::size_t end = text.find(';', at), open = text.find('{', at);
    if (open >= end) continue;  // a single number: it stands in instructions
    const std::string head = trimmed(text.substr(at, text.find('[', at) - at));
    const std::size_t name_at = head.find_last_of(" \t"), type_at = head.rfind('.', name_at);
    const auto n_bytes = static_cast<std::size_t>(std::atoi(head.c_str() + type_at + 2)) / 8;
    if (end == std::string_view::npos || n_bytes == 0)
      return Error{ErrorCode::kUnsupported, Message::plain("PTX: expected a constant, found: " + head)};
    std::vector<std::byte> bytes;
    for (const std::string& number : split_operands(text.substr(open + 1, text.find('}', open) - open - 1))) {
      const std::optional<std::uint64_t> value = parsed_number(number);
      if (!value)
        return Error{ErrorCode::kUnsupported, Message::plain("PTX: expected a number in a constant, found: " + number)};
      for (std::size_t i = 0; i < n_bytes; ++i) bytes.push_back(static_cast<std::byte>(*value >> (8 * i)));
    }
    constants.emplace(head.substr(name_at + 1), std::move(bytes));
  }
  return constants;
}

// ".entry name(.param .align 8 .b8 name_param_0[16]) .maxntid 256, 1, 1".
Result<Entry> read_head(std::string_view name, std::string_view params, std::string_view directives) {
  Entry entry;
  entry.name = trimmed(name);
  const std::string text(params);
  if (const std::size_t bracket = text.find('['); bracket != std::string::npos && text.find(',') == std::string::npos)
    entry.param_bytes = static_cast<std::uint64_t>(std::atoll(text.c_str() + bracket + 1));
  if (entry.param_bytes == 0)
    return Error{ErrorCode::kUnsupported,
                 Message::plain(fmt::format("PTX, {}: expected one struct as parameter", entry.name))};
  if (Status known = expect_lines_of(directives, {".maxntid", ".minnctapersm"}); !known) return known.error();
  const std::string all(directives);
  if (const std::size_t most = all.find(".maxntid"); most != std::string::npos)
    entry.most_threads = static_cast<std::uint32_t>(std::atoi(all.c_str() + most + 8));
  return entry;
}

}  // namespace

bool Instruction::has(std::string_view part) const { return std::ranges::find(parts, part) != parts.end(); }

std::string Instruction::form(std::size_t n_types) const {
  return fmt::format("{}", fmt::join(parts.begin(), parts.end() - static_cast<std::ptrdiff_t>(n_types), "."));
}

Result<std::map<std::string, Entry>> parse(std::string_view commented) {
  const std::string whole = without_comments(commented);
  const std::string_view text(whole);
  constexpr std::string_view kEntry = ".entry";
  Result<Constants> constants = read_constants(text.substr(0, text.find(kEntry)));
  if (!constants) return constants.error();
  const auto shared_constants = std::make_shared<const Constants>(std::move(*constants));
  std::map<std::string, Entry> entries;
  std::size_t done = 0;
  for (;;) {
    const std::size_t at = text.find(kEntry, done);
    if (Status known = expect_outside_of_entries(text.substr(done, std::min(at, text.size()) - done)); !known)
      return known.error();
    if (at == std::string_view::npos) return entries;
    const std::size_t open = text.find('(', at), close = text.find(')', at), begin = text.find('{', at);
    if (open == std::string_view::npos || close < open || begin == std::string_view::npos || begin < close)
      return Error{ErrorCode::kUnsupported, Message::plain("PTX: an entry has no parameters or no body")};
    const std::size_t after = at + kEntry.size();
    Result<Entry> entry = read_head(text.substr(after, open - after), text.substr(open, close - open),
                                    text.substr(close + 1, begin - close - 1));
    if (!entry) return entry.error();
    entry->constants = shared_constants;
    std::size_t end = begin + 1;
    for (int depth = 1; depth > 0 && end < text.size(); ++end)
      depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
    const int line =
        1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
    if (Status read = Body(*entry, line).read(text.substr(begin + 1, end - begin - 2)); !read) return read.error();
    done = end;
    const std::string name = entry->name;
    if (!entries.emplace(name, std::move(*entry)).second)
      return Error{ErrorCode::kUnsupported, Message::plain(fmt::format("PTX, {}: two entries have this name", name))};
  }
}

}  // namespace headroom::ptx
