#include "text/jinja/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/jinja/error.h"
#include "text/jinja/expressions.h"

namespace headroom::jinja {

namespace {

// Statements; their expressions are the base's.
class Parser : private ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

  Block parse_all() {
    Block block = parse_block({});
    if (current().kind != TokenKind::kEnd) fail_here("unexpected tag");
    return block;
  }

 private:
  // Statements up to a tag whose name is in `ends`, which is left to be read, or to the end of the template.
  Block parse_block(Names ends) {
    const Nesting nesting(*this);
    Block block;
    while (current().kind != TokenKind::kEnd) {
      if (current().kind == TokenKind::kData) {
        auto stmt = statement(StmtKind::kText);
        stmt->text = next().text;
        block.push_back(std::move(stmt));
      } else if (current().kind == TokenKind::kVariableBegin) {
        next();
        auto stmt = statement(StmtKind::kOutput);
        stmt->expr = parse_tuple();
        if (current().kind != TokenKind::kVariableEnd) fail_here("expected '}}', found");
        next();
        block.push_back(std::move(stmt));
      } else {
        next();  // {%
        if (current().kind == TokenKind::kName && std::find(ends.begin(), ends.end(), current().text) != ends.end())
          return block;
        block.push_back(parse_statement());
      }
    }
    if (ends.size() != 0) fail(fmt::format("'{{% {} %}}' is missing", *(ends.end() - 1)), current().line);
    return block;
  }

  // A block that ends with one tag only, which is read as well.
  Block parse_body(std::string_view end) {
    expect_block_end();
    Block body = parse_block({end});
    next();
    expect_block_end();
    return body;
  }

  StmtPtr statement(StmtKind kind) const {
    auto stmt = std::make_unique<Stmt>();
    stmt->kind = kind;
    stmt->line = current().line;
    return stmt;
  }

  StmtPtr parse_statement() {
    if (current().kind != TokenKind::kName) fail_here("expected the name of a tag, found");
    const std::string name = current().text;
    if (name == "if") return parse_if();
    if (name == "for") return parse_for();
    if (name == "set") return parse_set();
    if (name == "macro") return parse_macro();
    if (name == "call") return parse_call_block();
    if (name == "filter") return parse_filter_block();
    if (name == "with") return parse_with();
    if (name == "generation") {
      auto stmt = statement(StmtKind::kScope);
      next();
      stmt->body = parse_body("endgeneration");
      return stmt;
    }
    if (name == "break" || name == "continue") {
      if (n_loops_ == 0) fail_here("outside of a loop");
      auto stmt = statement(name == "break" ? StmtKind::kBreak : StmtKind::kContinue);
      next();
      expect_block_end();
      return stmt;
    }
    fail(fmt::format("unknown tag '{{% {} %}}'", name), current().line);
  }

  StmtPtr parse_if() {
    auto stmt = statement(StmtKind::kIf);
    next();
    ExprPtr condition = parse_tuple(false);
    while (true) {
      expect_block_end();
      Block body = parse_block({"elif", "else", "endif"});
      stmt->branches.push_back({std::move(condition), std::move(body)});
      if (skip_name("elif")) {
        condition = parse_tuple(false);
        continue;
      }
      if (skip_name("else")) {
        expect_block_end();
        stmt->branches.push_back({nullptr, parse_block({"endif"})});
      }
      next();  // endif
      expect_block_end();
      return stmt;
    }
  }

  StmtPtr parse_for() {
    auto stmt = statement(StmtKind::kFor);
    next();
    stmt->target = parse_target(false);
    expect_name("in");
    stmt->expr = parse_tuple(false);
    if (skip_name("if")) stmt->condition = parse_expression();
    stmt->is_recursive = skip_name("recursive");
    expect_block_end();
    ++n_loops_;
    stmt->body = parse_block({"else", "endfor"});
    --n_loops_;
    if (skip_name("else")) {
      expect_block_end();
      stmt->otherwise = parse_block({"endfor"});
    }
    next();
    expect_block_end();
    return stmt;
  }

  StmtPtr parse_set() {
    auto stmt = statement(StmtKind::kSet);
    next();
    stmt->target = parse_target(true);
    if (skip_operator("=")) {
      stmt->expr = parse_tuple();
      expect_block_end();
      return stmt;
    }
    stmt->kind = StmtKind::kSetBlock;
    if (is_operator("|")) stmt->expr = parse_filters(nullptr);
    stmt->body = parse_body("endset");
    return stmt;
  }

  void parse_parameters(Stmt& stmt) {
    expect_operator("(");
    while (!is_operator(")")) {
      if (!stmt.parameters.empty()) expect_operator(",");
      Stmt::Parameter parameter;
      parameter.name = expect_any_name();
      if (skip_operator("=")) {
        parameter.default_value = parse_expression();
      } else if (!stmt.parameters.empty() && stmt.parameters.back().default_value) {
        fail("a parameter without a default after one with", stmt.line);
      }
      stmt.parameters.push_back(std::move(parameter));
    }
    next();
  }

  StmtPtr parse_macro() {
    auto stmt = statement(StmtKind::kMacro);
    next();
    stmt->text = expect_any_name();
    parse_parameters(*stmt);
    const std::uint32_t n_loops = std::exchange(n_loops_, 0);
    stmt->body = parse_body("endmacro");
    n_loops_ = n_loops;
    return stmt;
  }

  StmtPtr parse_call_block() {
    auto stmt = statement(StmtKind::kCallBlock);
    next();
    if (is_operator("(")) parse_parameters(*stmt);
    stmt->expr = parse_expression();
    if (stmt->expr->kind != ExprKind::kCall) fail("expected a call after 'call'", stmt->line);
    const std::uint32_t n_loops = std::exchange(n_loops_, 0);
    stmt->body = parse_body("endcall");
    n_loops_ = n_loops;
    return stmt;
  }

  StmtPtr parse_filter_block() {
    auto stmt = statement(StmtKind::kFilterBlock);
    next();
    stmt->expr = parse_one_filter(nullptr);
    stmt->expr = parse_filters(std::move(stmt->expr));
    stmt->body = parse_body("endfilter");
    return stmt;
  }

  StmtPtr parse_with() {
    auto stmt = statement(StmtKind::kWith);
    next();
    while (current().kind != TokenKind::kBlockEnd) {
      if (!stmt->assignments.empty()) expect_operator(",");
      ExprPtr target = parse_target(false);
      expect_operator("=");
      stmt->assignments.emplace_back(std::move(target), parse_expression());
    }
    stmt->body = parse_body("endwith");
    return stmt;
  }

  // A name, several names with commas, or (with_namespace) name.attribute.
  ExprPtr parse_target(bool with_namespace) {
    const std::uint32_t line = current().line;
    std::vector<ExprPtr> targets;
    bool is_tuple = false;
    while (true) {
      if (skip_operator("(")) {
        const Nesting nesting(*this);
        targets.push_back(parse_target(with_namespace));
        expect_operator(")");
      } else {
        targets.push_back(parse_one_target(with_namespace));
      }
      if (!skip_operator(",")) break;
      is_tuple = true;
      if (is_name("in") || is_operator("=") || is_operator(")")) break;
    }
    if (!is_tuple) return std::move(targets.front());
    return make(ExprKind::kTuple, line, std::move(targets));
  }

  ExprPtr parse_one_target(bool with_namespace) {
    static constexpr std::array<std::string_view, 6> kReserved = {"true", "false", "none", "True", "False", "None"};
    const std::uint32_t line = current().line;
    auto target = make(ExprKind::kName, line);
    target->name = expect_any_name();
    if (std::find(kReserved.begin(), kReserved.end(), target->name) != kReserved.end())
      fail(fmt::format("can't assign to '{}'", target->name), line);
    if (with_namespace && skip_operator(".")) {
      target->kind = ExprKind::kNamespaceName;
      target->attribute = expect_any_name();
    }
    return target;
  }

  std::uint32_t n_loops_ = 0;
};

}  // namespace

Block parse(std::string_view source) { return Parser(tokenize(source)).parse_all(); }

}  // namespace headroom::jinja
