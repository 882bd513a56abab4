// CHECK is for our own bugs only; whatever a file, a user or a machine can cause is a Result.
#pragma once

#include <cstdio>
#include <cstdlib>

// Ends the process with a line that names the place when `condition` is false. Kept in every build: a broken invariant
// must not reach the user's data.
#define CHECK(condition, why)                                                                        \
  do {                                                                                               \
    if (!(condition)) [[unlikely]] {                                                                 \
      std::fprintf(stderr, "%s:%d: internal error: %s (%s)\n", __FILE__, __LINE__, #condition, why); \
      std::abort();                                                                                  \
    }                                                                                                \
  } while (false)
