#include "base/heap.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#include <cstddef>

// Of the sanitizers' run time, whose header GCC does not install.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#elif defined(__GLIBC__)
#include <malloc.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#endif

namespace headroom {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

// Sanitizers have an allocator of their own.
Bytes heap_bytes_in_use() { return __sanitizer_get_current_allocated_bytes(); }
OwnMemory read_own_memory() { return {heap_bytes_in_use(), 0}; }
void return_free_heap() {}

#elif defined(__GLIBC__)

namespace {

// The number of a total in malloc_info's report, which ends with those of all arenas together:
// <total type="rest" count="7" size="8192"/>.
Bytes last_size_of(std::string_view report, std::string_view line) {
  const std::size_t at = report.rfind(line);
  if (at == std::string_view::npos) return 0;
  constexpr std::string_view kSize = "size=\"";
  const std::size_t size = report.find(kSize, at);
  if (size == std::string_view::npos) return 0;
  Bytes bytes = 0;
  const char* first = report.data() + size + kSize.size();
  std::from_chars(first, report.data() + report.size(), bytes);
  return bytes;
}

// What the allocator holds; mallinfo2() knows the main arena alone, and every further thread has one of its own.
struct HeapState {
  Bytes in_use = 0, writable = 0;
};
HeapState read_heap() {
  char* text = nullptr;
  std::size_t n_chars = 0;
  std::FILE* stream = open_memstream(&text, &n_chars);
  if (stream == nullptr) return {};
  const bool told = malloc_info(0, stream) == 0;
  std::fclose(stream);
  const std::unique_ptr<char, void (*)(void*)> owner(text, std::free);
  if (!told || text == nullptr) return {};
  const std::string_view report(text, n_chars);
  const Bytes large = last_size_of(report, "<total type=\"mmap\"");
  const Bytes taken = last_size_of(report, "<system type=\"current\"") + large;
  const Bytes unused = last_size_of(report, "<total type=\"fast\"") + last_size_of(report, "<total type=\"rest\"");
  return {taken > unused ? taken - unused : 0, last_size_of(report, "<aspace type=\"mprotect\"") + large};
}

}  // namespace

Bytes heap_bytes_in_use() { return read_heap().in_use; }

// The system counts private memory that can be written, the allocator's too.
OwnMemory read_own_memory() {
  Bytes private_bytes = 0;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmData:")) private_bytes = std::strtoull(line.c_str() + 7, nullptr, 10) * kKiB;
  }
  const HeapState heap = read_heap();
  return {heap.in_use, private_bytes > heap.writable ? private_bytes - heap.writable : 0};
}

void return_free_heap() { malloc_trim(0); }

#else

Bytes heap_bytes_in_use() { return 0; }
OwnMemory read_own_memory() { return {}; }
void return_free_heap() {}

#endif

}  // namespace headroom
