// Puts code for several kinds of cards together into one image, of which a driver takes what its card needs.
// usage: pack_kernel NVFATBIN_FOLDER IMAGE NAME.sm_90.cubin... NAME.sm_120.ptx
#include <cstdio>
#include <string>
#include <vector>

#include "nvidia_library.h"

namespace headroom::kernel_compiler {
namespace {

// "nvFatbin" of the CUDA toolkit's documentation, chapter 4.
using Handle = struct Opaque*;

class Image {
 public:
  explicit Image(const std::string& folder) : library_(folder + "/libnvfatbin.so.12", "nvFatbinGetErrorString") {
    // Without options PTX alone is compressed, which only drivers read that are no older than this library. Which
    // others read machine code that is, NVIDIA does not document.
    library_.expect_success("nvFatbinCreate", library_.find<Status(Handle*, const char**, std::size_t)>(
                                                  "nvFatbinCreate")(&handle_, nullptr, 0));
  }

  void add_cubin(const std::string& code, const std::string& architecture, const std::string& name) {
    const auto add =
        library_.find<Status(Handle, const void*, std::size_t, const char*, const char*)>("nvFatbinAddCubin");
    library_.expect_success("nvFatbinAddCubin",
                            add(handle_, code.data(), code.size(), architecture.c_str(), name.c_str()));
  }
  // With the zero behind it.
  void add_ptx(const std::string& code, const std::string& architecture, const std::string& name) {
    const auto add = library_.find<Status(Handle, const char*, std::size_t, const char*, const char*, const char*)>(
        "nvFatbinAddPTX");
    library_.expect_success("nvFatbinAddPTX",
                            add(handle_, code.c_str(), code.size() + 1, architecture.c_str(), name.c_str(), nullptr));
  }

  std::string bytes() {
    std::size_t size = 0;
    library_.expect_success("nvFatbinSize",
                            library_.find<Status(Handle, std::size_t*)>("nvFatbinSize")(handle_, &size));
    std::string image(size, '\0');
    library_.expect_success("nvFatbinGet", library_.find<Status(Handle, void*)>("nvFatbinGet")(handle_, image.data()));
    return image;
  }

 private:
  NvidiaLibrary library_;
  Handle handle_ = nullptr;  // until this program ends
};

void pack(const std::string& folder, const std::string& to, const std::vector<std::string>& files) {
  Image image(folder);
  for (const std::string& path : files) {
    const std::size_t name = path.rfind('/') + 1, architecture = path.rfind(".sm_"), kind = path.rfind('.');
    if (architecture == std::string::npos || architecture < name)
      throw std::runtime_error(path + ": expected a name as norm.sm_90.cubin");
    const std::string title = path.substr(name, architecture - name),
                      number = path.substr(architecture + 4, kind - architecture - 4);
    if (path.substr(kind) == ".ptx") {
      image.add_ptx(read_file(path), number, title);
    } else {
      image.add_cubin(read_file(path), number, title);
    }
  }
  write_file(to, image.bytes());
}

}  // namespace
}  // namespace headroom::kernel_compiler

int main(int n, char** given) {
  if (n < 4) {
    std::fprintf(stderr, "pack_kernel: expected a folder, an image and code, found %d arguments\n", n - 1);
    return 1;
  }
  try {
    headroom::kernel_compiler::pack(given[1], given[2], {given + 3, given + n});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pack_kernel: %s: %s\n", given[2], error.what());
    return 1;
  }
}
