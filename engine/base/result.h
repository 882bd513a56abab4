// Errors are values: a code, and a message that names the object, what was expected and what was found.
#pragma once

#include <utility>
#include <variant>

#include "base/check.h"
#include "base/message.h"

namespace headroom {

// What went wrong, coarse enough to choose an exit code or a dialog; the message carries the detail.
enum class ErrorCode {
  kUsage,        // the request itself makes no sense (an option, an id, a range)
  kBadFile,      // a file is not there, not readable, damaged, or lies about itself
  kUnsupported,  // a sound file that needs something this build does not have
  kDoesNotFit,   // a plan that is larger than its budget
  kResource,     // the machine refused (memory, threads, disk)
  kCancelled,    // the user asked to stop
  kDeviceLost,   // a device went away or failed: what it held is gone, and it has to be opened anew
};

struct Error {
  ErrorCode code = ErrorCode::kUsage;
  Message message;
};

// Either a value or an Error. Reading the wrong one is our bug and CHECKs.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor): `return value;`
  Result(Error error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor): `return error;`

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    CHECK(ok(), "value() of an error");
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    CHECK(ok(), "value() of an error");
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    CHECK(ok(), "value() of an error");
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const {
    CHECK(!ok(), "error() of a value");
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

struct Nothing {};
using Status = Result<Nothing>;
inline Status ok_status() { return Nothing{}; }

}  // namespace headroom
