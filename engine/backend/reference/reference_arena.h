// Memory of a reference device. It can be read and written only while a call of its backend runs. At all other times
// its pages are protected, so that code which takes it for host memory crashes, as it would with the memory of a card.
// What a plan calls page-locked is not: the host reaches it, as with a card.
#pragma once

#include <memory>
#include <span>

#include "backend/reference/reference_device.h"

namespace headroom {

class ReferenceArena final : public Arena {
 public:
  // All zeros. kResource names bytes asked and bytes free.
  static Result<std::unique_ptr<ReferenceArena>> map(std::shared_ptr<ReferenceDevice> device, const ArenaPlan& plan);
  ReferenceArena(const ReferenceArena&) = delete;
  ReferenceArena& operator=(const ReferenceArena&) = delete;
  ~ReferenceArena() override;

  Bytes mapped_bytes() const override { return size_; }
  std::byte* host_address() const override { return is_page_locked_ ? base_ : nullptr; }

  // For the backend alone, within OpenArenas.
  std::byte* device_address() const { return base_; }

 private:
  friend class OpenArenas;
  ReferenceArena(std::shared_ptr<ReferenceDevice> device, std::byte* base, const ArenaPlan& plan)
      : device_(std::move(device)),
        base_(base),
        size_(plan.size),
        is_page_locked_(plan.memory == Memory::kPageLocked) {}
  Status protect(int protection) const;

  std::shared_ptr<ReferenceDevice> device_;
  std::byte* base_;
  Bytes size_;
  bool is_page_locked_;
};

// Unprotects arenas for as long as it lives. Null entries stand for arenas of other devices.
class OpenArenas {
 public:
  explicit OpenArenas(std::span<ReferenceArena* const> arenas);
  OpenArenas(const OpenArenas&) = delete;
  OpenArenas& operator=(const OpenArenas&) = delete;
  ~OpenArenas();
  // kResource when the system refused; the arenas must not be touched then.
  const Status& status() const { return status_; }

 private:
  std::span<ReferenceArena* const> arenas_;
  Status status_ = ok_status();
};

}  // namespace headroom
