// Kernels as drivers make them: on several threads, and kept between starts of the program.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include "backend/vulkan/vulkan_pipelines.h"
#include "base/usable_cores.h"
#include "engine/run/loaded_fixture.h"
#include "run/session.h"
#include "vulkan/vulkan_fixture.h"

namespace headroom {
namespace {

VkPhysicalDeviceProperties some_card() {
  VkPhysicalDeviceProperties card{};
  card.vendorID = 0x10DE;
  card.deviceID = 0x2684;
  card.driverVersion = 0x12345678;
  for (std::uint8_t i = 0; i < VK_UUID_SIZE; ++i) card.pipelineCacheUUID[i] = static_cast<std::uint8_t>(0xA0 + i);
  return card;
}

// What the driver of a card gives: its header, and something behind it.
std::vector<std::byte> data_of(const VkPhysicalDeviceProperties& card, std::size_t n_behind = 40) {
  VkPipelineCacheHeaderVersionOne header{};
  header.headerSize = sizeof header;
  header.headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE;
  header.vendorID = card.vendorID;
  header.deviceID = card.deviceID;
  std::memcpy(header.pipelineCacheUUID, card.pipelineCacheUUID, VK_UUID_SIZE);
  std::vector<std::byte> data(sizeof header + n_behind);
  std::memcpy(data.data(), &header, sizeof header);
  for (std::size_t i = sizeof header; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 7);
  return data;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void put_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

class PipelineFile : public testing::Test {
 protected:
  std::filesystem::path folder() const { return folder_.path() / "kernels"; }

  test::TempFolder folder_;
  VulkanPipelineFile file_{folder(), some_card()};
};

TEST_F(PipelineFile, is_named_by_card_and_driver_and_read_as_it_was_written) {
  EXPECT_TRUE(file_.read().empty()) << "there is none";
  file_.write(data_of(some_card()));
  EXPECT_EQ(file_.read(), data_of(some_card()));
  EXPECT_EQ(file_.path().filename(), "10de-2684-a0a1a2a3a4a5a6a7a8a9aaabacadaeaf-12345678");
  EXPECT_EQ(VulkanPipelineFile({}, some_card()).path(), "");
  VulkanPipelineFile({}, some_card()).write(data_of(some_card()));
  EXPECT_TRUE(VulkanPipelineFile({}, some_card()).read().empty());
}

TEST_F(PipelineFile, damaged_in_any_byte_or_cut_off_anywhere_is_as_none_and_replaced) {
  file_.write(data_of(some_card()));
  const std::string whole = bytes_of(file_.path());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int bit : {0, 7}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      put_bytes(file_.path(), damaged);
      EXPECT_TRUE(file_.read().empty()) << "bit " << bit << " of byte " << i;
    }
    put_bytes(file_.path(), whole.substr(0, i));
    EXPECT_TRUE(file_.read().empty()) << "cut off behind " << i;
  }
  put_bytes(file_.path(), whole + "more");
  EXPECT_TRUE(file_.read().empty()) << "longer than it says";
  file_.write(data_of(some_card()));
  EXPECT_EQ(bytes_of(file_.path()), whole);
}

// Written by another driver under this one's name: copied from another machine, say.
TEST_F(PipelineFile, of_another_card_or_driver_is_as_none) {
  std::vector<VkPhysicalDeviceProperties> others(3, some_card());
  ++others[0].vendorID;
  ++others[1].deviceID;
  ++others[2].pipelineCacheUUID[15];
  for (const VkPhysicalDeviceProperties& other : others) {
    EXPECT_NE(VulkanPipelineFile(folder(), other).path(), file_.path());
    file_.write(data_of(other));
    EXPECT_TRUE(file_.read().empty());
  }
  VkPhysicalDeviceProperties newer = some_card();
  ++newer.driverVersion;
  EXPECT_NE(VulkanPipelineFile(folder(), newer).path(), file_.path());
  for (const std::size_t word : {0U, 1U}) {  // the length of the driver's header, and its version
    std::vector<std::byte> data = data_of(some_card());
    data[word * 4] ^= std::byte{4};
    file_.write(data);
    EXPECT_TRUE(file_.read().empty()) << "word " << word;
  }
  const std::vector<std::byte> whole = data_of(some_card());
  file_.write(std::span(whole).first(31));
  EXPECT_TRUE(file_.read().empty()) << "less than a header";
}

TEST_F(PipelineFile, is_given_up_when_it_is_too_large) {
  file_.write(data_of(some_card(), kMostPipelineBytes - sizeof(VkPipelineCacheHeaderVersionOne)));
  EXPECT_EQ(file_.read().size(), kMostPipelineBytes);
  std::filesystem::resize_file(file_.path(), std::filesystem::file_size(file_.path()) + 1);
  EXPECT_TRUE(file_.read().empty());
  file_.write(data_of(some_card(), kMostPipelineBytes));
  EXPECT_FALSE(std::filesystem::exists(file_.path()));
}

TEST_F(PipelineFile, those_of_old_drivers_go) {
  VkPhysicalDeviceProperties card = some_card();
  const auto now = std::filesystem::file_time_type::clock::now();
  for (std::uint32_t driver = 0; driver < kMostPipelineFiles + 3; ++driver) {
    card.driverVersion = driver;
    const VulkanPipelineFile file(folder(), card);
    file.write(data_of(card));
    std::filesystem::last_write_time(file.path(), now - std::chrono::hours(20 - driver));
  }
  for (std::uint32_t driver = 0; driver < kMostPipelineFiles + 3; ++driver) {
    card.driverVersion = driver;
    EXPECT_EQ(VulkanPipelineFile(folder(), card).read().empty(), driver < 3) << driver;
  }
}

TEST_F(PipelineFile, goes_without_a_folder_that_can_be_written) {
  std::filesystem::create_directories(folder().parent_path());
  put_bytes(folder(), "a file where the folder should be");
  file_.write(data_of(some_card()));
  EXPECT_TRUE(file_.read().empty());
  EXPECT_EQ(bytes_of(folder()), "a file where the folder should be");
}

class Pipelines : public testing::Test {
 protected:
  std::unique_ptr<VulkanPipelines> open() const { return open_in(folder_.path() / "kernels"); }
  std::unique_ptr<VulkanPipelines> open_in(const std::filesystem::path& folder) const {
    return test::take(VulkanPipelines::open(device_, folder));
  }
  VulkanPipelineFile file() const {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(device_->card().handle, &properties);
    return {folder_.path() / "kernels", properties};
  }

  test::TempFolder folder_;
  std::shared_ptr<VulkanDevice> device_ = test::take(VulkanDevice::open(vulkan_cards().cards.at(0)));
};

std::set<PipelineKey> norms() {
  std::set<PipelineKey> keys;
  for (const std::uint32_t is_gathered : {0U, 1U}) {
    for (const std::uint32_t is_added : {0U, 1U}) keys.insert({Kernel::kNorm, {is_gathered, is_added}});
  }
  keys.insert({Kernel::kRoute, {}});
  return keys;
}

TEST_F(Pipelines, are_made_once_each_and_found_again) {
  const auto pipelines = open_in({});
  ASSERT_TRUE(pipelines->prepare(norms(), {}).ok());
  EXPECT_EQ(pipelines->n_made(), norms().size());
  std::set<VkPipeline> different;
  for (const PipelineKey& key : norms()) different.insert(test::take(pipelines->find(key.kernel, key.constants)));
  EXPECT_EQ(different.size(), norms().size());
  EXPECT_FALSE(different.contains(VK_NULL_HANDLE));
  ASSERT_TRUE(pipelines->prepare(norms(), {}).ok());
  EXPECT_EQ(pipelines->n_made(), norms().size());
  EXPECT_EQ(pipelines->kept_bytes(), 0U) << "there is nowhere to keep them";
}

// In the place of the driver's compiler, one that waits for a second thread to come to it.
std::atomic<std::uint32_t> n_compiling = 0, most_compiling = 0, n_awaited = 0;
PFN_vkCreateComputePipelines real_compiler = nullptr;

TEST_F(Pipelines, are_compiled_on_several_threads) {
  most_compiling = 0;
  n_awaited = std::min(2U, usable_cores());
  real_compiler = vkCreateComputePipelines;
  const auto pipelines = open_in({});
  vkCreateComputePipelines = [](VkDevice device, VkPipelineCache cache, std::uint32_t n,
                                const VkComputePipelineCreateInfo* create, const VkAllocationCallbacks* with,
                                VkPipeline* made) {
    const std::uint32_t now = ++n_compiling;
    if (now > most_compiling) most_compiling = now;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (most_compiling < n_awaited && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    const VkResult result = real_compiler(device, cache, n, create, with, made);
    --n_compiling;
    return result;
  };
  const Status made = pipelines->prepare(norms(), {});
  vkCreateComputePipelines = real_compiler;
  EXPECT_TRUE(made.ok());
  EXPECT_GE(most_compiling, n_awaited);
  EXPECT_LE(most_compiling, usable_cores());
}

TEST_F(Pipelines, of_one_start_are_what_the_next_begins_with) {
  {
    const auto first = open();
    EXPECT_EQ(first->kept_bytes(), 0U);
    ASSERT_TRUE(first->prepare(norms(), {}).ok());
    EXPECT_EQ(first->kept_bytes(), file().read().size());
    EXPECT_GE(first->kept_bytes(), sizeof(VkPipelineCacheHeaderVersionOne));
  }
  const auto second = open();
  EXPECT_GE(second->kept_bytes(), file().read().size());  // SwiftShader has a second header around the first
  const auto before = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  std::filesystem::last_write_time(file().path(), before);
  ASSERT_TRUE(second->prepare(norms(), {}).ok());
  EXPECT_EQ(std::filesystem::last_write_time(file().path()), before) << "nothing new: it is not written";
}

TEST_F(Pipelines, of_two_programs_that_began_together_are_both_kept) {
  const auto one = open(), other = open();
  ASSERT_TRUE(one->prepare(norms(), {}).ok());
  const Bytes of_one = file().read().size();
  ASSERT_TRUE(other->prepare({{Kernel::kRoute, {}}}, {}).ok());
  EXPECT_GE(file().read().size(), of_one);
  EXPECT_EQ(other->kept_bytes(), file().read().size());
}

// lavapipe gives nothing but a header. In its place, a driver whose cache grows as a test says.
class GrowingCache {
 public:
  explicit GrowingCache(const VulkanDevice& device) {
    vkGetPhysicalDeviceProperties(device.card().handle, &card);
    real_create = vkCreatePipelineCache;
    vkGetPipelineCacheData = [](VkDevice, VkPipelineCache, std::size_t* n_bytes, void* data) {
      const std::vector<std::byte> all = data_of(card, n_behind);
      *n_bytes = all.size();
      if (data != nullptr) std::memcpy(data, all.data(), all.size());
      return VK_SUCCESS;
    };
    vkCreatePipelineCache = [](VkDevice on, const VkPipelineCacheCreateInfo* create, const VkAllocationCallbacks* with,
                               VkPipelineCache* made) {
      begins_with.push_back(create->initialDataSize);
      VkPipelineCacheCreateInfo empty = *create;
      empty.initialDataSize = 0;
      return real_create(on, &empty, with, made);
    };
    vkMergePipelineCaches = [](VkDevice, VkPipelineCache, std::uint32_t n, const VkPipelineCache*) {
      n_merged += n;
      n_behind += 5;  // what the other one had
      return VK_SUCCESS;
    };
  }
  GrowingCache(const GrowingCache&) = delete;
  GrowingCache& operator=(const GrowingCache&) = delete;
  ~GrowingCache() {
    vkGetPipelineCacheData = real_data_;
    vkCreatePipelineCache = real_create;
    vkMergePipelineCaches = real_merge_;
  }

  static inline std::size_t n_behind = 0, n_merged = 0;
  static inline std::vector<std::size_t> begins_with;  // bytes, of each cache that was made

 private:
  static inline VkPhysicalDeviceProperties card;
  static inline PFN_vkCreatePipelineCache real_create;
  PFN_vkGetPipelineCacheData real_data_ = vkGetPipelineCacheData;
  PFN_vkMergePipelineCaches real_merge_ = vkMergePipelineCaches;
};

TEST_F(Pipelines, are_written_when_there_are_more_with_what_another_program_wrote) {
  constexpr Bytes kHeader = sizeof(VkPipelineCacheHeaderVersionOne);
  GrowingCache driver(*device_);
  const auto pipelines = open();
  EXPECT_EQ(driver.begins_with, (std::vector<std::size_t>{0}));
  driver.n_behind = 10;
  ASSERT_TRUE(pipelines->prepare({{Kernel::kNorm, {0, 0}}}, {}).ok());
  EXPECT_EQ(file().read().size(), kHeader + 10);
  EXPECT_EQ(driver.n_merged, 0U);
  const auto before = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  std::filesystem::last_write_time(file().path(), before);
  ASSERT_TRUE(pipelines->prepare({{Kernel::kNorm, {0, 1}}}, {}).ok());
  EXPECT_EQ(std::filesystem::last_write_time(file().path()), before) << "no more than before";
  driver.n_behind = 20;
  ASSERT_TRUE(pipelines->prepare({{Kernel::kNorm, {1, 0}}}, {}).ok());
  EXPECT_EQ(driver.n_merged, 1U);
  EXPECT_EQ(file().read().size(), kHeader + 25);
  EXPECT_EQ(pipelines->kept_bytes(), kHeader + 25);
  const auto next = open();
  EXPECT_EQ(driver.begins_with.back(), kHeader + 25);
}

TEST_F(Pipelines, replace_a_damaged_file_and_go_without_a_folder) {
  ASSERT_TRUE(open()->prepare(norms(), {}).ok());
  const std::string whole = bytes_of(file().path());
  for (const std::string& damaged : {std::string(), whole.substr(0, whole.size() / 2), whole + "x"}) {
    put_bytes(file().path(), damaged);
    const auto pipelines = open();
    EXPECT_EQ(pipelines->kept_bytes(), 0U);
    ASSERT_TRUE(pipelines->prepare(norms(), {}).ok());
    EXPECT_EQ(bytes_of(file().path()), whole);
  }
  put_bytes(folder_.path() / "taken", "");
  const auto without = open_in(folder_.path() / "taken");
  EXPECT_TRUE(without->prepare(norms(), {}).ok());
  EXPECT_EQ(without->n_made(), norms().size());
}

TEST_F(Pipelines, end_between_two_of_them_when_stopped) {
  StopSource stop;
  stop.request_stop();
  const auto pipelines = open();
  const Status stopped = pipelines->prepare(norms(), stop.token());
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(pipelines->n_made(), 0U);
  EXPECT_TRUE(pipelines->prepare(norms(), {}).ok());
}

TEST_F(Pipelines, that_a_driver_refuses_are_named) {
  const auto pipelines = open();
  vulkan_faults().fail_at_pipeline = static_cast<std::uint32_t>(norms().size());
  const Status refused = pipelines->prepare(norms(), {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kResource);
  EXPECT_EQ(refused.error().message.text(),
            "vulkan:0: compiling the kernel route failed: VK_ERROR_OUT_OF_HOST_MEMORY (-1)");
  EXPECT_LT(pipelines->n_made(), norms().size());
  EXPECT_TRUE(pipelines->prepare(norms(), {}).ok());
  EXPECT_EQ(pipelines->n_made(), norms().size());
}

// A whole load through the registry, as the programs make it.
class KeptKernels : public testing::Test {
 protected:
  KeptKernels() : opened_(test::open_or_die(test::make_random_model({}, folder_.path()))) {
    PlanOptions options;
    options.n_ctx = 64;
    options.n_batch = 16;
    options.n_gpu_layers = static_cast<std::int32_t>(opened_.info->n_layers());
    options.n_cpu_ffn = 0;
    options.devices = {{1}};
    plan_ = std::make_shared<const MemoryPlan>(
        test::take(plan_memory(*opened_.info, test::cpu_and_vulkan(false), options)));
  }

  std::shared_ptr<const LoadedModel> load() const {
    return test::take(load_model(opened_.file, {opened_.info, plan_, keeping_kernels_in(kernels())}, {}, [](Bytes) {}));
  }
  std::filesystem::path kernels() const { return folder_.path() / "kernels"; }

  test::TempFolder folder_;
  test::OpenedFile opened_;
  std::shared_ptr<const MemoryPlan> plan_;
};

TEST_F(KeptKernels, are_where_the_program_says) {
  EXPECT_TRUE(Session::open(load(), plan_).ok());
  ASSERT_TRUE(std::filesystem::exists(kernels()));
  EXPECT_FALSE(std::filesystem::is_empty(kernels()));
}

TEST_F(KeptKernels, a_kernel_that_the_driver_refuses_ends_the_load_and_the_next_one_works) {
  vulkan_faults().fail_at_pipeline = 3;
  const auto refused = Session::open(load(), plan_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kResource);
  EXPECT_TRUE(refused.error().message.text().starts_with("vulkan:0: compiling the kernel "))
      << refused.error().message.text();
  EXPECT_TRUE(Session::open(load(), plan_).ok());
}

// Told to stop when all is mapped and cleared, and kernels alone are left.
TEST_F(KeptKernels, a_load_is_stopped_while_kernels_are_compiled) {
  StopSource stop;
  Bytes left = bytes_to_open(*plan_);
  const auto stopped = Session::open(load(), plan_, stop.token(), [&](Bytes done) {
    left -= done;
    if (left == 0) stop.request_stop();
  });
  EXPECT_EQ(left, 0U);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  EXPECT_FALSE(std::filesystem::exists(kernels())) << "none was compiled";
}

}  // namespace
}  // namespace headroom
