"""Writes what Jinja2 itself gives: for our own chat templates (tests/engine/text/templates/*.jinja, expected.json beside them) and for single
expressions and statements (tests/engine/text/expressions.json). Run with a Python that has jinja2 3.1; the tests need only the files written here.

make_template_cases.py FOLDER: for templates that others publish, which stay where they are: FOLDER/*.jinja, and expected.json beside them. A build with
-DHEADROOM_SHARED_DATA=PARENT, where FOLDER is PARENT/chat-templates, has tests of them (SharedTemplates in shared_text_test)."""
import argparse
import datetime
import json
import pathlib

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.sandbox

ROOT = pathlib.Path(__file__).resolve().parents[2] / "engine" / "text"
NOW = datetime.datetime(2026, 1, 2, 3, 4, 5)

CONVERSATIONS = {
    "user": [["user", "Where does the memory go?"]],
    "system_user": [["system", "Answer briefly."], ["user", "Hi"]],
    "turns": [["user", "Hi"], ["assistant", "Hello! What shall we load?"], ["user", " Two\nlines, größe 🎉 and <|tags|> "]],
    "thoughts": [["system", "Be kind.\nAlways."], ["user", "a"], ["assistant", "<think>\nhm\n</think>\n\nb"], ["user", "c"], ["assistant", "<think>x</think>d"],
                 ["user", "e"]],
    "answered": [["user", "a"], ["assistant", "<think>\nwhy\n</think>\n\nbecause"]],
    "two_users": [["user", "a"], ["user", "b"]],
    "empty": [["user", ""]],
    "called": [["system", " Use the functions. "], ["user", "How much is free?"],
               ["assistant", "<think>\nI ask.\n</think>\n\nI look.\n\n<tool_call>\n<function=free_memory>\n<parameter=device>\n0\n</parameter>\n</function>\n</tool_call>"],
               ["tool", "3 GiB"], ["tool", "of 12 GiB "], ["assistant", "<think>\nSo it is.\n</think>\n\n3 of 12 GiB"], ["user", "Größe?"],
               ["assistant", "<tool_call>\n<function=free_memory>\n</function>\n</tool_call>"], ["tool", ""]],
    "channels": [["developer", " Be \"kind\".\n"], ["user", "{{ a }} {% b %} {# c #}"], ["assistant", "<|channel>thought\nhm\n<channel|>\n\nIt's größer. "], ["user", ""],
                 ["assistant", "One<|channel>thought\ntwo<channel|> three <|channel>four<channel|>\nfive"], ["user", "e\r\nf"], ["assistant", "<|channel>never ends"], ["user", "g"]],
}

TOOLS = [
    {"type": "function", "function": {"name": "free_memory", "description": "What is free, \"größe\" <&> 'all'", "parameters": {
        "type": "object", "properties": {"device": {"type": "integer", "minimum": 0, "default": None}, "unit": {"enum": ["GiB", "MiB"]}}, "required": []}}},
    {"type": "function", "function": {"name": "z", "strict": True, "share": 0.5, "parameters": {}}},
]
# Parameters within parameters, and names whose order is not that of their bytes.
NESTED_TOOLS = [
    {"type": "function", "function": {"name": "place", "description": " Where a model's \"layers\" go ", "parameters": {"type": "object", "properties": {
        "model": {"type": "string", "description": "The file's name"}, "Device": {"type": ["null", "string"], "enum": ["CPU", "größte", 0, None, True]},
        "limits": {"type": "object", "properties": {"n_ctx": {"type": "integer"}, "Bytes": {"type": "number", "description": ""}}, "required": ["n_ctx"]},
        "ranges": {"type": "array", "items": {"type": "object", "properties": {"to": {"type": "integer"}, "from": {"type": []}}, "required": ["to"]}},
        "names": {"type": "array", "items": {"type": "string"}}, "kind": {"type": "string"}, "{{ odd }}": {"type": "boolean", "description": "{% raw %}"}},
        "required": ["model", "limits"]}, "response": {"type": "object", "Parts": [0.5, 1e-7, {"b": False, "A": []}]}}},
    {"type": "function", "function": {"name": "forget", "parameters": None}},
]
# As literals, since a conversation of ours has roles and texts only.
CALLS = """[{'role': 'user', 'content': 'Both?'},
 {'role': 'assistant', 'content': '', 'reasoning_content': ' Two calls. ', 'tool_calls': [
  {'type': 'function', 'function': {'name': 'free_memory', 'arguments': {'device': 0, 'unit': 'GiB', 'exact': true, 'share': 0.5, 'none': none}}},
  {'name': 'z', 'arguments': {'many': [1, 'größe', {'deep': none}], 'some': {'b': 1, 'a': "it's"}, 'lines': 'a\\nb'}}, {'name': 'bare'}]},
 {'role': 'tool', 'content': '3 GiB'}, {'role': 'tool', 'content': [{'type': 'text', 'text': 'z'}, {'text': ' is done'}]},
 {'role': 'assistant', 'content': 'One more.', 'tool_calls': [{'function': {'name': 'z', 'arguments': {}}}]},
 {'role': 'tool', 'content': none}]"""
PICTURES = """[{'role': 'user', 'content': [{'type': 'image'}, {'type': 'text', 'text': 'Which? '}, {'image': 'b'}]},
 {'role': 'assistant', 'content': 'The first.'}, {'role': 'user', 'content': [{'type': 'image', 'image': 'c'}]}]"""
# What a template is told beside the messages: a word that a template has if it asks, conversations to tell it with, statements before the template,
# tools.
SETTINGS = {
    "thinking": ("enable_thinking", ("user", "system_user", "thoughts", "called", "channels"), "{%- set enable_thinking = true %}", []),
    "no_thinking": ("enable_thinking", ("user", "system_user", "thoughts", "called", "channels"), "{%- set enable_thinking = false %}", []),
    "keeping_thoughts": ("preserve_thinking", ("thoughts", "called"), "{%- set preserve_thinking = true %}", []),
    "high_effort": ("effort|", ("user", "system_user"), "{%- set effort = 'high' %}", []),
    "unknown_effort": ("effort|", ("user",), "{%- set effort = 'most' %}", []),
    "high_effort_and_tools": ("effort|", ("called",), "{%- set effort = 'high' %}", TOOLS),
    "tools": ("tools", ("user", "system_user", "called"), "", TOOLS),
    "nested_tools": ("dictsort", ("user", "channels"), "{%- set enable_thinking = true %}", NESTED_TOOLS),
    "calls": ("tool_calls", ("user",), "{%- set messages = " + CALLS + " %}", TOOLS),
    "pictures": ("'image' in", ("user",), "{%- set messages = " + PICTURES + " %}", []),
}


class Generation(jinja2.ext.Extension):
    """{% generation %} marks the assistant's text for training and prints its body."""
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


def environment():
    env = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols"])

    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = NOW.strftime
    env.filters["tojson"] = tojson
    return env


def run(env, source, conversation, prompt, tools=()):
    variables = {"messages": [{"role": role, "content": content} for role, content in CONVERSATIONS[conversation]], "add_generation_prompt": prompt,
                 "bos_token": "<s>", "eos_token": "</s>", **({"tools": tools} if tools else {})}
    try:
        return {"text": env.from_string(source).render(variables)}
    except Exception as error:  # noqa: BLE001: whatever Jinja2 or Python says is the expectation
        return {"error": str(error), "raised": type(error) is jinja2.exceptions.TemplateError}


EXPRESSIONS = r"""
{{ 1 + 2 * 3 - 4 / 2 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ 2 ** 10 }} {{ 2 ** -1 }} {{ 2 ** 3 ** 2 }} {{ -2 ** 2 }}
{{ 1.0 }} {{ 1e16 }} {{ 1e-5 }} {{ 0.1 + 0.2 }} {{ 3.0 * 2 }} {{ 1_000 }} {{ 10 / 5 }} {{ 1.5 // 1 }} {{ -1.5 % 1 }} {{ 123456789012345680.0 }}
{{ 'a' ~ 1 ~ none ~ true ~ 1.5 ~ [1, 'x'] }} {{ 'ab' * 2 }} {{ [1] * 2 + [3] }} {{ (1, 2) + (3,) }} {{ (1,) }} {{ () }}
{{ [1, 'a', "it's", 'say "x"', none, true, 1.5, {'k': [1]}, 'é\n\t\\'] }} {{ {'a': 1, 2: 'b', none: ()} }}
{{ 1 < 2 < 3 }} {{ 1 < 2 > 3 }} {{ 1 == 1.0 }} {{ 'a' < 'b' }} {{ [1, 2] < [1, 3] }} {{ 1 != 2 }} {{ true == 1 }} {{ 'a' in 'cat' }} {{ 'x' not in ['a'] }} {{ 'k' in {'k': 1} }}
{{ not true or true and false }} {{ 1 and 2 }} {{ 0 or 'x' }} {{ not 1 == 2 }} {{ '' or [] or none }}
{{ 'yes' if true else 'no' }} {{ 'yes' if false }}. {{ 'a' if 0 else 'b' if 0 else 'c' }}
{{ undefined_name }}|{{ undefined_name is defined }}|{{ undefined_name|default('d') }}|{{ ''|default('d') }}|{{ ''|default('d', true) }}|{{ none|d('n') }}
{{ undefined_name.attribute }}
{{ undefined_name + 'x' }}
{{ 'x' + undefined_name }}
{{ messages[0].nothing.more }}
{{ messages[0]['nothing'] ~ messages[99] ~ '.' }}
{{ messages[99].role }}
{{ none.x ~ '.' }}
{{ none.x.y }}
{{ undefined_name() }}
{{ messages[0].content() }}
{{ 'a' + 1 }}
{{ 1 + 'a' }}
{{ none + 'a' }}
{{ 'a' + none }}
{{ [1] + 'a' }}
{{ 1 < 'a' }}
{{ 1 / 0 }}
{{ 1 % 0 }}
{{ -'a' }}
{% for x in 5 %}{% endfor %}
{% for x in none %}{% endfor %}
{{ 5|length }}
{{ undefined_name|length }}{% for x in undefined_name %}x{% else %}empty{% endfor %}
{{ undefined_name|tojson }}
{{ 'abc'|nofilter }}
{{ 1 is notest }}
{% unknown_tag %}
{{ 'abc }}
{{ (1, 2 }}
{% if true %}
{% endfor %}
{% for x in [1] %}{{ x }}{% endif %}
{{ 1 + }}
{{ raise_exception('Sorry: ' ~ messages|length) }}
{% set a, b = [1] %}
{% set x.y = 1 %}
{% set ns = namespace(a=1) %}{% set ns.b = ns.a + 1 %}{{ ns.a }}{{ ns.b }}{{ ns.c }}{{ ns.c is defined }}
{{ 'Hello'[1] }}{{ 'Hello'[-1] }}{{ 'Hello'[1:3] }}{{ 'Hello'[::-1] }}{{ 'Hello'[::2] }}{{ 'Hello'[-3:] }}{{ 'Hello'[:-2] }}{{ 'grüße'[3:] }}{{ 'Hello'[10:] }}{{ 'Hello'[4:1:-1] }}
{{ [1,2,3][1:] }}{{ [1,2,3][::-1] }}{{ (1,2,3)[:2] }}{{ [1,2,3][-1] }}{{ [0,1,2,3,4,5][1:5:2] }}{{ 'abc'[5] }}{{ [][0] is defined }}{{ 'abc'.0 }}
{{ ' ab '.strip() }}|{{ 'xxabxx'.strip('x') }}|{{ ' ab '.lstrip() }}|{{ ' ab '.rstrip() }}|{{ 'aXbXc'.split('X') }}|{{ ' a  b '.split() }}|{{ 'a b c'.split(' ', 1) }}|{{ 'a b c'.rsplit(' ', 1) }}|{{ 'a,b,,'.split(',') }}
{{ 'hello world'.title() }} {{ "it's ok"|title }} {{ 'hELLO'.capitalize() }} {{ 'hELLO'|capitalize }} {{ 'ÄÖü'.lower() }} {{ 'äöß'.upper() }} {{ 'x-ray (two)'|title }}
{{ 'abc'.startswith('ab') }} {{ 'abc'.startswith(('x', 'a')) }} {{ 'abc'.endswith('c') }} {{ 'abcabc'.find('c') }} {{ 'abc'.find('z') }} {{ 'abcabc'.rfind('b') }} {{ 'abcabc'.count('bc') }} {{ 'aaa'.replace('a', 'b', 2) }} {{ 'abc'.replace('', '-') }} {{ 'abc'.index('c') }}
{{ 'abc'.index('z') }}
{{ ', '.join(['a', 'b']) }} {{ ''.join('abc') }} {{ 'a'.isdigit() }} {{ '12'.isdigit() }} {{ 'Ab1'.isalnum() }} {{ ' '.isspace() }} {{ 'AB'.isupper() }} {{ 'ab'.islower() }} {{ 'a\nb\r\nc'.splitlines() }} {{ 'k=v=w'.partition('=') }} {{ 'k=v=w'.rpartition('=') }} {{ 'ab'.center(6, '*') }} {{ 'abc'.removeprefix('a').removesuffix('c') }}
{{ ', '.join([1]) }}
{{ '%s is %d%%' % ('x', 5) }} {{ '%s' % 'y' }} {{ '{} {}'.format(1, 'b') }} {{ '{1}{0}{n}'.format(1, 2, n=3) }} {{ '%s-%s'|format('a', 'b') }}
{{ {'a': 1}.items() }} {{ {'a': 1}.keys()|list }} {{ {'a': 1}.values()|list }} {{ {'a': 1}.get('a') }} {{ {'a': 1}.get('b') }} {{ {'a': 1}.get('b', 2) }} {{ {'items': 3}['items'] }} {{ {'a': {'b': {}}} }} {{ dict(a=1, b=2) }} {{ {'a': 1}.a }}
{% for k, v in {'x': 1, 'y': 2}.items() %}{{ k }}={{ v }}{{ ',' if not loop.last }}{% endfor %} {% for k in {'x': 1} %}{{ k }}{% endfor %} {% for a, (b, c) in [(1, (2, 3))] %}{{ a }}{{ b }}{{ c }}{% endfor %} {% for c in 'aé' %}[{{ c }}]{% endfor %}
{% for i in range(5) if i is odd %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }} {% endfor %}{% for i in [] %}{% else %}none{% endfor %}
{% for i in [1, 2, 3] %}{{ loop.cycle('a', 'b') }}{{ loop.previtem }}{{ loop.nextitem }}{{ loop.depth }}{% for j in [1] %}{{ loop.depth0 }}{% endfor %};{% endfor %}
{% for i in range(10) %}{% if i == 2 %}{% continue %}{% endif %}{% if i == 5 %}{% break %}{% endif %}{{ i }}{% endfor %}
{% set x = 1 %}{% for i in [1, 2] %}{% set x = x + i %}{{ x }}{% endfor %}{{ x }}{% if true %}{% set x = 9 %}{% endif %}{{ x }}
{% macro m(a, b=2, *args) %}{{ a }}{% endmacro %}{{ m(1) }}
{% macro m(a, b=a) %}{{ a }},{{ b }};{% endmacro %}{{ m(1) }}{{ m(1, 2) }}{{ m(b=3, a=4) }}{{ m() }}
{% macro outer(t) %}<{{ caller(t, 2) if caller }}>{% endmacro %}{% call(a, b) outer('x') %}{{ a }}{{ b }}{% endcall %}{{ outer('y') }}
{% set g = 'global' %}{% macro m() %}{{ g }}{% endmacro %}{% set g = 'later' %}{{ m() }}{% macro rec(n) %}{{ n }}{% if n > 0 %}{{ rec(n - 1) }}{% endif %}{% endmacro %}{{ rec(3) }}
{% macro v() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ v(1, 2, k=3) }}
{{ range(3)|list }} {{ range(1, 10, 3)|list }} {{ range(5, 0, -2)|list }} {{ [3,1,2]|sort }} {{ ['b','A','c']|sort }} {{ ['b','A','c']|sort(case_sensitive=true) }} {{ [1,2,3]|sort(reverse=true) }} {{ [{'n': 2}, {'n': 1}]|sort(attribute='n') }}
{{ [1,2,3]|first }} {{ [1,2,3]|last }} {{ []|first }} {{ 'abc'|first }} {{ 'abc'|last }} {{ [1,2]|join('-') }} {{ [{'n': 1}, {'n': 2}]|join(',', attribute='n') }} {{ 'abc'|list }} {{ 'abc'|reverse }} {{ [1,2]|reverse|list }} {{ [1,1,2,'A','a']|unique|list }}
{{ [1,2,3]|sum }} {{ [{'n': 1}, {'n': 2}]|sum(attribute='n') }} {{ [1,2]|sum(start=10) }} {{ [1,3,2]|max }} {{ [1,3,2]|min }} {{ ['b','A']|min }} {{ []|max }} {{ [0.5, 1]|sum }}
{{ ['a','b']|map('upper')|list }} {{ [{'n': 1}, {}]|map(attribute='n', default=0)|list }} {{ [1,2,3,4]|select('even')|list }} {{ [1,2,3]|reject('odd')|list }} {{ [0,1,'']|select|list }} {{ [{'a': 1}, {'a': 0}, {}]|selectattr('a')|list }} {{ [{'a': 1}, {}]|rejectattr('a', 'defined')|list }} {{ [{'a': {'b': 2}}]|map(attribute='a.b')|list }} {{ [1,5]|select('gt', 2)|list }} {{ [[1,2]]|map('first')|list }}
{{ messages|selectattr('role', 'in', ['user'])|list|length }} {{ messages|map(attribute='role')|join(',') }} {{ (messages|selectattr('role', 'equalto', 'nobody')|list)|length }} {{ 'T' if messages|selectattr('role', 'equalto', 'nobody') else 'F' }}
{{ {'b': 1, 'a': 2}|dictsort }} {{ {'b': 1, 'a': 2}|dictsort(by='value', reverse=true) }} {{ {'a': 1}|items|list }} {{ [1,2,3,4,5]|batch(2)|list }} {{ [1,2,3]|batch(2, 'x')|list }}
{{ 3.7|int }} {{ '42'|int }} {{ 'x'|int }} {{ 'x'|int(7) }} {{ '0x1A'|int(base=16) }} {{ '3.9'|int }} {{ '1.5'|float }} {{ 'x'|float }} {{ 1|float }} {{ 2.567|round(2) }} {{ 2.5|round }} {{ 3.5|round|int }} {{ 2.1|round(0, 'ceil') }} {{ 2.19|round(1, 'floor') }} {{ -5|abs }} {{ 7|round }} {{ true|int }} {{ ' 12 '|int }} {{ none|int }} {{ 1234.5678|round(-2) }}
{{ {'a': [1, 2.0, true, none, 'é"\n<>&\u0001']}|tojson }} {{ {'b': 1, 'a': {}}|tojson(indent=2) }} {{ [1, [], {'x': []}]|tojson(indent=4) }} {{ 'é'|tojson(ensure_ascii=true) }} {{ {'b': 1, 'a': 2}|tojson(sort_keys=true) }} {{ [1, {'a': 2}]|tojson(separators=(',', ':')) }} {{ 'x'|tojson }} {{ (1, 2)|tojson }} {{ '🎉'|tojson(ensure_ascii=true) }}
{{ 'a\nb\n\nc'|indent }}|{{ 'a\nb'|indent(2, true) }}|{{ 'a\n\nb'|indent(1, blank=true) }}|{{ 'a\nb'|indent('> ') }} {{ '<a href="x">\'&'|e }} {{ 'a'|safe }} {{ 5|string + '6' }} {{ 'one two, three'|wordcount }} {{ 'foo bar baz qux'|truncate(9) }} {{ 'foo bar baz qux'|truncate(11, true, '..', 0) }} {{ 'ab'|center(6) }}|{{ '  x '|trim }}|{{ 'xax'|trim('x') }}|{{ 'aXbX'|replace('X', '-') }}
{{ 1 is number }}{{ 1.0 is float }}{{ 1 is integer }}{{ true is integer }}{{ true is number }}{{ true is boolean }}{{ 'a' is string }}{{ {} is mapping }}{{ [] is iterable }}{{ 'a' is iterable }}{{ 1 is iterable }}{{ [] is sequence }}{{ {} is sequence }}{{ none is none }}{{ 4 is divisibleby 2 }}{{ 4 is divisibleby(3) }}{{ 1 is eq 1 }}{{ 1 is ne(2) }}{{ 3 is gt 2 }}{{ 3 is lt(2) }}{{ 'a' is in ['a'] }}{{ range is callable }}{{ true is true }}{{ 1 is true }}{{ 'ab' is lower }}{{ 'AB' is upper }}{{ x is undefined }}{{ 3 is odd and 4 is even }}{{ 1 is not none }}{{ 1 is sameas 1 }}
{{ [1, 2, 3] is not string and [1] is iterable }} {{ 'a' is string if true else 'x' }} {{ not 'a' is string }} {{ 1 is defined and 2 }}
{{ messages is iterable }}{{ messages[0] is mapping }}{{ messages[0].items()|list|length }}{{ messages[0].keys()|join('+') }}{{ messages[0] | tojson }}
{{ strftime_now('%Y-%m-%d %H:%M:%S %b %d %A') }} {{ strftime_now('') }}
{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.next() }}{{ c.current }} {% set j = joiner('|') %}{{ j() }}x{{ j() }}y
{% set t %}  block {{ 1 + 1 }}{% endset %}[{{ t }}]{% set u | upper | trim %} shout {% endset %}[{{ u }}]
{% filter replace('a', 'b') | upper %}banana{% endfilter %}{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}{{ a is defined }}
{% raw %}{{ x }}{% y %}{% endraw %}|{{ '{{' }}|{{ "}}" }}|{{ {'a': {'b': 1}}['a'] }}|{{ '\x41\u00e9\101\q\'' }}|{{ "a" "b" 'c' }}
a{#- comment -#} b {# x #}c
  {% if true %}
    kept
  {% endif %}
tail
  {%- if true -%}
    tight
  {%- endif -%}
  end
{% if true +%}
x{% endif %}{%+ if true %}y{% endif %}
	{% set q = 1 %}	{{ q }}
{{ 'a' if messages else 'b' }}{{ messages|length > 0 and messages[0]['role'] == 'user' }}
{{ {'a': 1} == {'a': 1} }} {{ [1, 2] == [1, 2] }} {{ (1,) == [1] }} {{ 'a' == 1 }} {{ messages[0] == messages[-1] }} {{ none == undefined_name }} {{ undefined_name == other_name }}
{{ [1,[2,[3]]]|string }} {{ (none, true)|string }} {{ namespace(a=1) }} {{ 'x'.nope }}{{ 'x'.nope is defined }}
{{ messages|map('nofilter')|list }}
{{ messages[0:1][0].role|upper ~ '!' * 3 }}
{{ [1,2,3]|map('string')|join|int + 1 }} {{ ([1,2]|length) * 2 }} {{ -1|abs }} {{ 5 - -3 }} {{ 2 * -3 }} {{ +4 }}
{{ 'abc' | upper | lower | title | length }} {{ ('a' ~ 'b')|upper }} {{ 'a' ~ 'b'|upper }} {{ 1 + 2|string|length }} {{ 1 ~ 2 + 3 }}
{{ range(3, 1) | list }}{{ range() }}
{{ [1, 2, 3].index(2) }} {{ [1, 1].count(1) }} {{ 'a' in {} }} {{ 1 in 'a' }}
{{ messages.append(1) }}
{{ loop }}
{{ 9223372036854775807 }} {{ {}.x.y }}
{% for m in messages %}{% for c in m.content %}{% if loop.index > 3 %}{% break %}{% endif %}{{ c }}{% endfor %}|{% endfor %}
{{ groups }}{% for role, items in messages|groupby('role') %}{{ role }}:{{ items|length }} {% endfor %}
{% if messages[0]['role'] == 'system' %}S{% elif messages[0]['role'] == 'user' %}U{% else %}O{% endif %}
""".strip("\n").split("\n")

# Several lines that belong together, where white space control is the point.
BLOCKS = [
    "a\n  {% if true %}\n    b\n  {% endif %}\nc\n",
    "a\n  {%- if true -%}\n    b\n  {%- endif -%}\nc\n\n",
    "  {# comment #}\nx\n{#- tight -#}\n y",
    "{% for i in [1, 2] %}\n  {{ i }}\n{% endfor %}\nend",
    "{% for i in [1, 2] -%}\n  {{ i }}\n{%- endfor %}\nend",
    "x {% if true %} y {% endif %} z\n  {{- ' w' -}}\n  v",
    "{% if true +%}\nx\n{%+ endif %}\ny",
    "  {%+ if true %}x{% endif %}\n\n\n",
    "{{ 'a' }}\n\n{{ 'b' }}\n",
    "{% raw -%}\n  {{ a }} {% b %}\n{%- endraw %}\nc",
    "a\r\nb\rc\n",
    "{% set x %}\n  one\n{% endset %}[{{ x }}]",
    "{% macro m() %}\n  in\n{% endmacro %}\n[{{ m() }}]\n",
    "line one\n{% if true %}{% set a = 1 %}{% endif %}   \nline {{ a }}",
    "\n\n  {% if true %}\n\n  text\n\n  {% endif %}\n\n",
    "{% if a %}\n{{ 1 +\n 2 }}\n{% endif %}\n\n{{ undefined_name.x }}",
]

# What Jinja makes of values that are false, of formats, and of loops that call themselves; one case per line.
MORE = r"""
{% for filter in ['map', 'select'] %}{{ filter }}{% endfor %}{{ none|map('upper')|list }}{{ none|map(attribute='a')|list }}
{{ 0|map('upper')|list }}{{ false|select|list }}{{ 0.0|select('odd')|list }}{{ none|reject('odd')|list }}
{{ none|selectattr('a')|list }}{{ false|rejectattr('a', 'equalto', 1)|list }}{{ 0|selectattr('a', 'x')|list }}
{{ undefined_name|map('upper')|list }}{{ ''|map('nofilter')|list }}{{ []|selectattr('a', 'notest')|list }}
{{ none|map|list }}{{ none|selectattr|list }}{{ none|select('notest')|list|length }}
{{ 1|map('upper')|list }}
{{ true|select|list }}
{{ 3.5|reject('odd')|list }}
{{ 5|selectattr('a')|list }}
{{ none|first }}
{{ none|join }}
{{ 0|length }}
{{ none|list }}
{{ false|sort }}
{{ none|items|list }}
{% for m in messages|selectattr('tool_calls')|list %}x{% endfor %}{{ messages|map(attribute='none')|select|list }}
{{ messages|map(attribute='tool_calls')|map('length')|list }}
{{ (messages|first).tool_calls|map(attribute='x')|list }}
[{{ '%02d' % 7 }}][{{ '%2d' % 7 }}][{{ '%-4d' % 7 }}][{{ '%+d' % 7 }}][{{ '% d' % 7 }}][{{ '%05d' % -7 }}][{{ '%i' % 2 }}]
[{{ '%.3d' % 5 }}][{{ '%6.3d' % 5 }}][{{ '%-06d' % 5 }}][{{ '%+05d' % 5 }}][{{ '%d' % true }}][{{ '%d' % 3.99 }}]
[{{ '%x' % 255 }}][{{ '%X' % 255 }}][{{ '%#x' % 255 }}][{{ '%#o' % 8 }}][{{ '%08x' % 255 }}][{{ '%#08x' % 255 }}][{{ '%x' % -255 }}]
[{{ '%f' % 1.5 }}][{{ '%.2f' % 3.14159 }}][{{ '%8.2f' % 3.14159 }}][{{ '%-8.2f' % 3.14159 }}][{{ '%08.2f' % -3.14159 }}][{{ '%.0f' % 2.5 }}]
[{{ '%e' % 12345.678 }}][{{ '%.2E' % 0.00012 }}][{{ '%g' % 0.0001 }}][{{ '%g' % 1e20 }}][{{ '%G' % 1e-10 }}][{{ '%#.3g' % 1 }}][{{ '%.0e' % 5 }}]
[{{ '%s' % 'ab' }}][{{ '%5s' % 'ab' }}][{{ '%-5s' % 'ab' }}][{{ '%.1s' % 'ab' }}][{{ '%05s' % 'ab' }}][{{ '%r' % 'a' }}][{{ '%a' % 'é' }}]
[{{ '%5.1s|%s' % ('größe', [1, 'a']) }}][{{ '%*d' % (5, 42) }}][{{ '%-*d' % (5, 42) }}][{{ '%.*f' % (1, 2.25) }}][{{ '%*d' % (-5, 42) }}]
[{{ '%c%c' % (65, 'b') }}][{{ '%3c' % 'x' }}][{{ '%c' % 8364 }}][{{ '%%' % () }}][{{ '100%%' }}][{{ '%d%%' % 5 }}][{{ '%ld' % 5 }}]
[{{ '%(a)s-%(b)03d' % {'a': 1, 'b': 2} }}][{{ '%(a)s' % {'a': [1]} }}][{{ 'none' % {'a': 1} }}][{{ 'none' % [] }}]
[{{ '%s and %s'|format('a', 'b') }}][{{ '%02d:%02d'|format(7, 5) }}][{{ '%(x)05.1f'|format(x=2.25) }}][{{ '%s'|format([1]) }}]
[{{ '%5s|%-5s|%05d'|format(none, true, 42) }}][{{ '%s' % none }}][{{ '%s' % ((1, 2),) }}][{{ '%d' % (3,) }}][{{ '%s' % undefined_name }}]
{{ '%d' % 'a' }}
{{ '%x' % 1.5 }}
{{ '%f' % 'a' }}
{{ '%s %s' % 'a' }}
{{ '%s' % ('a', 'b') }}
{{ 'a' % 'b' }}
{{ '%' % 1 }}
{{ '%5' % 1 }}
{{ '%q' % 1 }}
{{ '%c' % 'ab' }}
{{ '%c' % -1 }}
{{ '%(a)s' % 'x' }}
{{ '%(a)s' % {'b': 1} }}
{{ '%(a' % {'b': 1} }}
{{ '%*d' % ('a', 1) }}
{{ '%s'|format('a', x=1) }}
[{{ '{:02d}'.format(7) }}][{{ '{:>5}'.format('ab') }}][{{ '{:<5}'.format('ab') }}][{{ '{:^5}'.format('ab') }}][{{ '{:*^7}'.format('ab') }}]
[{{ '{:5}'.format(42) }}][{{ '{:<5}'.format(42) }}][{{ '{:+}'.format(42) }}][{{ '{:,}'.format(1234567) }}][{{ '{:_}'.format(1234567) }}]
[{{ '{:.2f}'.format(3.14159) }}][{{ '{:8.3f}'.format(3.14159) }}][{{ '{:08.3f}'.format(-3.14159) }}][{{ '{:e}'.format(12345.678) }}]
[{{ '{:x}'.format(255) }}][{{ '{:#x}'.format(255) }}][{{ '{:b}'.format(5) }}][{{ '{:#b}'.format(5) }}][{{ '{:o}'.format(8) }}][{{ '{:c}'.format(65) }}]
[{{ '{:%}'.format(0.25) }}][{{ '{:.1%}'.format(0.125) }}][{{ '{:g}'.format(1e20) }}][{{ '{:.3}'.format(3.14159) }}][{{ '{:.3}'.format('abcdef') }}]
[{{ '{0} {1} {0}'.format('a', 'b') }}][{{ '{a[x]} {b[1]}'.format(a={'x': 1}, b=[1, 2]) }}][{{ '{!r:>5}'.format('a') }}][{{ '{!s}'.format(1) }}]
[{{ '{:{}}'.format('a', 4) }}][{{ '{:{w}.{p}f}'.format(2.5, w=8, p=2) }}][{{ '{{}}{}'.format(1) }}][{{ '{:05}'.format('ab') }}][{{ '{:=+5}'.format(3) }}]
[{{ '{:5}|{:5}'.format(true, 'x') }}][{{ '{:.0f}'.format(0.5) }}][{{ '{}{}'.format(none, [1]) }}][{{ '{x}'.format_map({'x': 1}) }}][{{ '{:,.2f}'.format(1234.5) }}]
{{ '{} {0}'.format(1) }}
{{ '{0} {}'.format(1) }}
{{ '{:d}'.format('a') }}
{{ '{:d}'.format(1.5) }}
{{ '{:5}'.format(none) }}
{{ '{:5}'.format([]) }}
{{ '{!x}'.format(1) }}
{{ '{'.format(1) }}
{{ '{:=5}'.format('a') }}
{{ '{:.2}'.format(1) }}
{{ '{1}'.format(1) }}
{{ '{x}'.format(1) }}
{% for i in [{'n': 1, 'c': [{'n': 2, 'c': [{'n': 3}]}, {'n': 4}]}] recursive %}{{ loop.depth }}:{{ i.n }}[{{ loop(i.c) }}]{% endfor %}
{% for i in [[1, [2, 3]], [4]] recursive %}{% if i is iterable %}({{ loop(i) }}){% else %}{{ i }}{{ loop.depth0 }}{% if not loop.last %},{% endif %}{% endif %}{% endfor %}
{% for i in [1, [2, [3]]] if i recursive %}{% if i is number %}{{ i }}{% else %}<{{ loop(i) }}>{% endif %}{% else %}none{% endfor %}
{% for i in [[], [[]]] recursive %}{{ loop.index }}({{ loop(i) }}){% else %}empty{% endfor %}
{% set sep = '-' %}{% for i in [[1], [2]] recursive %}{% if i is number %}{{ sep }}{{ i }}{% else %}{% set sep = '+' %}{{ loop(i) }}{% endif %}{% endfor %}
{% for i in [[1, 2]] recursive %}{% set outer = loop %}{% if i is number %}{{ i }}{% else %}{% for j in i %}{{ outer([j]) }};{% endfor %}{% endif %}{% endfor %}
{% macro m(x) %}{% for i in x recursive %}{% if i is number %}{{ i }}{% else %}[{{ loop(i) }}]{% endif %}{% endfor %}{% endmacro %}{{ m([1, [2]]) }}
{% for i in {'a': {'b': {}}}.items() recursive %}{{ i[0] }}{{ loop(i[1].items()) }}{% endfor %}
{% for key, value in {'a': {'b': 1}, 'c': 2}.items() recursive %}{{ key }}={% if value is mapping %}{{ '{' ~ loop(value.items()) ~ '}' }}{% else %}{{ value }}{% endif %} {% endfor %}
{% for i in [1] %}{{ loop([2]) }}{% endfor %}
{% for i in [[1]] recursive %}{{ loop(none) }}{% endfor %}
{% for i in [[1]] recursive %}{{ loop(undefined_name) }}x{% endfor %}
{% for i in [1] recursive %}{{ loop() }}{% endfor %}
{% for i in [1, 1, 2, 2, 1] %}{% if loop.changed(i) %}{{ i }}{% endif %}{% endfor %}{% for i in [1] %}{{ loop is callable }}{% endfor %}
{{ [1, 2, 3, 4, 5, 6, 7]|slice(3)|list }} {{ [1, 2, 3, 4]|slice(3, 'x')|list }} {{ 'abc'|slice(2)|list }}
{{ 'a b/c?d=é&'|urlencode }} {{ {'a b': 'c d', 'e': 1}|urlencode }} {{ [('a', '/')]|urlencode }} {{ '~_.-'|urlencode }} {{ 5|urlencode }}
{{ 1|filesizeformat }} {{ 0|filesizeformat }} {{ 999|filesizeformat }} {{ 1000|filesizeformat }} {{ 1536|filesizeformat(true) }} {{ 5000000|filesizeformat }}
{{ 1e30|filesizeformat }} {{ 123456789|filesizeformat(binary=true) }} {{ '<a>'|forceescape }}
{{ '7'.zfill(3) }} {{ '-7'.zfill(4) }} {{ 'abc'.zfill(2) }} {{ 'a\tb\n\tc'.expandtabs(4) }}| {{ 'aXbX'.rindex('X') }} {{ 'aßC'.swapcase() }} {{ 'Straße'.casefold() }}
{{ 'abc'.rindex('x') }}
{{ 'a.b.c'.partition('.') }} {{ 'a.b.c'.rpartition('.') }} {{ 'abc'.partition('.') }} {{ 'abc'.rpartition('.') }}
""".strip("\n").split("\n")


def write_cases(env, folder):
    """Writes folder/expected.json: what each template of the folder gives for each conversation and setting."""
    expected = {}
    for path in sorted(folder.glob("*.jinja")):
        source = path.read_bytes().decode()
        expected[path.name] = {f"{conversation}/{'prompt' if prompt else 'closed'}": run(env, source, conversation, prompt)
                               for conversation in CONVERSATIONS for prompt in (True, False)}
        expected[path.name] |= {f"{conversation}/prompt/{setting}": run(env, before + source, conversation, True, tools)
                                for setting, (word, conversations, before, tools) in SETTINGS.items() if word in source for conversation in conversations}
    fixture = {"conversations": {key: [{"role": role, "content": content} for role, content in turns] for key, turns in CONVERSATIONS.items()},
               "settings": {name: {"before": before, "tools_json": json.dumps(tools) if tools else ""} for name, (_, _, before, tools) in SETTINGS.items()},
               "bos_token": "<s>", "eos_token": "</s>", "now": NOW.strftime("%Y-%m-%d %H:%M:%S"), "expected": expected}
    (folder / "expected.json").write_text(json.dumps(fixture, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, help="of templates that others publish; without it our own, and expressions")
    args = parser.parse_args()
    env = environment()
    write_cases(env, args.folder or ROOT / "templates")
    if args.folder:
        return
    cases = [{"source": source, **run(env, source, "thoughts", True)} for source in EXPRESSIONS + BLOCKS + MORE]
    (ROOT / "expressions.json").write_text(json.dumps(cases, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
