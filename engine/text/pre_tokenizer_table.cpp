// Which pre-tokenizer names exist and what their patterns are. The patterns are those of the models' own tokenizer.json
// files; code points beyond ASCII are escaped. White space is written \p{White_Space}, because PCRE2's \s counts U+180E
// as well and the models' tokenizers do not.
#include <array>

#include "text/pre_tokenizer.h"

namespace headroom {

namespace {

using Name = std::string_view;
using Pattern = std::string_view;

#define SPACE R"(\p{White_Space})"
#define CONTRACTIONS "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define ENGLISH_ENDINGS "'s|'t|'re|'ve|'m|'ll|'d"
#define SPACE_RUNS SPACE "+(?![^" SPACE "])|" SPACE "+"
#define LINES_AND_SPACES SPACE R"(*[\r\n]+|)" SPACE_RUNS
#define UPPER R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])"
#define LOWER R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])"
#define BEFORE_WORD R"([^\r\n\p{L}\p{N}]?)"
#define MARKS "[^" SPACE R"(\p{L}\p{N}]+)"
#define GPT2_WORDS ENGLISH_ENDINGS R"(| ?\p{L}+| ?\p{N}+| ?)" MARKS "|" SPACE_RUNS

constexpr Pattern kGpt2 = GPT2_WORDS;
constexpr Pattern kLlama3 = CONTRACTIONS "|" BEFORE_WORD R"(\p{L}+|\p{N}{1,3}| ?)" MARKS R"([\r\n]*|)" LINES_AND_SPACES;
constexpr Pattern kQwen2 = CONTRACTIONS "|" BEFORE_WORD R"(\p{L}+|\p{N}| ?)" MARKS R"([\r\n]*|)" LINES_AND_SPACES;
constexpr Pattern kTekken =
    BEFORE_WORD UPPER "*" LOWER "+|" BEFORE_WORD UPPER "+" LOWER R"(*|\p{N}| ?)" MARKS R"([\r\n/]*|)" LINES_AND_SPACES;
constexpr Pattern kGpt4o =
    BEFORE_WORD UPPER "*" LOWER "+" CONTRACTIONS "?|" BEFORE_WORD UPPER "+" LOWER "*" CONTRACTIONS
                      R"(?|\p{N}{1,3}| ?)" MARKS R"([\r\n/]*|)" LINES_AND_SPACES;
constexpr Pattern kDigit = R"(\p{N})";
constexpr Pattern kDigits = R"(\p{N}+)";
constexpr Pattern kUpTo3Digits = R"(\p{N}{1,3})";
constexpr Pattern k3AsciiDigits = "[0-9][0-9][0-9]";
constexpr Pattern kLineEnd = R"([\r\n])";

// Letters that have a case, as of the Unicode version that the model's authors used.
constexpr Pattern kDeepseekLetters = SPACE
    "?"
    R"([A-Za-z\x{B5}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{1BA}\x{1BC}-\x{1BF}\x{1C4}-\x{293}\x{295}-\x{2AF}\x{370}-\x{373}\x{376})"
    R"(\x{377}\x{37B}-\x{37D}\x{37F}\x{386}\x{388}-\x{38A}\x{38C}\x{38E}-\x{3A1}\x{3A3}-\x{3F5}\x{3F7}-\x{481}\x{48A}-\x{52F})"
    R"(\x{531}-\x{556}\x{10A0}-\x{10C5}\x{13A0}-\x{13F5}\x{13F8}-\x{13FD}\x{1C90}-\x{1CBA}\x{1CBD}-\x{1CBF}\x{1D00}-\x{1D2B})"
    R"(\x{1D6B}-\x{1D77}\x{1D79}-\x{1D9A}\x{1E00}-\x{1F15}\x{1F18}-\x{1F1D}\x{1F20}-\x{1F45}\x{1F48}-\x{1F4D}\x{1F50}-\x{1F57})"
    R"(\x{1F59}\x{1F5B}\x{1F5D}\x{1F5F}-\x{1F7D}\x{1F80}-\x{1FB4}\x{1FB6}-\x{1FBC}\x{1FBE}\x{1FC2}-\x{1FC4}\x{1FC6}-\x{1FCC})"
    R"(\x{1FD0}-\x{1FD3}\x{1FD6}-\x{1FDB}\x{1FE0}-\x{1FEC}\x{1FF2}-\x{1FF4}\x{1FF6}-\x{1FFC}\x{2102}\x{2107}\x{210A}-\x{2113})"
    R"(\x{2115}\x{2119}-\x{211D}\x{2124}\x{2126}\x{2128}\x{212A}-\x{212D}\x{212F}-\x{2134}\x{2139}\x{213C}-\x{213F})"
    R"(\x{2145}-\x{2149}\x{214E}\x{2183}\x{2184}\x{2C00}-\x{2C7B}\x{2C7E}-\x{2CE4}\x{2CEB}-\x{2CEE}\x{2CF2}\x{2CF3})"
    R"(\x{A640}-\x{A66D}\x{A680}-\x{A69B}\x{A722}-\x{A76F}\x{A771}-\x{A787}\x{A78B}-\x{A78E}\x{AB70}-\x{ABBF}\x{FB00}-\x{FB06})"
    R"(\x{FB13}-\x{FB17}\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A}\x{10400}-\x{1044F}\x{104B0}-\x{104D3}\x{104D8}-\x{104FB})"
    R"(\x{10C80}-\x{10CB2}\x{10CC0}-\x{10CF2}\x{118A0}-\x{118DF}\x{1E900}-\x{1E943}]+)";
constexpr Pattern kDeepseekMarks =
    SPACE R"(?[!-/:-~\x{FF01}-\x{FF0F}\x{FF1A}-\x{FF5E}\x{2018}-\x{201F}\x{3000}-\x{3002}]+)";
// The models' files say \s+$ ; anchored at the start of its run it finds the same and stays linear in long runs of
// spaces.
constexpr Pattern kTrailingSpace = "(?<!" SPACE ")" SPACE R"(++\z)";
constexpr Pattern kDeepseekCjk = R"([\x{4E00}-\x{9FA5}\x{800}-\x{4E00}\x{AC00}-\x{D7FF}]+)";
constexpr Pattern kDeepseek3Cjk = R"([\x{4E00}-\x{9FA5}\x{3040}-\x{309F}\x{30A0}-\x{30FF}]+)";
constexpr Pattern kDeepseek3Words =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|)" LINES_AND_SPACES;
constexpr Pattern kCoderLetters = SPACE R"(?\p{L}+)";
constexpr Pattern kCoderMarks = SPACE R"(?\p{P}+)";
constexpr Pattern kFalconMarks = R"([\p{P}$+<=>^~|`]+)";
constexpr Pattern kDefaultMarks = R"([\p{P}$+<=>^~|]+)";
constexpr Pattern kBloomWords = " ?[^(" SPACE R"(|.,!?\x{2026}\x{3002}\x{FF0C}\x{3001}\x{964}\x{6D4}\x{60C})]+)";
constexpr Pattern kQwen35 =
    CONTRACTIONS "|" BEFORE_WORD R"([\p{L}\p{M}]+|\p{N}| ?[^)" SPACE R"(\p{L}\p{M}\p{N}]+[\r\n]*|)" LINES_AND_SPACES;
constexpr Pattern kSeedCoder =
    CONTRACTIONS "|" BEFORE_WORD R"(\p{L}+|\p{N}| ?[^)" SPACE R"(\p{L}\p{N}\r\n]+|)" LINES_AND_SPACES;

#undef SPACE
#undef CONTRACTIONS
#undef ENGLISH_ENDINGS
#undef SPACE_RUNS
#undef LINES_AND_SPACES
#undef UPPER
#undef LOWER
#undef BEFORE_WORD
#undef MARKS
#undef GPT2_WORDS

constexpr std::array kDefaultNames = {Name("default")};
constexpr std::array kLlama3Names = {Name("llama-bpe"), Name("llama3"),  Name("llama-v3"), Name("falcon3"),
                                     Name("falcon-h1"), Name("pixtral"), Name("lfm2"),     Name("midm-2.0")};
constexpr std::array kLlama3MergedNames = {Name("smaug-bpe"), Name("dbrx"), Name("chatglm-bpe"), Name("glm4")};
constexpr std::array kQwen2Names = {Name("qwen2"),  Name("deepseek-r1-qwen"), Name("stablelm2"),
                                    Name("megrez"), Name("hunyuan"),          Name("grok-2"),
                                    Name("kormo"),  Name("f2llmv2"),          Name("solar-open")};
constexpr std::array kQwen35Names = {Name("qwen35")};
constexpr std::array kGpt2Names = {Name("gpt-2"),    Name("gpt2"),    Name("phi-2"),    Name("mpt"),
                                   Name("olmo"),     Name("jais"),    Name("trillion"), Name("exaone4"),
                                   Name("gigachat"), Name("a.x-4.0"), Name("mellum")};
constexpr std::array kDigitNames = {Name("starcoder"), Name("refact"), Name("command-r"),  Name("smollm"),
                                    Name("codeshell"), Name("exaone"), Name("minerva-7b"), Name("mellum2")};
constexpr std::array kDeepseekNames = {Name("deepseek-llm")};
constexpr std::array kCoderNames = {Name("deepseek-coder")};
constexpr std::array kDeepseek3Names = {Name("deepseek-v3"), Name("hunyuan-dense")};
constexpr std::array kFalconNames = {Name("falcon")};
constexpr std::array kTekkenNames = {Name("tekken")};
constexpr std::array kGpt4oNames = {Name("gpt-4o"), Name("llama4"), Name("minimax-m2"), Name("kanana2")};
constexpr std::array kBloomNames = {Name("bloom"), Name("poro-chat"), Name("gpt3-finnish")};
constexpr std::array kVikingNames = {Name("viking")};
constexpr std::array kSeedCoderNames = {Name("seed-coder")};

constexpr std::array kDefaultPatterns = {kDefaultMarks, kGpt2, kDigits, k3AsciiDigits};
constexpr std::array kLlama3Patterns = {kLlama3};
constexpr std::array kQwen2Patterns = {kQwen2};
constexpr std::array kQwen35Patterns = {kQwen35};
constexpr std::array kGpt2Patterns = {kGpt2};
constexpr std::array kDigitPatterns = {kDigit, kGpt2};
constexpr std::array kDeepseekPatterns = {kLineEnd,       kDeepseekLetters, kDeepseekMarks,
                                          kTrailingSpace, kDeepseekCjk,     kDigits};
constexpr std::array kCoderPatterns = {kLineEnd, kCoderLetters, kCoderMarks, kDeepseekCjk, kDigit};
constexpr std::array kDeepseek3Patterns = {kUpTo3Digits, kDeepseek3Cjk, kDeepseek3Words};
constexpr std::array kFalconPatterns = {kFalconMarks, kGpt2, k3AsciiDigits};
constexpr std::array kTekkenPatterns = {kTekken};
constexpr std::array kGpt4oPatterns = {kGpt4o};
constexpr std::array kBloomPatterns = {kBloomWords};
constexpr std::array kVikingPatterns = {kBloomWords, kDigit};
constexpr std::array kSeedCoderPatterns = {kSeedCoder};

constexpr std::array kRows = {
    PreTokenizerRow{kDefaultNames, kDefaultPatterns},     PreTokenizerRow{kLlama3Names, kLlama3Patterns, true, true},
    PreTokenizerRow{kLlama3MergedNames, kLlama3Patterns}, PreTokenizerRow{kQwen2Names, kQwen2Patterns},
    PreTokenizerRow{kQwen35Names, kQwen35Patterns},       PreTokenizerRow{kGpt2Names, kGpt2Patterns},
    PreTokenizerRow{kDigitNames, kDigitPatterns},         PreTokenizerRow{kDeepseekNames, kDeepseekPatterns},
    PreTokenizerRow{kCoderNames, kCoderPatterns},         PreTokenizerRow{kDeepseek3Names, kDeepseek3Patterns},
    PreTokenizerRow{kFalconNames, kFalconPatterns},       PreTokenizerRow{kTekkenNames, kTekkenPatterns, true, true},
    PreTokenizerRow{kGpt4oNames, kGpt4oPatterns},         PreTokenizerRow{kBloomNames, kBloomPatterns},
    PreTokenizerRow{kVikingNames, kVikingPatterns},       PreTokenizerRow{kSeedCoderNames, kSeedCoderPatterns},
};

}  // namespace

std::span<const PreTokenizerRow> pre_tokenizer_rows() { return kRows; }

const PreTokenizerRow* find_pre_tokenizer_row(std::string_view name) {
  for (const PreTokenizerRow& row : kRows)
    for (const std::string_view row_name : row.names)
      if (row_name == name) return &row;
  return nullptr;
}

}  // namespace headroom
