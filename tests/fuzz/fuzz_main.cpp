// Drives LLVMFuzzerTestOneInput with mutations of a corpus, for compilers without libFuzzer. Built with the address and
// undefined sanitizers.
//
//   x_fuzz CORPUS_FOLDER SECONDS [SEED]   mutate until the time is up
//   x_fuzz FILE                           run one input, to look at a finding
//
// Each input stands in "x_fuzz.last_input" in the current folder before it runs, so that whatever ends the process
// leaves it behind.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t n_bytes);

// No reader may ask for more than this at once, whatever the input claims.
extern "C" const char* __asan_default_options() { return "max_allocation_size_mb=256:detect_leaks=1"; }

namespace {

namespace fs = std::filesystem;
using Input = std::vector<std::uint8_t>;

constexpr std::size_t kMaxInputBytes = 1 << 20;
constexpr unsigned kMaxRunSeconds = 20;  // a longer run is a finding: the alarm ends the process

Input read_input(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Input> read_corpus(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());  // the same seed gives the same run everywhere
  std::vector<Input> corpus;
  for (const fs::path& path : paths) {
    corpus.push_back(read_input(path));
    corpus.back().resize(std::min(corpus.back().size(), kMaxInputBytes));
  }
  return corpus;
}

class Mutator {
 public:
  Mutator(const std::vector<Input>& corpus, std::uint64_t seed) : corpus_(corpus), random_(seed) {}

  Input next() {
    Input input = any_of_corpus();
    const std::size_t n_mutations = 1 + below(below(4) == 0 ? 16 : 3);
    for (std::size_t i = 0; i < n_mutations; ++i) mutate(input);
    if (input.size() > kMaxInputBytes) input.resize(kMaxInputBytes);
    return input;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random_() % n); }

  // Half of the positions lie in the first bytes, where headers are.
  std::size_t position(const Input& input) {
    return below(below(2) == 0 ? std::min<std::size_t>(input.size(), 1024) : input.size());
  }

  const Input& any_of_corpus() { return corpus_[below(corpus_.size())]; }

  void mutate(Input& input) {
    if (input.empty()) input.push_back(0);
    const std::size_t at = position(input);
    const auto begin = input.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t n = 1 + below(std::min<std::size_t>(input.size() - at, below(2) == 0 ? 8 : 256));
    const auto end = begin + static_cast<std::ptrdiff_t>(n);
    switch (below(9)) {
      case 0: input[at] ^= static_cast<std::uint8_t>(1U << below(8)); break;
      case 1: input[at] = static_cast<std::uint8_t>(random_()); break;
      case 2: set_integer(input, at); break;
      case 3: nudge_integer(input, at); break;
      case 4: input.erase(begin, end); break;
      case 5: {
        const Input chunk(begin, end);
        input.insert(input.begin() + static_cast<std::ptrdiff_t>(position(input)), chunk.begin(), chunk.end());
        break;
      }
      case 6: {
        const Input chunk(begin, end);
        const std::size_t to = position(input);
        std::copy_n(chunk.begin(), std::min(chunk.size(), input.size() - to),
                    input.begin() + static_cast<std::ptrdiff_t>(to));
        break;
      }
      case 7: input.resize(at); break;
      case 8: splice(input, at); break;
    }
  }

  // An extreme of 8, 16, 32 or 64 bits.
  void set_integer(Input& input, std::size_t at) {
    constexpr std::array<std::uint64_t, 14> kExtremes{0,          1,          2,          0x7F,     0xFF,
                                                      0x7FFF,     0xFFFF,     0x7FFFFFFF, 1U << 31, 0xFFFFFFFF,
                                                      1ULL << 32, ~0ULL >> 1, 1ULL << 63, ~0ULL};
    write_integer(input, at, std::size_t{1} << below(4), kExtremes[below(kExtremes.size())]);
  }

  void nudge_integer(Input& input, std::size_t at) {
    const std::size_t n_bytes = std::min(std::size_t{1} << below(4), input.size() - at);
    std::uint64_t value = 0;
    std::memcpy(&value, input.data() + at, n_bytes);
    write_integer(input, at, n_bytes, value + below(65) - 32);
  }

  static void write_integer(Input& input, std::size_t at, std::size_t n_bytes, std::uint64_t value) {
    std::memcpy(input.data() + at, &value, std::min(n_bytes, input.size() - at));
  }

  // The rest comes from another file, from about the same place or any.
  void splice(Input& input, std::size_t at) {
    const Input& other = any_of_corpus();
    const std::size_t from = below(2) == 0 ? std::min(at, other.size()) : below(other.size());
    input.resize(at);
    input.insert(input.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
  }

  const std::vector<Input>& corpus_;
  std::mt19937_64 random_;
};

// Keeps the input that runs in a file.
class LastInput {
 public:
  explicit LastInput(std::string path)
      : path_(std::move(path)), descriptor_(open(path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0644)) {}
  ~LastInput() {
    if (descriptor_ < 0) return;
    close(descriptor_);
    unlink(path_.c_str());  // reached only when nothing was found
  }
  LastInput(const LastInput&) = delete;
  LastInput& operator=(const LastInput&) = delete;

  bool keep(const Input& input) const {
    return ftruncate(descriptor_, static_cast<off_t>(input.size())) == 0 &&
           pwrite(descriptor_, input.data(), input.size(), 0) == static_cast<ssize_t>(input.size());
  }

 private:
  const std::string path_;
  const int descriptor_;
};

template <class Number>
bool parse(const char* text, Number& value) {
  const char* end = text + std::strlen(text);
  const auto [rest, status] = std::from_chars(text, end, value);
  return status == std::errc{} && rest == end;
}

int run_corpus(const std::string& program, const fs::path& folder, unsigned n_seconds, std::uint64_t seed) {
  const std::vector<Input> corpus = read_corpus(folder);
  if (corpus.empty()) {
    std::fprintf(stderr, "%s: the corpus %s is empty\n", program.c_str(), folder.c_str());
    return 2;
  }
  std::printf("%s: %zu corpus files, %u s, seed %llu\n", program.c_str(), corpus.size(), n_seconds,
              static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  const LastInput last_input(program + ".last_input");
  Mutator mutator(corpus, seed);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(n_seconds);
  std::uint64_t n_runs = 0;
  while (n_runs < corpus.size() || std::chrono::steady_clock::now() < until) {
    const Input input = n_runs < corpus.size() ? corpus[n_runs] : mutator.next();
    if (!last_input.keep(input)) {
      std::fprintf(stderr, "%s: the input cannot be kept in a file\n", program.c_str());
      return 2;
    }
    alarm(kMaxRunSeconds);
    LLVMFuzzerTestOneInput(input.data(), input.size());
    ++n_runs;
  }
  alarm(0);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%s: %llu runs, nothing found, peak memory %ld MiB\n", program.c_str(),
              static_cast<unsigned long long>(n_runs), usage.ru_maxrss / 1024);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string program = fs::path(argv[0]).filename();
  if (argc == 2 && fs::is_regular_file(argv[1])) {
    const Input input = read_input(argv[1]);
    LLVMFuzzerTestOneInput(input.data(), input.size());
    return 0;
  }
  unsigned n_seconds = 0;
  std::uint64_t seed = 1;
  const bool is_sound = (argc == 3 || argc == 4) && fs::is_directory(argv[1]) && parse(argv[2], n_seconds) &&
                        (argc == 3 || parse(argv[3], seed));
  if (!is_sound) {
    std::fprintf(stderr, "usage: %s CORPUS_FOLDER SECONDS [SEED] | %s FILE\n", program.c_str(), program.c_str());
    return 2;
  }
  return run_corpus(program, argv[1], n_seconds, seed);
}
