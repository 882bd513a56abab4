#include "support/sass/listing.h"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>

namespace headroom::test {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// `//## File "/a/b.cu", line 12 inlined at ...`: b.cu, 12.
SassLine source_line(std::string_view text) {
  const std::size_t open = text.find('"'), close = text.find('"', open + 1);
  const std::string_view path = text.substr(open + 1, close - open - 1);
  const std::size_t number = text.find("line ", close);
  return {std::string(path.substr(path.rfind('/') + 1)), std::atoi(std::string(text.substr(number + 5, 9)).c_str())};
}

class Reader {
 public:
  Status add(std::string_view line) {
    const std::string_view text = trimmed(line);
    if (text.starts_with(".section\t")) {
      const std::size_t name = text.find(".text.");
      if (Status ended = end(); !ended) return ended;
      if (name != std::string_view::npos) {
        function_.name = text.substr(name + 6, text.find(',') - name - 6);
        function_.origins.emplace_back();
      }
    }
    if (function_.name.empty()) return ok_status();
    if (text.starts_with("//## File")) {
      if (!is_origin_open_) function_.origins.emplace_back();
      is_origin_open_ = true;
      function_.origins.back().push_back(source_line(text));
    } else if (text.starts_with('.') && text.ends_with(':')) {
      labels_[std::string(text.substr(0, text.size() - 1))] = function_.code.size();
    } else if (text.starts_with("/*") && text.find("*/") != std::string_view::npos) {
      is_origin_open_ = false;
      return add_instruction(trimmed(text.substr(text.find("*/") + 2)));
    }
    return ok_status();
  }

  // Of a function: jumps become places.
  Status end() {
    for (const auto& [from, label] : jumps_) {
      const auto found = labels_.find(label);
      if (found == labels_.end())
        return Error{ErrorCode::kBadFile,
                     Message::plain(fmt::format("{}: expected a label {}, found none", function_.name, label))};
      if (found->second < function_.code.size()) function_.code[from].targets.push_back(found->second);
    }
    if (!function_.code.empty()) functions.push_back(std::move(function_));
    function_ = {};
    labels_.clear();
    jumps_.clear();
    is_origin_open_ = false;
    return ok_status();
  }

  std::vector<SassFunction> functions;

 private:
  Status add_instruction(std::string_view text) {
    SassInstruction instruction;
    instruction.origin = function_.origins.size() - 1;
    if (text.starts_with('@')) {
      const std::size_t end = std::min(text.find(' '), text.size());
      instruction.guard = text.substr(1, end - 1);
      text = trimmed(text.substr(end));
    }
    const std::size_t op_end = std::min(text.find_first_of(" ;"), text.size());
    instruction.op = text.substr(0, op_end);
    const std::string_view rest = text.substr(op_end);
    instruction.operands = trimmed(rest.substr(0, rest.find(';')));
    const std::string_view op = instruction.op;
    if (op.starts_with("BRX") || op.starts_with("JMX")) {
      // Where it may go stands behind it: (*"BRANCH_TARGETS .L_x_1,.L_x_2"*)
      constexpr std::string_view kTargets = "BRANCH_TARGETS ";
      std::size_t at = text.find(kTargets);
      if (at == std::string_view::npos)
        return Error{ErrorCode::kBadFile,
                     Message::plain(fmt::format("{}: expected where {} goes, found none", function_.name, text))};
      for (at += kTargets.size(); at < text.size() && text[at] == '.';) {
        const std::size_t stop = std::min(text.find_first_of(",\" ", at), text.size());
        jumps_.emplace_back(function_.code.size(), text.substr(at, stop - at));
        at = stop + 1;
      }
    } else if (op == "BRA" || op.starts_with("BRA.") || op == "JMP" ||
               (op.starts_with("CALL") && text.find("`(.L") != std::string_view::npos)) {  // a jump far away
      const std::size_t open = text.find("`("), close = text.find(')', open);
      if (open == std::string_view::npos)
        return Error{ErrorCode::kBadFile,
                     Message::plain(fmt::format("{}: expected where {} goes, found none", function_.name, text))};
      jumps_.emplace_back(function_.code.size(), text.substr(open + 2, close - open - 2));
    }
    function_.code.push_back(std::move(instruction));
    return ok_status();
  }

  SassFunction function_;
  std::map<std::string, std::size_t> labels_;
  std::vector<std::pair<std::size_t, std::string>> jumps_;
  bool is_origin_open_ = false;
};

}  // namespace

Result<std::vector<SassFunction>> read_sass(std::istream& text) {
  Reader reader;
  for (std::string line; std::getline(text, line);) {
    if (Status added = reader.add(line); !added) return added.error();
  }
  if (Status ended = reader.end(); !ended) return ended.error();
  if (reader.functions.empty())
    return Error{ErrorCode::kBadFile,
                 Message::plain("machine code: expected functions as nvdisasm writes them, found none")};
  return std::move(reader.functions);
}

}  // namespace headroom::test
