// What the functions of fake_cuda.cpp work on: devices, what the handles of the API point to, and how that which was
// submitted runs. All of it under one lock: a driver may be called from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "backend/cuda/cuda_driver.h"
#include "support/cuda/emulation.h"
#include "support/cuda/fake_cuda.h"
#include "support/cuda/fake_memory.h"

namespace headroom::cuda {

inline constexpr CUresult kInvalidValue = 1, kNoDevice = 100, kInvalidDevice = 101, kInvalidImage = 200,
                          kInvalidContext = 201, kInvalidHandle = 400, kNotFound = 500, kNotReady = 600,
                          kLaunchFailed = 719, kNotSupported = 801, kCaptureUnsupported = 900;

using Work = std::function<CUresult()>;

// A device, which has no context but its primary one.
struct CUctx_st {
  int number = 0, major = 9, minor = 0;
  int bus = -1;  // of PCI; -1: it does not tell
  std::size_t total = std::size_t{2} << 30, used = 0;
  int n_retained = 0;
  bool is_lost = false;
  bool hangs = false;  // a kernel that never ends has begun
};
// Whether something is done, that is asked again and again.
struct Question {
  bool was_asked = true;  // since there is something to be done
  std::chrono::steady_clock::time_point first{};
};
struct CUfunc_st {
  const EmulatedKernel* kernel;
};
struct CUmod_st {
  CUcontext context;
  std::map<std::string, CUfunc_st> functions;  // that were asked for
};
struct CUgraph_st {
  CUcontext context;
  std::vector<Work> work;
};
struct CUgraphExec_st {
  CUcontext context;
  std::vector<Work> work;
  std::uint64_t n_launches = 0;
};
struct CUstream_st {
  CUcontext context;
  std::deque<Work> waiting;
  std::uint64_t n_added = 0, n_run = 0;
  std::unique_ptr<CUgraph_st> captured;  // while it records
  std::thread::id capturing;             // the thread for which it does
  Question done;                         // about all that was added
};
struct CUevent_st {
  CUcontext context;
  CUstream stream = nullptr;  // on which it was recorded, and after how much
  std::uint64_t position = 0;
  Question done;  // since it was recorded
};

// Those of one kind that are there.
template <class T>
class Handles {
 public:
  T* add(std::unique_ptr<T> made) {
    T* handle = made.get();
    all_[handle] = std::move(made);
    return handle;
  }
  bool has(const T* handle) const { return all_.contains(handle); }
  bool remove(const T* handle) { return all_.erase(handle) > 0; }
  void remove_of(const CUctx_st* context) {
    std::erase_if(all_, [&](const auto& each) { return each.second->context == context; });
  }
  std::size_t n_of(const CUctx_st* context) const {
    std::size_t n = 0;
    for (const auto& [handle, each] : all_) n += each->context == context ? 1 : 0;
    return n;
  }
  template <class Function>
  void for_each(Function function) const {
    for (const auto& [handle, each] : all_) function(*each);
  }

 private:
  std::map<const T*, std::unique_ptr<T>> all_;
};

struct World {
  std::recursive_mutex mutex;
  test::FakeMemory memory;
  std::vector<std::unique_ptr<CUctx_st>> devices;
  Handles<CUmod_st> modules;
  Handles<CUstream_st> streams;
  Handles<CUevent_st> events;
  Handles<CUgraph_st> graphs;
  Handles<CUgraphExec_st> execs;
  std::minstd_rand order;  // of FakeRuns::kEither
};
World& world();
test::FakeCuda& control();

// What is in use of a device by all programs; no more than it has.
std::size_t used_by_all(const CUctx_st& device);

// As kFakeCudaDevices says.
void read_devices();

// A right program never does `what`.
CUresult fault(CUresult result, const std::string& what);
// The result of a call that is made to fail; else it is counted.
CUresult called(const char* name, CUcontext current);
CUresult lose(CUctx_st& device);

CUresult add(CUstream_st& stream, Work work);
// What kFakeCudaFault names, where it is of this kind; the number behind the "@" where there is one.
bool has_fault(const std::string& kind);
// Of a copy that has come to its end: remembers it, or spoils it.
void copied(CUdeviceptr to, std::size_t bytes, bool from_host);
// Whether the n-th launch of a graph does nothing.
bool is_stale(std::uint64_t n_launches);

// Runs what the stream was given first, up to that many in all, or to a kernel that never ends; device memory is there
// for so long.
CUresult run_until(CUstream_st& stream, std::uint64_t position);

struct LaunchSizes {
  unsigned grid[3];
  unsigned n_threads;
};
CUresult launch_now(const EmulatedKernel& kernel, CUctx_st& device, const std::vector<std::byte>& params,
                    const LaunchSizes& sizes);

// All that was made in the context is gone.
void reset(CUctx_st& device);
// What of it is there; empty: nothing.
std::string left_in(const CUctx_st& device);

}  // namespace headroom::cuda
