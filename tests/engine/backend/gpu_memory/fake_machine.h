// A machine with cards as files: its /sys and its /proc.
#pragma once

#include "backend/gpu_memory/drm_clients.h"
#include "support/temp_folder.h"

namespace headroom::test {

inline constexpr PciAddress kCard{0, 3, 0, 0}, kOtherCard{0, 0x65, 0, 0};

class FakeMachine {
 public:
  std::filesystem::path sys() const { return folder_.path() / "sys"; }
  std::filesystem::path proc() const { return folder_.path() / "proc"; }
  // A file of the card's folder: "vendor", "mem_info_vram_used".
  void set(const PciAddress& card, const std::string& name, const std::string& text) const {
    write_file(pci_folder(sys(), card) / name, text + "\n");
  }
  void set(const PciAddress& card, const std::string& name, Bytes bytes) const {
    set(card, name, std::to_string(bytes));
  }
  // An open file of a process ("self", "1234"), and what the kernel tells of it; without a text it has just been
  // closed.
  void open(const std::string& process, int fd, const char* target, const std::optional<std::string>& fdinfo) const {
    const std::filesystem::path of = proc() / process;
    std::filesystem::create_directories(of / "fd");
    std::filesystem::create_symlink(target, of / "fd" / std::to_string(fd));
    if (fdinfo) write_file(of / "fdinfo" / std::to_string(fd), *fdinfo);
  }
  void open_card(const std::string& process, int fd, const std::optional<std::string>& fdinfo) const {
    open(process, fd, "/dev/dri/renderD128", fdinfo);
  }

 private:
  TempFolder folder_;
};

// As the kernel writes them, shortened; `card` at its address, `id` of the client, and KiB.
inline std::string fdinfo_of(const char* driver, const PciAddress& card, int id, const std::string& memory) {
  return "pos:\t0\nflags:\t02100002\ndrm-driver:\t" + std::string(driver) + "\ndrm-client-id:\t" + std::to_string(id) +
         "\ndrm-pdev:\t" + pci_text(card) + "\n" + memory + "drm-engine-gfx:\t1234 ns\n";
}
inline std::string amdgpu_client(int id, Bytes vram_kib, Bytes gtt_kib = 0, Bytes evicted_kib = 0,
                                 const PciAddress& card = kCard) {
  const auto line = [](const char* key, Bytes kib) { return key + (":\t" + std::to_string(kib)) + " KiB\n"; };
  return fdinfo_of("amdgpu", card, id,
                   line("drm-total-vram", vram_kib + evicted_kib) + line("drm-shared-vram", 77) +
                       line("drm-resident-vram", vram_kib) + line("drm-memory-vram", vram_kib) +
                       line("drm-memory-gtt", gtt_kib) + line("drm-resident-gtt", gtt_kib) + line("drm-memory-cpu", 5) +
                       line("amd-evicted-vram", evicted_kib) + line("amd-requested-vram", vram_kib + evicted_kib));
}

}  // namespace headroom::test
