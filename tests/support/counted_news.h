// Counts every allocation of a test binary in n_news. Included by one source of the binary: it replaces operator new.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::uint64_t> n_news = 0;

}  // namespace

// Every allocation of this binary is counted. GCC takes the pair for a mismatch because it sees through both.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t n_bytes) {
  ++n_news;
  if (void* made = std::malloc(n_bytes)) return made;
  std::abort();
}
void* operator new(std::size_t n_bytes, const std::nothrow_t&) noexcept {
  ++n_news;
  return std::malloc(n_bytes);
}
void operator delete(void* made) noexcept { std::free(made); }
void operator delete(void* made, std::size_t) noexcept { std::free(made); }
#pragma GCC diagnostic pop
