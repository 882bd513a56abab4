#include "support/cuda/fake_cuda_handle.h"

#include <dlfcn.h>

#include <cstdlib>

#include "backend/cuda/cuda_driver.h"

namespace headroom::test {

FakeCuda& fake_cuda() {
  static FakeCuda* fake = [] {
    void* library = dlopen(std::getenv(cuda::kDriverVariable), RTLD_NOW | RTLD_LOCAL);
    auto* get = library == nullptr ? nullptr : reinterpret_cast<FakeCuda* (*)()>(dlsym(library, kFakeCudaSymbol));
    if (get == nullptr) std::abort();
    return get();
  }();
  return *fake;
}

}  // namespace headroom::test
