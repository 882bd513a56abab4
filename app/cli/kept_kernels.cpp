#include "kept_kernels.h"

#include "../resources.h"
#include "backend/registry.h"

namespace headroom::cli {

BackendFactory backendFactory() {
  const std::filesystem::path data = findDataFolder();
  return keeping_kernels_in(data.empty() ? data : data / kKernelFolder);
}

}  // namespace headroom::cli
