// What both programs here need: a library of NVIDIA's, opened when the program runs, and files.
#pragma once

#include <dlfcn.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace headroom::kernel_compiler {

using Status = int;  // of NVIDIA's functions; 0: success

class NvidiaLibrary {
 public:
  // `of_errors`: its function that gives a status its name. Throws when the library cannot be opened.
  NvidiaLibrary(const std::string& path, const char* of_errors)
      : library_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)), of_errors_(of_errors) {
    if (library_ == nullptr) throw std::runtime_error(path + " cannot be opened: " + dlerror());
  }

  // A function of the library, of the type that its documentation says.
  template <class Function>
  Function* find(const char* name) const {
    void* const found = dlsym(library_, name);
    if (found == nullptr) throw std::runtime_error(std::string("expected a library with ") + name + ", found none");
    return reinterpret_cast<Function*>(found);
  }

  // Throws what a function of this name has returned, unless that is success.
  void expect_success(const std::string& function, Status status) const {
    if (status != 0) throw std::runtime_error(function + ": " + find<const char*(Status)>(of_errors_)(status));
  }

 private:
  void* library_;  // stays open until the program ends
  const char* of_errors_;
};

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error(path + " cannot be read");
  return text.str();
}

inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error(path + " cannot be written");
}

}  // namespace headroom::kernel_compiler
