#include "backend/reference/reference_arena.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

namespace headroom {
namespace {

Error refused(const ReferenceDevice& device, Bytes size, int code) {
  return Error{ErrorCode::kResource, Message::say("{}: asked for {} ({} bytes), refused by the system: {}", device.id(),
                                                  amount(size), size, std::string(std::strerror(code)))};
}

}  // namespace

Result<std::unique_ptr<ReferenceArena>> ReferenceArena::map(std::shared_ptr<ReferenceDevice> device,
                                                            const ArenaPlan& plan) {
  if (Status reserved = device->reserve(plan.size); !reserved) return reserved.error();
  void* base = nullptr;
  if (plan.size > 0) {
    const int protection = plan.memory == Memory::kPageLocked ? PROT_READ | PROT_WRITE : PROT_NONE;
    base = mmap(nullptr, plan.size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
      const int code = errno;
      device->release(plan.size);
      return refused(*device, plan.size, code);
    }
  }
  return std::unique_ptr<ReferenceArena>(new ReferenceArena(std::move(device), static_cast<std::byte*>(base), plan));
}

ReferenceArena::~ReferenceArena() {
  if (size_ > 0) munmap(base_, size_);
  device_->release(size_);
}

Status ReferenceArena::protect(int protection) const {
  if (size_ > 0 && !is_page_locked_ && mprotect(base_, size_, protection) != 0) return refused(*device_, size_, errno);
  return ok_status();
}

OpenArenas::OpenArenas(std::span<ReferenceArena* const> arenas) : arenas_(arenas) {
  for (const ReferenceArena* arena : arenas_) {
    if (arena == nullptr) continue;
    if (status_ = arena->protect(PROT_READ | PROT_WRITE); !status_) return;
  }
}

OpenArenas::~OpenArenas() {
  for (const ReferenceArena* arena : arenas_) {
    if (arena != nullptr) CHECK(arena->protect(PROT_NONE).ok(), "device memory cannot be closed again");
  }
}

}  // namespace headroom
