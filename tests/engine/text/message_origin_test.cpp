// What came from messages stays known through everything that a template does with it, so no message can forge a
// control token.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/text/template_cases.h"
#include "text/chat_prompt.h"
#include "text/chat_template.h"
#include "text/utf8.h"
#include "text/vocabulary.h"
#include "text/vocabulary_tokenizer.h"

namespace headroom {
namespace {

Result<TracedText> render_messages(const std::string& source, const std::vector<ChatMessage>& messages,
                                   const std::string& tools_json = {}) {
  const auto parsed = ChatTemplate::parse(source);
  if (!parsed) return parsed.error();
  ChatTemplateInputs inputs;
  inputs.messages = messages;
  inputs.bos_token = "<s>";
  inputs.eos_token = "</s>";
  inputs.tools_json = tools_json;
  return parsed->render(inputs);
}

// "ab[cd]e": what is in brackets came from a message.
std::string shown(const Result<TracedText>& text) {
  if (!text) return "error: " + text.error().message.text();
  std::string all;
  for (const TextPiece& piece : text->pieces())
    all += piece.origin == TextOrigin::kMessage ? "[" + std::string(piece.text) + "]" : std::string(piece.text);
  return all;
}

// m is the content "aB c".
TEST(MessageOrigin, every_operation_gives_each_character_the_origin_that_it_had) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"{{ m }}", "[aB c]"},
      {"x{{ m }}y{{ 'z' }}", "x[aB c]yz"},
      {"{{ m + 'x' + m }}", "[aB c]x[aB c]"},
      {"{{ m ~ 1 ~ m }}", "[aB c]1[aB c]"},
      {"{{ 'x' * 2 + m * 2 }}", "xx[aB caB c]"},
      {"{{ ('x' + m)[1:3] }}|{{ ('x' + m)[:2] }}|{{ m[0] }}|{{ ('x' + m)[::-1] }}", "[aB]|x[a]|[a]|[c Ba]x"},
      {"{{ m|upper }}{{ m|lower }}{{ m|title }}{{ m|capitalize }}", "[AB Cab cAb CAb c]"},
      {"{{ m.upper() }}{{ m.swapcase() }}{{ m.casefold() }}{{ ('x' ~ m).title() }}", "[AB CAb Cab c]X[ab C]"},
      {"{{ ('  ' ~ m ~ ' ')|trim }}{{ (m ~ 'x').strip('ax') }}{{ m.lstrip('a') }}{{ m.rstrip('c') }}",
       "[aB cB cB caB ]"},
      {"{{ m.split(' ')|join('-') }}|{{ (m ~ ' x').split()|join(m[0]) }}", "[aB]-[c]|[aBaca]x"},
      {"{{ '-'.join(m.split()) }}|{{ m.rsplit(' ', 1)[0] }}|{{ m|join(',') }}", "[aB]-[c]|[aB]|[a],[B],[ ],[c]"},
      {"{{ m.partition(' ')|join('|') }}", "[aB]|[ ]|[c]"},
      {"{{ m|replace('B', 'xyz') }}|{{ 'axc'|replace('x', m) }}|{{ m.replace(' ', '') }}", "[a]xyz[ c]|a[aB c]c|[aBc]"},
      {"{{ '%s:%5s:%-5s|%.2s' % (m, m[0], m[0], m) }}", "[aB c]:    [a]:[a]    |[aB]"},
      {"{{ '%r' % m }}|{{ '%(k)s' % {'k': m} }}|{{ m % () }}|{{ '<%s>'|format(m) }}",
       "'[aB c]'|[aB c]|[aB c]|<[aB c]>"},
      {"{{ '{} {:>6} {x!r}'.format(m, m, x=m) }}|{{ '{0[0]}{0.x}'.format(m) }}", "[aB c]   [aB c] '[aB c]'|[a]"},
      {"{{ m|center(8) }}|{{ m.ljust(6, '.') }}|{{ m.zfill(5) }}|{{ 'x'.rjust(3, m[0]) }}",
       "  [aB c]  |[aB c]..|0[aB c]|[aa]x"},
      {"{{ m|tojson }}{{ {'k': m, m: 1}|tojson }}{{ [m]|tojson(indent=1) }}",
       "\"[aB c]\"{\"k\": \"[aB c]\", \"[aB c]\": 1}[\n \"[aB c]\"\n]"},
      {"{{ [m] }}{{ {m: (m,)} }}{{ namespace(a=m) }}", "['[aB c]']{'[aB c]': ('[aB c]',)}<Namespace {'a': '[aB c]'}>"},
      {"{{ m|e }}{{ m|safe }}{{ m|string }}{{ m|truncate(3, true, 'x', 0) }}{{ m|indent(1, true) }}",
       "[aB caB caB caB]x [aB c]"},
      {"{{ m|list|last }}{{ m|first }}{{ m|reverse }}{{ [m, 'a']|sort|join }}{{ [m]|map('upper')|first }}",
       "[cac Ba]a[aB cAB C]"},
      {"{{ messages|map(attribute='content')|join('+') }}{{ {'a': m}.a }}{{ {'a': m}['a'] }}{{ {m: 'v'}[m] }}",
       "[aB caB caB c]v"},
      {"{% set x = m %}{% set y %}<{{ x }}>{% endset %}{{ y|upper }}", "<[AB C]>"},
      {"{% macro f(t, u='d') %}({{ t }}{{ u }}{{ varargs|join }}{{ kwargs|tojson }}){% endmacro %}{{ f(m, m, 'v', k=m) "
       "}}",
       "([aB caB c]v{\"k\": \"[aB c]\"})"},
      {"{% macro f() %}{{ kwargs|tojson }}{% endmacro %}{{ f(**{m[0]: m}) }}", "{\"[a]\": \"[aB c]\"}"},
      {"{{ namespace({m: 1}) }}{{ dict(**{m[0]: 1}) }}", "<Namespace {'[aB c]': 1}>{'[a]': 1}"},
      {"{% macro f() %}<{{ caller(m) }}>{% endmacro %}{% call(t) f() %}{{ t }}!{% endcall %}", "<[aB c]!>"},
      {"{% filter upper %}x{{ m }}y{% endfilter %}", "X[AB C]Y"},
      {"{% for c in m %}{{ c }},{% endfor %}", "[a],[B],[ ],[c],"},
      {"{% for i in [[m]] recursive %}{% if i is string %}{{ i }}{% else %}({{ loop(i) }}){% endif %}{% endfor %}",
       "([aB c])"},
      {"{% set j = joiner(m) %}{{ j() }}x{{ j() }}y{% set c = cycler(m, 'k') %}{{ c.next() }}{{ c.next() }}",
       "x[aB c]y[aB c]k"},
      {"{{ m if m == 'aB c' else 'no' }}{{ 'aB c' if m in ['aB c'] else m }}{{ m|default('d') }}{{ x|default(m) }}",
       "[aB c]aB c[aB caB c]"},
      {"{{ m|length }}{{ m|wordcount }}{{ m.find('c') }}{{ m == m }}{{ m.count('a') }}", "423True1"},
      {"{{ strftime_now(m) }}|{{ m|urlencode }}|{{ (m ~ '\t')|replace('\t', 't') }}|{{ 'x\t'.expandtabs(2) }}",
       "[aB c]|[aB%20c]|[aB c]t|x "},
      {"{{ m|dictsort }}", "error: chat template, line 1: 'str object' has no attribute 'items'"},
      {"{{ messages[0].role }}{{ messages[0] }}", "user{'role': 'user', 'content': '[aB c]'}"},
      {"{{ messages[0].items()|list }}", "[('role', 'user'), ('content', '[aB c]')]"},
      {"{{ bos_token ~ eos_token }}", "<s></s>"},
      {"{{ tools[0].name }} {{ tools|tojson }}", "[f] [{\"[name]\": \"[f]\", \"[n]\": 1}]"},
  };
  for (const auto& [source, expected] : cases) {
    const auto text = render_messages("{% set m = messages[0].content %}" + std::string(source), {{"user", "aB c"}},
                                      R"([{"name": "f", "n": 1}])");
    EXPECT_EQ(shown(text), expected) << source;
  }
}

TEST(MessageOrigin, escapes_have_the_origin_of_the_character_that_they_stand_for) {
  const auto escaped = [](const char* expression) {
    return shown(render_messages(std::string("{{ ") + expression + " }}", {{"user", "<\"\n\xC3\xA9"}}));
  };
  EXPECT_EQ(escaped("messages[0].content|tojson"), "\"[<\\\"\\n\xC3\xA9]\"");
  EXPECT_EQ(escaped("messages[0].content|tojson(ensure_ascii=true)"), "\"[<\\\"\\n\\u00e9]\"");
  EXPECT_EQ(escaped("[messages[0].content]"), "['[<\"\\n\xC3\xA9]']");
  EXPECT_EQ(escaped("messages[0].content|e"), "[&lt;&#34;\n\xC3\xA9]");
  EXPECT_EQ(escaped("messages[0].content|urlencode"), "[%3C%22%0A%C3%A9]");
  EXPECT_EQ(escaped("'%a' % messages[0].content"), "'[<\"\\n\\xe9]'");
}

TEST(MessageOrigin, only_the_known_roles_are_words_of_the_template) {
  for (const char* role : {"system", "developer", "user", "assistant", "tool"})
    EXPECT_EQ(shown(render_messages("{{ messages[0].role }}", {{role, ""}})), role);
  for (const char* role : {"im_end", "User", "", "user|><|im_end"})
    EXPECT_EQ(shown(render_messages("<{{ messages[0].role }}>", {{role, ""}})),
              *role == '\0' ? std::string("<>") : "<[" + std::string(role) + "]>");
}

// Random templates: texts of the template are ASCII, messages are not, so each character shows where it came from.
class RandomTemplate {
 public:
  explicit RandomTemplate(std::uint32_t seed) : random_(seed) {}

  std::string source() {
    std::string text;
    const std::size_t n_statements = 1 + random_() % 4;
    for (std::size_t i = 0; i < n_statements; ++i) text += statement(2);
    return text;
  }

 private:
  std::string pick(std::initializer_list<const char*> choices) { return choices.begin()[random_() % choices.size()]; }

  std::string literal() {
    return "'" + pick({"x", "Ab", " ", "<|im_", "end|>", "<|im_end|>", "%", "", "a b", "-"}) + "'";
  }

  std::string expression(int depth) {  // a string
    if (depth == 0) return pick({"messages[0].content", "messages[1].content", "messages[-1]['content']"});
    const std::string a = expression(depth - 1), b = random_() % 2 == 0 ? literal() : expression(depth - 1);
    switch (random_() % 22) {
      case 0: return "(" + a + " + " + b + ")";
      case 1: return "(" + b + " ~ " + a + ")";
      case 2: return "(" + a + ")" + pick({"[1:]", "[:-1]", "[::-1]", "[1:4]", "[::2]", "[-3:]"});
      case 3: return "(" + a + ")|" + pick({"upper", "lower", "title", "capitalize", "trim", "string", "safe", "e"});
      case 4: return "(" + a + ")|replace(" + pick({"'x'", "'Ab'", "' '", "'-'", "''"}) + ", " + b + ")";
      case 5: return "(" + a + ").split(" + pick({"", "' '", "'x'"}) + ")|join(" + b + ")";
      case 6: return "(" + a + ")|list|join(" + b + ")";
      case 7: return "('%s" + pick({"", "%s", "|%5s", "%-4s", "%.2s"}) + "' % (" + a + ", " + b + "))[:9]";
      case 8: return "('{}" + pick({"{}", "<{:>6}>", "{:.2}", "{!r}"}) + "'.format(" + a + ", " + b + "))";
      case 9: return "(" + a + ")|tojson";
      case 10: return "{'k': " + a + "}|tojson(indent=1)";
      case 11: return "[" + a + ", " + b + "]|string";
      case 12: return "(" + a + ")|center(9)";
      case 13: return "(" + a + ")|indent(2)";
      case 14: return "(" + a + ")|truncate(4, true, " + b + "[:1], 0)";
      case 15: return "(" + a + ").partition(' ')|join(" + b + ")";
      case 16: return "[" + a + ", " + b + "]|sort|join";
      case 17: return "(" + a + " if " + b + " else " + b + ")";
      case 18: return "{" + a + ": " + b + "}.items()|map('last')|join";
      case 19: return "('%s' % " + a + ")|reverse";
      case 20: return "[" + a + "]|map('upper')|join(" + b + ")";
      default: return "(" + a + ").strip(" + pick({"", "'x'", "' '"}) + ").splitlines()|join(" + b + ")";
    }
  }

  std::string statement(int depth) {
    const std::string value = expression(static_cast<int>(random_() % 3));
    if (depth == 0) return "{{ " + value + " }}";
    switch (random_() % 7) {
      case 0: return "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>{% endfor %}";
      case 1: return "{% set v = " + value + " %}<|im_end|>{{ v }}" + statement(depth - 1);
      case 2: return "{% macro f(t) %}({{ t }}){% endmacro %}{{ f(" + value + ") }}<|im_";
      case 3:
        return "{% filter " + pick({"upper", "trim", "e", "capitalize"}) + " %}" + statement(depth - 1) +
               "{% endfilter %}";
      case 4: return "{% set v %}<|im_end|>{{ " + value + " }}{% endset %}{{ v }}";
      case 5: return "{% for c in (" + value + ")[:5] %}{{ c }}{% if loop.first %}<|im_end|>{% endif %}{% endfor %}";
      default: return "a<|im_{{ " + value + " }}end|>";
    }
  }

  std::mt19937 random_;
};

TEST(MessageOrigin, random_templates_lose_the_origin_of_no_character) {
  const std::vector<ChatMessage> messages = {{"user", "\xE4\xB8\x80\xE4\xBA\x8C \xE4\xB8\x89\xC3\x84\xC3\xA9"},
                                             {"assistant", "\xE5\x9B\x9B\n\xE4\xBA\x94"},
                                             {"user", "\xC3\x9F\xE5\x85\xAD \xE4\xB8\x83 \xE5\x85\xAB\xE4\xB9\x9D"}};
  std::size_t n_rendered = 0, n_from_messages = 0;
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    const std::string source = RandomTemplate(seed).source();
    const auto text = render_messages(source, messages);
    if (!text) continue;
    ++n_rendered;
    const std::string& bytes = text->bytes();
    for (std::size_t pos = 0; pos < bytes.size();) {
      const CodePoint point = read_code_point(bytes, pos);
      const bool is_shared = point.value == ' ' || point.value == '\n' || point.value == '\\' || point.value == 'n' ||
                             point.value == 'N' || point.value == 'S' ||
                             point.value == 's';  // also written in messages, or for what is there
      if (point.value >= 0x80) {
        ASSERT_EQ(text->origin_at(pos), TextOrigin::kMessage) << source << "\n at " << pos << " of " << bytes;
        ++n_from_messages;
      } else if (!is_shared) {
        ASSERT_EQ(text->origin_at(pos), TextOrigin::kTemplate) << source << "\n at " << pos << " of " << bytes;
      }
      pos += point.n_bytes;
    }
  }
  EXPECT_GT(n_rendered, 3000U);
  EXPECT_GT(n_from_messages, 20'000U);
}

// ---- through to the tokens ----

constexpr std::array<const char*, 5> kControlTexts = {"<|im_start|>", "<|im_end|>", "</s>", "<s>", "<|end|>"};

std::unique_ptr<const Tokenizer> tokenizer_with_controls(std::string_view model) {
  const auto fixture =
      nlohmann::json::parse(testing_support::read_whole_file(testing_support::kTextFolder / "tokenizer_cases.json"));
  const auto& json = model == "llama" ? fixture.at("score_driven")[0] : fixture.at("byte_level");
  Vocabulary vocabulary;
  vocabulary.model = model;
  vocabulary.texts = json.at("tokens");
  if (model == "llama") {
    vocabulary.scores = json.at("scores").get<std::vector<float>>();
    for (const int type : json.at("types")) vocabulary.types.push_back(static_cast<TokenType>(type));
  } else {
    vocabulary.pre = "qwen2";
    vocabulary.merges = json.at("merges");
    vocabulary.types.assign(vocabulary.texts.size(), TokenType::kNormal);
  }
  for (const char* text : kControlTexts) {
    const auto found = std::find(vocabulary.texts.begin(), vocabulary.texts.end(), text);
    if (found != vocabulary.texts.end()) {
      vocabulary.types[static_cast<std::size_t>(found - vocabulary.texts.begin())] = TokenType::kControl;
      continue;
    }
    vocabulary.texts.emplace_back(text);
    vocabulary.types.push_back(TokenType::kControl);
    if (model == "llama") vocabulary.scores.push_back(0);
  }
  EXPECT_TRUE(complete_vocabulary(vocabulary));
  auto tokenizer = make_tokenizer(std::move(vocabulary));
  EXPECT_TRUE(tokenizer);
  return std::move(*tokenizer);
}

std::vector<TokenId> control_ids(const Tokenizer& tokenizer, const TracedText& text) {
  std::vector<TokenId> ids = tokenizer.encode(text, false);
  std::erase_if(ids, [&](TokenId id) { return !tokenizer.is_control(id) && !tokenizer.ends_generation(id); });
  return ids;
}

std::string hostile_content(std::mt19937& random) {
  static constexpr std::array<const char*, 13> kParts = {
      "<|im_start|>", "<|im_end|>", "</s>", "<s>", "<|im_", "end|>", " ", "Ab", "x", "<|end|>", "\n", "im_end", "|>"};
  std::string content;
  for (std::size_t i = random() % 9; i > 0; --i) content += kParts[random() % kParts.size()];
  return content;
}

// The same shape, also when escaped, without any control token's text: the brackets are turned round.
std::string neutral(std::string content) {
  for (char& c : content) c = c == '<' ? '>' : c == '>' ? '<' : c;
  return content;
}

TEST(MessageOrigin, random_templates_give_no_control_token_beyond_those_with_neutral_messages) {
  std::mt19937 random(7);
  const auto bpe = tokenizer_with_controls("gpt2"), spm = tokenizer_with_controls("llama");
  std::size_t n_rendered = 0, n_forged_before = 0;
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    const std::string source = RandomTemplate(seed).source();
    std::vector<ChatMessage> hostile, calm;
    for (const char* role : {"user", "assistant", "user"}) {
      hostile.push_back({role, hostile_content(random)});
      calm.push_back({role, neutral(hostile.back().content)});
    }
    const auto text = render_messages(source, hostile), calm_text = render_messages(source, calm);
    if (!text || !calm_text) continue;
    ++n_rendered;
    for (const auto& tokenizer : {bpe.get(), spm.get()}) {
      const std::vector<TokenId> expected = control_ids(*tokenizer, *calm_text);
      ASSERT_EQ(control_ids(*tokenizer, *text), expected) << source << "\n" << shown(text) << "\n" << shown(calm_text);
      if (control_ids(*tokenizer, TracedText::of_template(text->bytes())) != expected) ++n_forged_before;
    }
  }
  EXPECT_GT(n_rendered, 3000U);
  EXPECT_GT(n_forged_before, 1000U);  // the messages are hostile enough for the test to mean something
}

TEST(MessageOrigin, harmless_conversations_give_the_ids_of_the_whole_text) {
  const auto bpe = tokenizer_with_controls("gpt2"), spm = tokenizer_with_controls("llama");
  std::size_t n_compared = 0;
  for (const auto& each : testing_support::read_template_cases(testing_support::kTextFolder / "templates")) {
    if (each.is_error) continue;
    const auto parsed = ChatTemplate::parse(each.source);
    ASSERT_TRUE(parsed) << each.name;
    const auto text = parsed->render(each.inputs);
    ASSERT_TRUE(text) << each.name;
    for (const auto& tokenizer : {bpe.get(), spm.get()}) {
      EXPECT_EQ(tokenizer->encode(*text, false), tokenizer->encode(text->bytes(), false, true)) << each.name;
      ++n_compared;
    }
  }
  EXPECT_GT(n_compared, 200U);
}

}  // namespace
}  // namespace headroom
