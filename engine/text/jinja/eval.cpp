#include "text/jinja/eval.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/jinja/error.h"
#include "text/jinja/operators.h"

namespace headroom::jinja {

Value* Frame::find_own(std::string_view name) {
  const auto found =
      std::find_if(variables.begin(), variables.end(), [&](const auto& variable) { return variable.first == name; });
  return found == variables.end() ? nullptr : &found->second;
}

void Frame::set(std::string_view name, Value value) {
  if (Value* variable = find_own(name)) {
    *variable = std::move(value);
  } else {
    variables.emplace_back(std::string(name), std::move(value));
  }
}

namespace {

enum class Flow : std::uint8_t { kNext, kBreak, kContinue };

class Evaluator {
 public:
  Evaluator(Runtime& runtime, std::shared_ptr<Frame> root) : runtime_(runtime), root_(root), frame_(std::move(root)) {}

  Flow run(const Block& block, TracedText& out) {
    for (const StmtPtr& stmt : block) {
      const Flow flow = run(*stmt, out);
      if (flow != Flow::kNext) return flow;
    }
    return Flow::kNext;
  }

 private:
  // One level of evaluation inside another.
  class Depth {
   public:
    explicit Depth(Evaluator& evaluator) : evaluator_(evaluator) {
      evaluator_.runtime_.step();
      if (evaluator_.depth_ >= evaluator_.runtime_.limits().max_depth)
        fail(fmt::format("more than {} levels of evaluation", evaluator_.depth_));
      ++evaluator_.depth_;
    }
    ~Depth() { --evaluator_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    Evaluator& evaluator_;
  };

  // A scope of its own, until the end of the C++ block.
  class Scope {
   public:
    Scope(Evaluator& evaluator, std::shared_ptr<Frame> parent) : evaluator_(evaluator), saved_(evaluator.frame_) {
      evaluator.frame_ = std::make_shared<Frame>();
      evaluator.frame_->parent = std::move(parent);
    }
    explicit Scope(Evaluator& evaluator) : Scope(evaluator, evaluator.frame_) {}
    ~Scope() { evaluator_.frame_ = std::move(saved_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Evaluator& evaluator_;
    std::shared_ptr<Frame> saved_;
  };

  // ---- statements ----

  void write(TracedText& out, std::string_view text) {
    runtime_.charge(text.size());
    out.append(text, TextOrigin::kTemplate);
  }
  void write(TracedText& out, const Value& value) { out.append(runtime_.to_text(value)); }

  Flow run(const Stmt& stmt, TracedText& out) {
    const Depth depth(*this);
    try {
      return run_kind(stmt, out);
    } catch (Failure& failure) {
      if (failure.line == 0) failure.line = stmt.line;
      throw;
    }
  }

  Flow run_kind(const Stmt& stmt, TracedText& out) {
    switch (stmt.kind) {
      case StmtKind::kText: write(out, stmt.text); break;
      case StmtKind::kOutput: write(out, eval(*stmt.expr)); break;
      case StmtKind::kIf: return run_if(stmt, out);
      case StmtKind::kFor: return run_for(stmt, out);
      case StmtKind::kSet: assign(*stmt.target, eval(*stmt.expr)); break;
      case StmtKind::kSetBlock: assign(*stmt.target, filtered(stmt.expr.get(), body_text(stmt.body))); break;
      case StmtKind::kMacro: frame_->set(stmt.text, Value(Macro{&stmt, frame_})); break;
      case StmtKind::kCallBlock: {
        const Value caller(Macro{&stmt, frame_});
        write(out, eval_call(*stmt.expr, &caller));
        break;
      }
      case StmtKind::kFilterBlock: write(out, filtered(stmt.expr.get(), body_text(stmt.body))); break;
      case StmtKind::kWith: return run_with(stmt, out);
      case StmtKind::kScope: {
        const Scope scope(*this);
        return run(stmt.body, out);
      }
      case StmtKind::kBreak: return Flow::kBreak;
      case StmtKind::kContinue: return Flow::kContinue;
    }
    return Flow::kNext;
  }

  Flow run_if(const Stmt& stmt, TracedText& out) {
    for (const Stmt::Branch& branch : stmt.branches)
      if (!branch.condition || is_true(eval(*branch.condition))) return run(branch.body, out);
    return Flow::kNext;
  }

  Flow run_with(const Stmt& stmt, TracedText& out) {
    std::vector<Value> values;
    for (const auto& assignment : stmt.assignments) values.push_back(eval(*assignment.second));
    const Scope scope(*this);
    for (std::size_t i = 0; i < values.size(); ++i) assign(*stmt.assignments[i].first, values[i]);
    return run(stmt.body, out);
  }

  Flow run_for(const Stmt& stmt, TracedText& out) { return loop_over(stmt, eval(*stmt.expr), 1, out); }

  // `depth`: counts the calls of a recursive loop inside each other.
  Flow loop_over(const Stmt& stmt, const Value& iterable, std::uint32_t depth, TracedText& out) {
    auto items = std::make_shared<std::vector<Value>>(runtime_.iterate(iterable));
    if (stmt.condition) {
      std::vector<Value> kept;
      for (Value& item : *items) {
        const Scope scope(*this);
        assign(*stmt.target, item);
        if (is_true(eval(*stmt.condition))) kept.push_back(std::move(item));
      }
      *items = std::move(kept);
    }
    if (items->empty()) return run(stmt.otherwise, out);
    runtime_.charge(sizeof(Loop));
    runtime_.loops.emplace_back();
    Loop loop{items, 0, depth, stmt.is_recursive ? &stmt : nullptr, &runtime_.loops.back(), frame_};
    for (std::size_t i = 0; i < items->size(); ++i) {
      runtime_.step();
      const Scope scope(*this);
      loop.index0 = i;
      frame_->set("loop", Value(loop));
      assign(*stmt.target, (*items)[i]);
      if (run(stmt.body, out) == Flow::kBreak) break;
    }
    return Flow::kNext;
  }

  TracedText body_text(const Block& body) {
    const Scope scope(*this);
    TracedText text;
    run(body, text);
    return text;
  }

  // A body's text through the filters of its tag, if there are any.
  Value filtered(const Expr* filters, TracedText text) {
    Value value = runtime_.text(std::move(text));
    return filters ? eval_filter(*filters, &value) : value;
  }

  void assign(const Expr& target, const Value& value) {
    if (target.kind == ExprKind::kName) {
      frame_->set(target.name, value);
    } else if (target.kind == ExprKind::kNamespaceName) {
      const Value holder = look_up(target.name);
      Namespace* names = holder.names();
      if (!names) fail("cannot assign attribute on non-namespace object", target.line);
      runtime_.charge(target.attribute.size());
      if (Value* member = names->find(target.attribute)) {
        *member = value;
      } else {
        names->members.emplace_back(TracedText::of_template(target.attribute), value);
      }
    } else {
      const std::vector<Value> parts = runtime_.iterate(value);
      if (parts.size() > target.items.size())
        fail(fmt::format("too many values to unpack (expected {})", target.items.size()), target.line);
      if (parts.size() < target.items.size())
        fail(fmt::format("not enough values to unpack (expected {}, got {})", target.items.size(), parts.size()),
             target.line);
      for (std::size_t i = 0; i < parts.size(); ++i) assign(*target.items[i], parts[i]);
    }
  }

  // ---- expressions ----

  Value look_up(const std::string& name) {
    for (Frame* frame = frame_.get(); frame; frame = frame->parent.get())
      if (const Value* value = frame->find_own(name)) return *value;
    if (is_function(name)) return Value(Builtin{name});
    return Value(Undefined{fmt::format("'{}' is undefined", name)});
  }

  Value eval(const Expr& expr) {
    const Depth depth(*this);
    try {
      return eval_kind(expr);
    } catch (Failure& failure) {
      if (failure.line == 0) failure.line = expr.line;
      throw;
    }
  }

  Value eval_kind(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kConstant: return expr.value;
      case ExprKind::kName: return look_up(expr.name);
      case ExprKind::kList: return runtime_.list(eval_all(expr.items));
      case ExprKind::kTuple: return runtime_.list(eval_all(expr.items), ListKind::kTuple);
      case ExprKind::kDict: return eval_dict(expr);
      case ExprKind::kNot: return Value(!is_true(eval(*expr.items[0])));
      case ExprKind::kNegative: return negative(eval(*expr.items[0]));
      case ExprKind::kPositive: return positive(eval(*expr.items[0]));
      case ExprKind::kBinary: {
        const Value left = eval(*expr.items[0]);
        return binary(runtime_, expr.name, left, eval(*expr.items[1]));
      }
      case ExprKind::kAnd:
      case ExprKind::kOr: {
        Value left = eval(*expr.items[0]);
        return is_true(left) == (expr.kind == ExprKind::kOr) ? left : eval(*expr.items[1]);
      }
      case ExprKind::kConcat: return eval_concat(expr);
      case ExprKind::kCompare: return eval_compare(expr);
      case ExprKind::kCondition: return eval_condition(expr);
      case ExprKind::kAttribute: return get_attribute(runtime_, eval(*expr.items[0]), expr.name);
      case ExprKind::kItem: return eval_item(expr);
      case ExprKind::kCall: return eval_call(expr, nullptr);
      case ExprKind::kFilter: return eval_filter(expr, nullptr);
      case ExprKind::kTest: return eval_test(expr);
      case ExprKind::kSlice:
      case ExprKind::kNamespaceName: break;
    }
    fail("unexpected expression");
  }

  std::vector<Value> eval_all(const std::vector<ExprPtr>& exprs) {
    std::vector<Value> values;
    values.reserve(exprs.size());
    for (const ExprPtr& expr : exprs) values.push_back(eval(*expr));
    return values;
  }

  Value eval_dict(const Expr& expr) {
    std::vector<std::pair<Value, Value>> items;
    for (std::size_t i = 0; i + 1 < expr.items.size(); i += 2) {
      Value key = eval(*expr.items[i]);
      const bool is_tuple = key.list() && key.list()->kind == ListKind::kTuple;
      if ((key.list() && !is_tuple) || key.dict()) fail(fmt::format("unhashable type: '{}'", type_name(key)));
      items.emplace_back(std::move(key), eval(*expr.items[i + 1]));
    }
    runtime_.charge(items.size() * 2 * sizeof(Value));
    return Value::dict(std::move(items));
  }

  Value eval_concat(const Expr& expr) {
    TracedText text;
    for (const ExprPtr& item : expr.items) text.append(runtime_.to_text(eval(*item)));
    return runtime_.text(std::move(text));
  }

  Value eval_compare(const Expr& expr) {
    Value left = eval(*expr.items[0]);
    for (std::size_t i = 0; i < expr.operators.size(); ++i) {
      Value right = eval(*expr.items[i + 1]);
      if (!compare_by(runtime_, expr.operators[i], left, right)) return Value(false);
      left = std::move(right);
    }
    return Value(true);
  }

  Value eval_condition(const Expr& expr) {
    if (is_true(eval(*expr.items[1]))) return eval(*expr.items[0]);
    if (expr.items[2]) return eval(*expr.items[2]);
    return Value(Undefined{fmt::format(
        "the inline if-expression on line {} evaluated to false and no else section was defined.", expr.line)});
  }

  Value eval_item(const Expr& expr) {
    const Value value = eval(*expr.items[0]);
    const Expr& key = *expr.items[1];
    if (key.kind != ExprKind::kSlice) return get_item(runtime_, value, eval(key));
    Value bounds[3];
    const Value* given[3] = {};
    for (std::size_t i = 0; i < 3; ++i) {
      if (!key.items[i]) continue;
      bounds[i] = eval(*key.items[i]);
      given[i] = &bounds[i];
    }
    return get_slice(runtime_, value, given[0], given[1], given[2]);
  }

  CallValues eval_arguments(const Arguments& arguments) {
    CallValues values;
    values.positional = eval_all(arguments.positional);
    for (const auto& [name, expr] : arguments.named)
      values.named.emplace_back(TracedText::of_template(name), eval(*expr));
    if (arguments.more_positional) {
      for (Value& value : runtime_.iterate(eval(*arguments.more_positional)))
        values.positional.push_back(std::move(value));
    }
    if (arguments.more_named) {
      const Value more = eval(*arguments.more_named);
      if (!more.dict()) fail("argument after ** must be a mapping");
      for (const auto& [key, value] : more.dict()->items) {
        if (!key.text()) fail("keywords must be strings");
        values.named.emplace_back(*key.text(), value);
      }
    }
    return values;
  }

  // `input`: what goes in at the head of a chain that has no expression of its own (filter blocks).
  Value eval_filter(const Expr& expr, const Value* input) {
    const Depth depth(*this);
    const Expr* inner = expr.items.empty() ? nullptr : expr.items[0].get();
    const Value value = !inner                                      ? *input
                        : input && inner->kind == ExprKind::kFilter ? eval_filter(*inner, input)
                                                                    : eval(*inner);
    return apply_filter(runtime_, expr.name, value, eval_arguments(expr.arguments));
  }

  Value eval_test(const Expr& expr) {
    if (expr.name == "filter" || expr.name == "test") fail(fmt::format("the test '{}' is not supported", expr.name));
    const Value value = eval(*expr.items[0]);
    return Value(apply_test(runtime_, expr.name, value, eval_arguments(expr.arguments)));
  }

  // `caller`: the macro that a call block hands over.
  Value eval_call(const Expr& expr, const Value* caller) {
    const Expr& callee = *expr.items[0];
    if (callee.kind == ExprKind::kAttribute) {
      const Value self = eval(*callee.items[0]);
      if (has_method(self, callee.name))
        return call_method(runtime_, self, callee.name, eval_arguments(expr.arguments));
      return call(get_attribute(runtime_, self, callee.name), eval_arguments(expr.arguments), caller);
    }
    const Value function = eval(callee);
    return call(function, eval_arguments(expr.arguments), caller);
  }

  Value call(const Value& function, const CallValues& arguments, const Value* caller) {
    const Depth depth(*this);
    if (const Macro* macro = function.macro()) return call_macro(*macro, arguments, caller);
    if (const Builtin* builtin = function.builtin()) return call_function(runtime_, builtin->name, arguments);
    if (const Method* method = function.method()) return call_method(runtime_, *method->self, method->name, arguments);
    if (Joiner* joiner = function.joiner())
      return std::exchange(joiner->used, true) ? Value(joiner->separator) : Value("");
    if (const Loop* loop = function.loop()) return call_loop(*loop, arguments);
    if (function.undefined()) fail(function.undefined()->message);
    fail(fmt::format("'{}' object is not callable", type_name(function)));
  }

  // The body of a recursive loop over other items.
  Value call_loop(const Loop& loop, const CallValues& arguments) {
    if (!loop.recursive) fail("The loop must have the 'recursive' marker to be called.");
    const Parameters parameters("loop", arguments, {"iterable"});
    const std::shared_ptr<Frame> home = loop.scope.lock();
    const Scope scope(*this, home ? home : root_);
    TracedText text;
    loop_over(*loop.recursive, parameters.at(0), loop.depth + 1, text);
    return runtime_.text(std::move(text));
  }

  Value call_macro(const Macro& macro, const CallValues& arguments, const Value* caller) {
    const Stmt& definition = *macro.definition;
    const std::shared_ptr<Frame> home = macro.scope.lock();
    const Scope scope(*this, home ? home : root_);
    std::vector<Value> extra;
    for (std::size_t i = definition.parameters.size(); i < arguments.positional.size(); ++i)
      extra.push_back(arguments.positional[i]);
    frame_->set("varargs", runtime_.list(std::move(extra), ListKind::kTuple));
    if (caller) frame_->set("caller", *caller);
    bind_named(definition, arguments);
    for (std::size_t i = 0; i < definition.parameters.size(); ++i) {
      const Stmt::Parameter& parameter = definition.parameters[i];
      if (i < arguments.positional.size()) {
        if (frame_->find_own(parameter.name))
          fail(fmt::format("macro '{}' got multiple values for argument '{}'", definition.text, parameter.name));
        frame_->set(parameter.name, arguments.positional[i]);
      } else if (!frame_->find_own(parameter.name)) {
        frame_->set(parameter.name,
                    parameter.default_value
                        ? eval(*parameter.default_value)
                        : Value(Undefined{fmt::format("parameter '{}' was not provided", parameter.name)}));
      }
    }
    TracedText text;
    run(definition.body, text);
    return runtime_.text(std::move(text));
  }

  // Named arguments that the macro has a parameter for become variables; the others are its kwargs.
  void bind_named(const Stmt& definition, const CallValues& arguments) {
    std::vector<std::pair<Value, Value>> others;
    for (const auto& [name, value] : arguments.named) {
      const bool is_parameter =
          std::any_of(definition.parameters.begin(), definition.parameters.end(),
                      [&wanted = name.bytes()](const Stmt::Parameter& parameter) { return parameter.name == wanted; });
      if (is_parameter || name.bytes() == "caller") {
        frame_->set(name.bytes(), value);
      } else {
        others.emplace_back(Value(name), value);
      }
    }
    frame_->set("kwargs", Value::dict(std::move(others)));
  }

  Runtime& runtime_;
  std::shared_ptr<Frame> root_, frame_;
  std::uint32_t depth_ = 0;
};

}  // namespace

TracedText render(const Block& block, std::vector<std::pair<std::string, Value>> variables, Runtime& runtime) {
  auto given = std::make_shared<Frame>();
  given->variables = std::move(variables);
  auto root = std::make_shared<Frame>();
  root->parent = std::move(given);
  TracedText out;
  Evaluator(runtime, std::move(root)).run(block, out);
  return out;
}

}  // namespace headroom::jinja
