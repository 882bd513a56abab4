#include "file/header_extent.h"

#include <cstring>

#include "file/gguf_reader.h"
#include "file/gguf_types.h"

namespace headroom {
namespace {

constexpr std::uint32_t kMostDims = 4;

// Steps over fields and remembers where the bytes ended or made no sense. Past that nothing is read.
class ExtentWalker {
 public:
  explicit ExtentWalker(std::span<const std::byte> bytes) : bytes_(bytes) {}

  Bytes position() const { return position_; }
  bool is_cut() const { return is_cut_; }
  bool is_bad() const { return is_bad_; }
  bool goes_on() const { return !is_cut_ && !is_bad_; }

  template <class T>
  T number() {
    T value{};
    if (!goes_on()) return value;
    if (bytes_.size() - position_ < sizeof(T)) {
      is_cut_ = true;
      return value;
    }
    std::memcpy(&value, bytes_.data() + position_, sizeof(T));
    position_ += sizeof(T);
    return value;
  }

  void skip(Bytes n) {
    if (!goes_on()) return;
    if (n > kMaxHeaderBytes) {
      is_bad_ = true;
    } else if (n > bytes_.size() - position_) {
      is_cut_ = true;
    } else {
      position_ += n;
    }
  }

  void string() { skip(number<std::uint64_t>()); }

  void value(GgufType type) {
    if (type == GgufType::kString) return string();
    if (type == GgufType::kArray) return array();
    check(scalar_bytes(type) > 0);
    skip(scalar_bytes(type));
  }

  void check(bool holds) {
    if (!holds && goes_on()) is_bad_ = true;
  }

 private:
  void array() {
    const auto type = static_cast<GgufType>(number<std::uint32_t>());
    const auto n = number<std::uint64_t>();
    check(n <= kMaxArrayElems && type != GgufType::kArray);
    if (type != GgufType::kString) {
      check(scalar_bytes(type) > 0);
      return skip(n * scalar_bytes(type));
    }
    for (std::uint64_t i = 0; i < n && goes_on(); ++i) string();
  }

  std::span<const std::byte> bytes_;
  Bytes position_ = 0;
  bool is_cut_ = false, is_bad_ = false;
};

}  // namespace

Result<std::optional<Bytes>> header_extent(std::span<const std::byte> beginning) {
  ExtentWalker walker(beginning);
  std::uint32_t magic = 0;
  std::memcpy(&magic, kGgufMagic.data(), sizeof(magic));
  walker.check(walker.number<std::uint32_t>() == magic);
  const auto version = walker.number<std::uint32_t>();
  walker.check(version >= kGgufOldestVersion && version <= kGgufNewestVersion);
  const auto n_tensors = walker.number<std::uint64_t>(), n_metadata = walker.number<std::uint64_t>();
  walker.check(n_tensors <= kMaxTensors && n_metadata <= kMaxMetadata);
  for (std::uint64_t i = 0; i < n_metadata && walker.goes_on(); ++i) {
    walker.string();
    walker.value(static_cast<GgufType>(walker.number<std::uint32_t>()));
  }
  for (std::uint64_t i = 0; i < n_tensors && walker.goes_on(); ++i) {
    walker.string();
    const auto n_dims = walker.number<std::uint32_t>();
    walker.check(n_dims <= kMostDims);
    walker.skip(n_dims * sizeof(std::uint64_t) + sizeof(std::uint32_t) + sizeof(std::uint64_t));
  }
  if (walker.is_bad()) return Error{ErrorCode::kBadFile, Message::say("it does not begin with a header of GGUF")};
  if (walker.is_cut()) return std::optional<Bytes>{};
  return std::optional<Bytes>{walker.position()};
}

}  // namespace headroom
