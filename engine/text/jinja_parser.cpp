#include "text/jinja_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>

#include "text/jinja_error.h"
#include "text/jinja_lexer.h"

namespace headroom::jinja {

namespace {

using Names = std::initializer_list<std::string_view>;

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::kEnd: return "the end of the template";
    case TokenKind::kData: return "text";
    case TokenKind::kString: return "a string";
    default: return fmt::format("'{}'", token.text);
  }
}

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Block parse_all() {
    Block block = parse_block({});
    if (current().kind != TokenKind::kEnd) fail_here("unexpected tag");
    return block;
  }

 private:
  // Counts how deep the parser is in its own calls.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (++parser_.nesting_ > kMaxNesting) fail(fmt::format("more than {} levels of nesting", kMaxNesting), parser_.current().line);
    }
    ~Nesting() { --parser_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
  };

  const Token& current() const { return tokens_[pos_]; }
  const Token& look_ahead() const { return tokens_[std::min(pos_ + 1, tokens_.size() - 1)]; }
  Token next() {
    Token token = current();
    if (pos_ + 1 < tokens_.size()) ++pos_;
    return token;
  }
  bool is_name(std::string_view name) const { return current().is(TokenKind::kName, name); }
  bool is_operator(std::string_view text) const { return current().is(TokenKind::kOperator, text); }
  bool skip_name(std::string_view name) {
    if (!is_name(name)) return false;
    next();
    return true;
  }
  bool skip_operator(std::string_view text) {
    if (!is_operator(text)) return false;
    next();
    return true;
  }
  [[noreturn]] void fail_here(std::string_view what) const { fail(fmt::format("{}: {}", what, describe(current())), current().line); }
  void expect_operator(std::string_view text) {
    if (!skip_operator(text)) fail_here(fmt::format("expected '{}', found", text));
  }
  void expect_name(std::string_view name) {
    if (!skip_name(name)) fail_here(fmt::format("expected '{}', found", name));
  }
  std::string expect_any_name() {
    if (current().kind != TokenKind::kName) fail_here("expected a name, found");
    return next().text;
  }
  void expect_block_end() {
    if (current().kind != TokenKind::kBlockEnd) fail_here("expected the end of the tag, found");
    next();
  }

  ExprPtr make(ExprKind kind, std::uint32_t line, std::vector<ExprPtr> items = {}) {
    auto expr = std::make_unique<Expr>();
    expr->kind = kind;
    expr->line = line;
    for (const ExprPtr& item : items)
      if (item) expr->depth = std::max(expr->depth, item->depth + 1);
    if (expr->depth > kMaxNesting) fail(fmt::format("an expression of more than {} levels", kMaxNesting), line);
    expr->items = std::move(items);
    return expr;
  }
  template <class... Items>
  ExprPtr make_of(ExprKind kind, std::uint32_t line, Items... items) {
    std::vector<ExprPtr> list;
    (list.push_back(std::move(items)), ...);
    return make(kind, line, std::move(list));
  }

  // ---- statements ----

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
        if (current().kind == TokenKind::kName && std::find(ends.begin(), ends.end(), current().text) != ends.end()) return block;
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
    if (is_name("recursive")) fail_here("not supported in a for loop");
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
    if (std::find(kReserved.begin(), kReserved.end(), target->name) != kReserved.end()) fail(fmt::format("can't assign to '{}'", target->name), line);
    if (with_namespace && skip_operator(".")) {
      target->kind = ExprKind::kNamespaceName;
      target->attribute = expect_any_name();
    }
    return target;
  }

  // ---- expressions, loosest first ----

  // One expression, or several with commas between them: a tuple.
  ExprPtr parse_tuple(bool with_condition = true) {
    const std::uint32_t line = current().line;
    std::vector<ExprPtr> items;
    items.push_back(with_condition ? parse_expression() : parse_or());
    if (!is_operator(",")) return std::move(items.front());
    while (skip_operator(",")) {
      const TokenKind kind = current().kind;
      if (kind == TokenKind::kVariableEnd || kind == TokenKind::kBlockEnd || is_operator(")") || is_name("in")) break;
      items.push_back(with_condition ? parse_expression() : parse_or());
    }
    return make(ExprKind::kTuple, line, std::move(items));
  }

  ExprPtr parse_expression() {
    const Nesting nesting(*this);
    ExprPtr expr = parse_or();
    while (is_name("if")) {
      const std::uint32_t line = next().line;
      ExprPtr condition = parse_or();
      ExprPtr otherwise = skip_name("else") ? parse_expression() : nullptr;
      expr = make_of(ExprKind::kCondition, line, std::move(expr), std::move(condition), std::move(otherwise));
    }
    return expr;
  }

  ExprPtr parse_or() {
    ExprPtr left = parse_and();
    while (is_name("or")) {
      const std::uint32_t line = next().line;
      ExprPtr right = parse_and();
      left = make_of(ExprKind::kOr, line, std::move(left), std::move(right));
    }
    return left;
  }

  ExprPtr parse_and() {
    ExprPtr left = parse_not();
    while (is_name("and")) {
      const std::uint32_t line = next().line;
      ExprPtr right = parse_not();
      left = make_of(ExprKind::kAnd, line, std::move(left), std::move(right));
    }
    return left;
  }

  ExprPtr parse_not() {
    if (!is_name("not")) return parse_compare();
    const Nesting nesting(*this);
    const std::uint32_t line = next().line;
    return make_of(ExprKind::kNot, line, parse_not());
  }

  // "==", "in", "not in" and so on; empty when no comparison follows.
  std::string read_comparison() {
    for (const std::string_view op : {"==", "!=", "<", "<=", ">", ">="})
      if (skip_operator(op)) return std::string(op);
    if (skip_name("in")) return "in";
    if (is_name("not") && look_ahead().is(TokenKind::kName, "in")) {
      next();
      next();
      return "not in";
    }
    return {};
  }

  ExprPtr parse_compare() {
    const std::uint32_t line = current().line;
    std::vector<ExprPtr> items;
    std::vector<std::string> operators;
    items.push_back(parse_sum());
    for (std::string op = read_comparison(); !op.empty(); op = read_comparison()) {
      operators.push_back(std::move(op));
      items.push_back(parse_sum());
    }
    if (operators.empty()) return std::move(items.front());
    ExprPtr compare = make(ExprKind::kCompare, line, std::move(items));
    compare->operators = std::move(operators);
    return compare;
  }

  // A row of left-associative operators of one rank.
  template <class Next>
  ExprPtr parse_binary(Names operators, Next parse_next) {
    ExprPtr left = parse_next();
    while (current().kind == TokenKind::kOperator && std::find(operators.begin(), operators.end(), current().text) != operators.end()) {
      const Token op = next();
      ExprPtr right = parse_next();
      left = make_of(ExprKind::kBinary, op.line, std::move(left), std::move(right));
      left->name = op.text;
    }
    return left;
  }

  ExprPtr parse_sum() {
    return parse_binary({"+", "-"}, [this] { return parse_concat(); });
  }

  ExprPtr parse_concat() {
    const std::uint32_t line = current().line;
    std::vector<ExprPtr> items;
    items.push_back(parse_product());
    while (skip_operator("~")) items.push_back(parse_product());
    if (items.size() == 1) return std::move(items.front());
    return make(ExprKind::kConcat, line, std::move(items));
  }

  ExprPtr parse_product() {
    return parse_binary({"*", "/", "//", "%"}, [this] { return parse_binary({"**"}, [this] { return parse_unary(true); }); });
  }

  ExprPtr parse_unary(bool with_filter) {
    const Nesting nesting(*this);
    const std::uint32_t line = current().line;
    ExprPtr expr;
    if (skip_operator("-")) {
      expr = make_of(ExprKind::kNegative, line, parse_unary(false));
    } else if (skip_operator("+")) {
      expr = make_of(ExprKind::kPositive, line, parse_unary(false));
    } else {
      expr = parse_primary();
    }
    expr = parse_postfix(std::move(expr));
    return with_filter ? parse_filters(std::move(expr)) : std::move(expr);
  }

  ExprPtr constant(Value value, std::uint32_t line) {
    ExprPtr expr = make(ExprKind::kConstant, line);
    expr->value = std::move(value);
    return expr;
  }

  ExprPtr parse_primary() {
    const Token token = current();
    switch (token.kind) {
      case TokenKind::kName: return parse_name();
      case TokenKind::kString: {
        std::string text;
        while (current().kind == TokenKind::kString) text += next().text;
        return constant(Value(std::move(text)), token.line);
      }
      case TokenKind::kInteger: return parse_integer();
      case TokenKind::kFloat: {
        double number = 0;
        std::from_chars(token.text.data(), token.text.data() + token.text.size(), number);
        next();
        return constant(Value(number), token.line);
      }
      default: break;
    }
    if (skip_operator("(")) {
      if (skip_operator(")")) return make(ExprKind::kTuple, token.line);
      ExprPtr inner = parse_tuple();
      expect_operator(")");
      return inner;
    }
    if (skip_operator("[")) return parse_list(token.line);
    if (skip_operator("{")) return parse_dict(token.line);
    fail_here("unexpected");
  }

  ExprPtr parse_name() {
    const Token token = next();
    if (token.text == "true" || token.text == "True") return constant(Value(true), token.line);
    if (token.text == "false" || token.text == "False") return constant(Value(false), token.line);
    if (token.text == "none" || token.text == "None") return constant(Value(None{}), token.line);
    ExprPtr name = make(ExprKind::kName, token.line);
    name->name = token.text;
    return name;
  }

  ExprPtr parse_integer() {
    const Token token = next();
    std::int64_t number = 0;
    const auto read = std::from_chars(token.text.data(), token.text.data() + token.text.size(), number);
    if (read.ec != std::errc()) fail(fmt::format("the integer {} is larger than 64 bits", token.text), token.line);
    return constant(Value(number), token.line);
  }

  ExprPtr parse_list(std::uint32_t line) {
    std::vector<ExprPtr> items;
    while (!is_operator("]")) {
      if (!items.empty()) {
        expect_operator(",");
        if (is_operator("]")) break;
      }
      items.push_back(parse_expression());
    }
    next();
    return make(ExprKind::kList, line, std::move(items));
  }

  ExprPtr parse_dict(std::uint32_t line) {
    std::vector<ExprPtr> items;
    while (!is_operator("}")) {
      if (!items.empty()) {
        expect_operator(",");
        if (is_operator("}")) break;
      }
      items.push_back(parse_expression());
      expect_operator(":");
      items.push_back(parse_expression());
    }
    next();
    return make(ExprKind::kDict, line, std::move(items));
  }

  ExprPtr parse_postfix(ExprPtr expr) {
    while (true) {
      const std::uint32_t line = current().line;
      if (skip_operator(".")) {
        expr = parse_attribute(std::move(expr), line);
      } else if (skip_operator("[")) {
        ExprPtr item = parse_subscript();
        expect_operator("]");
        expr = make_of(ExprKind::kItem, line, std::move(expr), std::move(item));
      } else if (is_operator("(")) {
        expr = parse_call(std::move(expr));
      } else {
        return expr;
      }
    }
  }

  ExprPtr parse_attribute(ExprPtr expr, std::uint32_t line) {
    if (current().kind == TokenKind::kInteger) {
      ExprPtr index = parse_integer();
      return make_of(ExprKind::kItem, line, std::move(expr), std::move(index));
    }
    ExprPtr attribute = make_of(ExprKind::kAttribute, line, std::move(expr));
    attribute->name = expect_any_name();
    return attribute;
  }

  ExprPtr parse_subscript() {
    const std::uint32_t line = current().line;
    const auto ends = [this] { return is_operator(":") || is_operator("]"); };
    ExprPtr start = ends() ? nullptr : parse_tuple();
    if (!skip_operator(":")) {
      if (!start) fail_here("expected a subscript, found");
      return start;
    }
    ExprPtr stop = ends() ? nullptr : parse_expression();
    ExprPtr step;
    if (skip_operator(":") && !ends()) step = parse_expression();
    return make_of(ExprKind::kSlice, line, std::move(start), std::move(stop), std::move(step));
  }

  ExprPtr parse_call(ExprPtr callee) {
    ExprPtr call = make_of(ExprKind::kCall, current().line, std::move(callee));
    parse_arguments(*call);
    return call;
  }

  // The deepest argument counts into the depth of the expression, like any item.
  void take(Expr& expr, ExprPtr& slot, ExprPtr argument) {
    expr.depth = std::max(expr.depth, argument->depth + 1);
    if (expr.depth > kMaxNesting) fail(fmt::format("an expression of more than {} levels", kMaxNesting), expr.line);
    slot = std::move(argument);
  }

  void parse_arguments(Expr& expr) {
    Arguments& arguments = expr.arguments;
    expect_operator("(");
    bool is_first = true;
    while (!is_operator(")")) {
      if (!is_first) {
        expect_operator(",");
        if (is_operator(")")) break;
      }
      is_first = false;
      if (skip_operator("*")) {
        take(expr, arguments.more_positional, parse_expression());
      } else if (skip_operator("**")) {
        take(expr, arguments.more_named, parse_expression());
      } else if (current().kind == TokenKind::kName && look_ahead().is(TokenKind::kOperator, "=")) {
        std::string name = next().text;
        next();
        take(expr, arguments.named.emplace_back(std::move(name), nullptr).second, parse_expression());
      } else {
        if (!arguments.named.empty() || arguments.more_named) fail_here("a positional argument after a named one");
        take(expr, arguments.positional.emplace_back(), parse_expression());
      }
    }
    next();
  }

  ExprPtr parse_one_filter(ExprPtr input) {
    const std::uint32_t line = current().line;
    ExprPtr filter = make_of(ExprKind::kFilter, line, std::move(input));
    filter->name = expect_any_name();
    if (is_operator("(")) parse_arguments(*filter);
    return filter;
  }

  // What may follow an expression: filters, tests, calls.
  ExprPtr parse_filters(ExprPtr expr) {
    while (true) {
      if (skip_operator("|")) {
        expr = parse_one_filter(std::move(expr));
      } else if (expr && is_name("is")) {
        expr = parse_test(std::move(expr));
      } else if (expr && is_operator("(")) {
        expr = parse_call(std::move(expr));
      } else {
        return expr;
      }
    }
  }

  bool starts_test_argument() const {
    switch (current().kind) {
      case TokenKind::kString:
      case TokenKind::kInteger:
      case TokenKind::kFloat: return true;
      case TokenKind::kName: return !is_name("else") && !is_name("or") && !is_name("and");
      default: return is_operator("[") || is_operator("{");
    }
  }

  ExprPtr parse_test(ExprPtr expr) {
    const std::uint32_t line = next().line;
    const bool negated = skip_name("not");
    ExprPtr test = make_of(ExprKind::kTest, line, std::move(expr));
    test->name = expect_any_name();
    if (is_operator("(")) {
      parse_arguments(*test);
    } else if (starts_test_argument()) {
      if (is_name("is")) fail_here("tests cannot be chained");
      take(*test, test->arguments.positional.emplace_back(), parse_postfix(parse_primary()));
    }
    return negated ? make_of(ExprKind::kNot, line, std::move(test)) : std::move(test);
  }

  std::vector<Token> tokens_;
  std::size_t pos_ = 0;
  std::uint32_t nesting_ = 0;
  std::uint32_t n_loops_ = 0;
};

}  // namespace

Block parse(std::string_view source) { return Parser(tokenize(source)).parse_all(); }

}  // namespace headroom::jinja
