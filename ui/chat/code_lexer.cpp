#include "ui/chat/code_lexer.h"

#include <QStringList>

namespace headroom::ui {

// `names` and the word lists are separated by spaces. Words in `types` are those that a reader takes for types or
// constants.
struct CodeLanguage {
  const char* names;
  const char* lineComment;
  const char* blockOpen;
  const char* blockClose;
  const char* quotes;      // characters that open and close a string within a line
  const char* longQuotes;  // strings that open and close one over lines: `"""`
  const char* keywords;
  const char* types;
  bool caseless = false;
  bool isDiff = false;
};

namespace {

constexpr CodeLanguage kLanguages[] = {
    {"c c++ cpp cc cxx h hpp cuda cu", "//", "/*", "*/", "\"'", "",
     "alignas auto break case catch class concept const consteval constexpr constinit continue co_await co_return "
     "co_yield decltype default delete "
     "do "
     "else enum explicit export extern final for friend goto if inline mutable namespace new noexcept operator "
     "override private protected public "
     "requires return sizeof static static_assert static_cast struct switch template this throw try typedef typename "
     "union using virtual volatile "
     "while #include #define #ifdef #ifndef #endif #if #else #pragma",
     "bool char char8_t char16_t char32_t double float int int8_t int16_t int32_t int64_t long short signed size_t std "
     "string string_view uint8_t "
     "uint16_t uint32_t uint64_t unsigned vector void true false nullptr NULL"},
    {"python py python3", "#", "", "", "\"'", "\"\"\" '''",
     "and as assert async await break class continue def del elif else except finally for from global if import in is "
     "lambda match nonlocal not or "
     "pass raise return try while with yield case",
     "True False None int float str bytes bool list dict set tuple self print len range open"},
    {"javascript js jsx typescript ts tsx", "//", "/*", "*/", "\"'", "`",
     "abstract as async await break case catch class const continue debugger default delete do else enum export "
     "extends finally for from function "
     "get "
     "if implements import in instanceof interface let new of private protected public readonly return set static "
     "super switch this throw try type "
     "typeof var void while with yield",
     "any boolean number string unknown never true false null undefined NaN Array Map Object Promise Set console"},
    {"rust rs", "//", "/*", "*/", "\"", "",
     "as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move mut pub "
     "ref return self static struct "
     "super trait type unsafe use where while",
     "bool char f32 f64 i8 i16 i32 i64 isize str u8 u16 u32 u64 usize String Vec Option Result Some None Ok Err Box "
     "Self true false"},
    {"go golang", "//", "/*", "*/", "\"'", "`",
     "break case chan const continue default defer else fallthrough for func go goto if import interface map package "
     "range return select struct "
     "switch "
     "type var",
     "bool byte error float32 float64 int int32 int64 rune string uint uint8 uint32 uint64 true false nil make len "
     "append"},
    {"java kotlin kt scala", "//", "/*", "*/", "\"'", "\"\"\"",
     "abstract assert break case catch class companion const continue data default do else enum extends final finally "
     "for fun if implements import "
     "in "
     "instanceof interface is native new object override package private protected public return sealed static super "
     "switch synchronized this throw "
     "throws try val var void volatile when while",
     "boolean byte char double float int long short Int Long String Boolean List Map true false null"},
    {"csharp cs c#", "//", "/*", "*/", "\"'", "",
     "abstract as async await base break case catch class const continue default delegate do else enum event explicit "
     "extern finally fixed for "
     "foreach "
     "get if in interface internal is lock namespace new operator out override params private protected public "
     "readonly record ref return sealed set "
     "static struct switch this throw try using var virtual void while yield",
     "bool byte char decimal double float int long object short string uint ulong true false null"},
    {"bash sh shell zsh console shell-session", "#", "", "", "\"'", "",
     "case do done elif else esac export fi for function if in local return then until while",
     "apt cat cd chmod cmake cp curl docker echo exit find git grep ls make mkdir mv pip python rm sed set source sudo "
     "tar wget"},
    {"json jsonc json5", "//", "/*", "*/", "\"", "", "", "true false null"},
    {"yaml yml toml ini cfg conf properties", "#", "", "", "\"'", "", "", "true false null yes no on off"},
    {"cmake make makefile dockerfile", "#", "", "", "\"", "",
     "add_executable add_library add_subdirectory add_test cmake_minimum_required else endforeach endfunction endif "
     "find_package foreach function if "
     "include install option project set target_compile_options target_include_directories target_link_libraries "
     "target_sources ADD CMD COPY "
     "ENTRYPOINT "
     "ENV FROM RUN WORKDIR",
     "PUBLIC PRIVATE INTERFACE REQUIRED ON OFF TRUE FALSE"},
    {"sql sqlite postgresql mysql", "--", "/*", "*/", "'\"", "",
     "add alter and as asc begin between by case commit create cross delete desc distinct drop else end exists from "
     "full group having if in index "
     "inner "
     "insert into is join key left like limit not on or order outer pragma primary references replace right rollback "
     "select set table then union "
     "unique "
     "update values view when where with",
     "blob boolean char date integer int null numeric real text timestamp varchar true false", true},
    {"html xml svg xhtml", "", "<!--", "-->", "\"'", "",
     "a body button div footer form h1 h2 h3 head header html img input label li link main meta nav ol option p script "
     "section select span style svg "
     "table tbody td th thead title tr ul",
     "", true},
    {"css scss less", "", "/*", "*/", "\"'", "",
     "@media @import @keyframes background border color display flex font grid height margin padding position "
     "transform transition width",
     "none auto"},
    {"lua", "--", "--[[", "]]", "\"'", "",
     "and break do else elseif end for function goto if in local not or repeat return then until while",
     "true false nil self"},
    {"ruby rb", "#", "", "", "\"'", "",
     "begin break case class def do else elsif end ensure for if in module next not or redo rescue require return self "
     "super then unless until when "
     "while yield",
     "true false nil puts"},
    {"php", "//", "/*", "*/", "\"'", "",
     "abstract and as break case catch class const continue default do echo else elseif extends final fn for foreach "
     "function if implements include "
     "interface match namespace new or private protected public require return static switch throw trait try use while",
     "array bool float int string true false null"},
    {"swift", "//", "/*", "*/", "\"", "\"\"\"",
     "as async await break case catch class continue default defer do else enum extension for func guard if import in "
     "init inout is let override "
     "private "
     "protocol public return self static struct switch throw throws try typealias var where while",
     "Any Array Bool Character Dictionary Double Float Int Optional String true false nil"},
    {"diff patch", "", "", "", "", "", "", "", false, true},
};
constexpr int kInBlockComment = 1;  // longer states: kInLongQuote + the index of the quote
constexpr int kInLongQuote = 2;

bool isWordStart(QChar c) { return c.isLetter() || c == u'_' || c == u'#' || c == u'@'; }
bool isWordPart(QChar c) { return c.isLetterOrNumber() || c == u'_'; }

bool hasWord(const char* list, const QString& word, bool caseless) {
  const QByteArray wanted = (caseless ? word.toLower() : word).toLatin1();
  if (wanted.isEmpty()) return false;
  const QByteArrayView words(list);
  for (qsizetype at = words.indexOf(wanted); at >= 0; at = words.indexOf(wanted, at + 1)) {
    const qsizetype end = at + wanted.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

// One line of one language.
class LineLexer {
 public:
  using Paint = std::function<void(qsizetype, qsizetype, CodeToken)>;
  LineLexer(const CodeLanguage& language, const QString& line, const Paint& paint)
      : m_language(language), m_line(line), m_paint(paint) {
    m_longQuotes = QString::fromLatin1(language.longQuotes).split(u' ', Qt::SkipEmptyParts);
  }

  int run(int state) {
    if (state == kInBlockComment && !closeBlock(0)) return state;
    if (state >= kInLongQuote && !closeLongQuote(state - kInLongQuote, 0, 0)) return state;
    while (m_at < m_line.size()) {
      const int open = step();
      if (open != 0) return open;
    }
    return 0;
  }

 private:
  bool startsWith(const char* text) const {
    return *text != '\0' && QStringView(m_line).mid(m_at).startsWith(QLatin1StringView(text));
  }

  int step() {
    const QChar c = m_line[m_at];
    if (startsWith(m_language.blockOpen)) {
      const qsizetype start = m_at;
      m_at += QLatin1StringView(m_language.blockOpen).size();
      return closeBlock(start) ? 0 : kInBlockComment;
    }
    const bool hashInWord = *m_language.lineComment == '#' && m_at > 0 && !m_line[m_at - 1].isSpace();
    if (startsWith(m_language.lineComment) && !hashInWord) {
      m_paint(m_at, m_line.size() - m_at, CodeToken::Comment);
      m_at = m_line.size();
      return 0;
    }
    for (int i = 0; i < m_longQuotes.size(); ++i) {
      if (!QStringView(m_line).mid(m_at).startsWith(m_longQuotes[i])) continue;
      const qsizetype start = m_at;
      return closeLongQuote(i, start, start + m_longQuotes[i].size()) ? 0 : kInLongQuote + i;
    }
    if (QLatin1StringView(m_language.quotes).contains(c)) {
      takeString(c);
    } else if (c.isDigit()) {
      takeNumber();
    } else if (isWordStart(c)) {
      takeWord();
    } else {
      ++m_at;
    }
    return 0;
  }

  bool closeBlock(qsizetype start) {
    const QLatin1StringView close(m_language.blockClose);
    const qsizetype end = m_line.indexOf(close, m_at);
    m_at = end < 0 ? m_line.size() : end + close.size();
    m_paint(start, m_at - start, CodeToken::Comment);
    return end >= 0;
  }

  bool closeLongQuote(int quote, qsizetype start, qsizetype from) {
    const qsizetype end = m_line.indexOf(m_longQuotes[quote], from);
    m_at = end < 0 ? m_line.size() : end + m_longQuotes[quote].size();
    m_paint(start, m_at - start, CodeToken::String);
    return end >= 0;
  }

  void takeString(QChar quote) {
    const qsizetype start = m_at++;
    while (m_at < m_line.size() && m_line[m_at] != quote) m_at += m_line[m_at] == u'\\' ? 2 : 1;
    m_at = std::min(m_at + 1, m_line.size());
    m_paint(start, m_at - start, CodeToken::String);
  }

  void takeNumber() {
    const qsizetype start = m_at;
    while (m_at < m_line.size() && (isWordPart(m_line[m_at]) || m_line[m_at] == u'.' || m_line[m_at] == u'\'')) ++m_at;
    m_paint(start, m_at - start, CodeToken::Number);
  }

  void takeWord() {
    const qsizetype start = m_at++;
    while (m_at < m_line.size() && isWordPart(m_line[m_at])) ++m_at;
    const QString word = m_line.mid(start, m_at - start);
    if (hasWord(m_language.keywords, word, m_language.caseless)) {
      m_paint(start, m_at - start, CodeToken::Keyword);
    } else if (hasWord(m_language.types, word, m_language.caseless)) {
      m_paint(start, m_at - start, CodeToken::Type);
    }
  }

  const CodeLanguage& m_language;
  const QString& m_line;
  const Paint& m_paint;
  QStringList m_longQuotes;
  qsizetype m_at = 0;
};

}  // namespace

const CodeLanguage* findCodeLanguage(const QString& name) {
  for (const CodeLanguage& language : kLanguages) {
    if (hasWord(language.names, name, true)) return &language;
  }
  return nullptr;
}

int lexCodeLine(const CodeLanguage& language, const QString& line, int state,
                const std::function<void(qsizetype, qsizetype, CodeToken)>& paint) {
  if (!language.isDiff) return LineLexer(language, line, paint).run(state);
  if (line.startsWith(u'+')) paint(0, line.size(), CodeToken::Added);
  if (line.startsWith(u'-')) paint(0, line.size(), CodeToken::Removed);
  if (line.startsWith(QLatin1StringView("@@"))) paint(0, line.size(), CodeToken::Keyword);
  return 0;
}

}  // namespace headroom::ui
