#include "devices/device_catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "plan/memory_plan.h"
#include "support/model_specs.h"

namespace headroom {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kRow =
    R"({"name": "Card 1", "vendor": "V", "kind": "cuda", "memory_mib": 1024, "usable_mib": 1000, "bandwidth_gb_per_s": 10.5, "unified": false})";

std::string catalogue_of(const std::string& rows) { return R"({"devices": [)" + rows + "]}"; }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

const std::vector<DeviceInfo>& built_in() {
  static const std::vector<DeviceInfo> devices = built_in_device_catalogue().value();
  return devices;
}

std::string found(const char* name) {
  const Result<DeviceIndex> device = find_device(built_in(), name);
  return device.ok() ? built_in()[*device].name : "error: " + device.error().message.text();
}

TEST(DeviceCatalogue, lists_every_vendor_and_shared_pools) {
  EXPECT_GE(built_in().size(), 60U);
  for (const char* vendor : {"NVIDIA", "AMD", "Intel", "Apple"}) {
    EXPECT_THAT(built_in(), testing::Contains(testing::Field(&DeviceInfo::vendor, vendor)));
  }
  EXPECT_THAT(built_in(), testing::Contains(testing::Field(&DeviceInfo::has_unified_memory, true)));
}

TEST(DeviceCatalogue, rows_are_plausible_and_can_be_planned_for) {
  const ModelInfo model = test::make_model(test::kTinyLlama);
  for (const DeviceInfo& device : built_in()) {
    EXPECT_FALSE(device.is_present) << device.name;
    EXPECT_FALSE(device.driver_measured) << device.name;
    EXPECT_GT(device.driver_bytes, 0U) << device.name;
    EXPECT_EQ(device.free_bytes, device.total_bytes) << device.name;
    EXPECT_GE(device.total_bytes * 2, device.nameplate_bytes) << device.name;
    EXPECT_GT(device.speed.read_bytes_per_s, 40e9) << device.name;
    const std::vector<DeviceInfo> devices{test::cpu_with(64 * kGiB), device};
    const Result<MemoryPlan> plan = plan_memory(model, devices, {.devices = {{1}}});
    ASSERT_TRUE(plan.ok()) << device.name;
    EXPECT_TRUE(plan->fits()) << device.name;
  }
}

TEST(DeviceCatalogue, a_device_without_a_box_is_named_with_the_memory_that_it_has) {
  DeviceInfo software = built_in().front();
  software.id = "vulkan:0";
  software.name = "llvmpipe (LLVM 15.0.6, 256 bits)";
  software.nameplate_bytes = 0;
  software.total_bytes = 31 * kGiB;
  const std::vector<DeviceInfo> devices{software};
  const Result<DeviceIndex> device = find_device(devices, "cuda:7");
  ASSERT_FALSE(device.ok());
  EXPECT_THAT(device.error().message.text(), testing::HasSubstr("\"llvmpipe (LLVM 15.0.6, 256 bits)\" (31.0 GiB)"));
}

TEST(DeviceCatalogue, the_built_in_one_is_the_file) {
  const Result<std::vector<DeviceInfo>> file = read_device_catalogue(HEADROOM_SOURCE_DIR "/resources/devices.json");
  ASSERT_TRUE(file.ok()) << file.error().message.text();
  ASSERT_EQ(file->size(), built_in().size());
  for (std::size_t i = 0; i < file->size(); ++i) EXPECT_EQ((*file)[i].name, built_in()[i].name);
}

TEST(DeviceCatalogue, data_sheet_values_of_well_known_cards) {
  const DeviceInfo& card = built_in()[*find_device(built_in(), "RTX 4090")];
  EXPECT_EQ(card.nameplate_bytes, 24 * kGiB);
  EXPECT_EQ(card.total_bytes, 24564 * kMiB);
  EXPECT_DOUBLE_EQ(card.speed.read_bytes_per_s, 1008e9 * kSustainedReadShare);
  EXPECT_EQ(built_in()[*find_device(built_in(), "M1 16GB")].total_bytes, Bytes{16} * 1024 * 2 / 3 * kMiB);
  EXPECT_EQ(built_in()[*find_device(built_in(), "M4 Max 128GB")].total_bytes, 96 * kGiB);
}

TEST(DeviceCatalogue, a_missing_file_is_named) {
  const auto missing = read_device_catalogue("/nonexistent/devices.json");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kBadFile);
  EXPECT_THAT(missing.error().message.text(), HasSubstr("/nonexistent/devices.json"));
}

struct BadRow {
  const char* from;
  const char* to;
  const char* named;
};

TEST(DeviceCatalogue, a_row_may_know_what_is_allocated_and_bound_at_once) {
  const auto unknown = parse_device_catalogue(catalogue_of(kRow));
  ASSERT_TRUE(unknown.ok());
  EXPECT_EQ((*unknown)[0].max_arena_bytes, 0U);
  EXPECT_EQ((*unknown)[0].max_binding_bytes, 0U);
  const auto known = parse_device_catalogue(
      catalogue_of(replaced(kRow, "false", R"(false, "max_arena_mib": 4096, "max_binding_mib": 128)")));
  ASSERT_TRUE(known.ok()) << known.error().message.text();
  EXPECT_EQ((*known)[0].max_arena_bytes, 4 * kGiB);
  EXPECT_EQ((*known)[0].max_binding_bytes, 128 * kMiB);
}

TEST(DeviceCatalogue, each_wrong_field_is_named_with_its_row) {
  const BadRow bad_rows[] = {
      {R"("name": "Card 1", )", "", "name: expected a value"},
      {R"("Card 1")", R"("")", "name: expected a text"},
      {R"("vendor": "V")", R"("vendor": 3)", "vendor: expected a text"},
      {R"("cuda")", R"("opencl")", "kind: expected cuda, vulkan or metal, found opencl"},
      {"1024", "-4", "memory_mib: expected a whole number"},
      {"1024", "1.5", "memory_mib: expected a whole number"},
      {"1024", "99999999999", "memory_mib: expected a whole number"},
      {"1000", "1025", "usable_mib: expected at most memory_mib (1024), found 1025"},
      {"1000", "0", "usable_mib: expected a whole number"},
      {"10.5", "0", "bandwidth_gb_per_s: expected a number above 0"},
      {"10.5", R"("fast")", "bandwidth_gb_per_s: expected a number"},
      {"false", "0", "unified: expected true or false"},
      {R"("unified")", R"("unifed")", "unifed: expected a known key"},
      {"false", R"(false, "max_arena_mib": 0)", "max_arena_mib: expected a whole number"},
      {"false", R"(false, "max_binding_mib": "4")", "max_binding_mib: expected a whole number"},
  };
  for (const BadRow& bad : bad_rows) {
    const auto devices = parse_device_catalogue(catalogue_of(replaced(kRow, bad.from, bad.to)));
    ASSERT_FALSE(devices.ok()) << bad.named;
    EXPECT_EQ(devices.error().code, ErrorCode::kBadFile);
    EXPECT_THAT(devices.error().message.text(), AllOf(HasSubstr("row 0"), HasSubstr(bad.named)));
  }
  EXPECT_TRUE(parse_device_catalogue(catalogue_of(kRow)).ok());
}

TEST(DeviceCatalogue, text_that_is_no_catalogue_is_refused) {
  for (const char* text : {"", "{", "[]", "{}", R"({"devices": 3})", R"({"devices": [3]})"})
    EXPECT_FALSE(parse_device_catalogue(text).ok()) << text;
  EXPECT_FALSE(parse_device_catalogue(catalogue_of(std::string(kRow) + "," + kRow)).ok()) << "the same name twice";
}

TEST(DeviceCatalogue, deep_nesting_is_refused_and_harmless) {
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  EXPECT_FALSE(parse_device_catalogue(catalogue_of(replaced(kRow, R"("Card 1")", deep))).ok());
  EXPECT_FALSE(parse_device_catalogue(catalogue_of(deep)).ok());
}

TEST(FindDevice, reads_the_names_that_people_type) {
  for (const char* name : {"RTX 4090", "rtx 4090", "RTX4090", "NVIDIA GeForce RTX 4090", "nvidia rtx-4090", "4090"})
    EXPECT_EQ(found(name), "RTX 4090");
  EXPECT_EQ(found("AMD Radeon RX 7900 XTX"), "RX 7900 XTX");
  EXPECT_EQ(found("Intel(R) Arc(TM) B580 Graphics"), "Arc B580");
  EXPECT_EQ(found("Apple M2 Ultra 192 GB"), "M2 Ultra 192GB");
  EXPECT_EQ(found("rtx 4060 ti 16gb"), "RTX 4060 Ti 16GB");
  EXPECT_EQ(found("Tesla T4"), "T4");
  EXPECT_EQ(found("h200"), "H200");
}

std::string with_case(std::string text, int (*change)(int)) {
  std::transform(text.begin(), text.end(), text.begin(), [&](unsigned char c) { return static_cast<char>(change(c)); });
  return text;
}

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

std::string size_on_box(const DeviceInfo& device) { return std::to_string(device.nameplate_bytes / kGiB); }

TEST(FindDevice, every_name_of_the_catalogue_finds_itself_in_any_case_and_without_spaces) {
  for (const DeviceInfo& device : built_in()) {
    const std::string& name = device.name;
    for (const std::string& typed :
         {name, with_case(name, std::tolower), with_case(name, std::toupper), without_spaces(name),
          without_spaces(with_case(name, std::tolower)), "  " + name + " ", device.vendor + " " + name}) {
      EXPECT_EQ(found(typed.c_str()), name) << typed;
    }
  }
}

TEST(FindDevice, a_name_may_tell_the_memory_that_is_on_the_box) {
  for (const DeviceInfo& device : built_in()) {
    if (device.name.find("GB") != std::string::npos) continue;
    for (const char* unit : {"GB", " GB", "gb", "G", " GiB"})
      EXPECT_EQ(found((device.name + " " + size_on_box(device) + unit).c_str()), device.name) << unit;
    EXPECT_EQ(found(without_spaces(device.name + size_on_box(device) + "GB").c_str()), device.name);
  }
}

TEST(FindDevice, another_memory_than_that_on_the_box_is_another_card) {
  EXPECT_THAT(found("RTX 3060 8GB"), AllOf(HasSubstr("error"), HasSubstr("\"RTX 3060\" (12.0 GiB)")));
  for (const DeviceInfo& device : built_in())
    EXPECT_THAT(found((device.name + " 7GB").c_str()), testing::StartsWith("error")) << device.name;
}

// The numbers in a name but sizes of memory: 3060 of "RTX 3060 Ti", 7900 of "Radeon PRO W7900".
std::set<std::string> numbers_of(const std::string& name) {
  std::set<std::string> numbers;
  std::istringstream words(name);
  for (std::string word; words >> word;) {
    if (word.ends_with("GB")) continue;
    static const std::regex kNumber("[0-9]+");
    for (std::sregex_iterator at(word.begin(), word.end(), kNumber), end; at != end; ++at) numbers.insert(at->str());
  }
  return numbers;
}

TEST(FindDevice, digits_alone_find_the_one_card_that_has_them_or_name_those_that_do) {
  std::map<std::string, std::vector<std::string>> by_number;
  for (const DeviceInfo& device : built_in()) {
    for (const std::string& number : numbers_of(device.name)) by_number[number].push_back(device.name);
  }
  ASSERT_GE(by_number.size(), 20U);
  for (const auto& [number, names] : by_number) {
    const std::string answer = found(number.c_str());
    if (answer.starts_with("error")) {
      const bool all_are_named = answer.find(" more") == std::string::npos;
      for (const std::string& name : names) {
        EXPECT_TRUE(!all_are_named || answer.find('"' + name + '"') != std::string::npos) << number << ": " << answer;
      }
    } else {
      // A card of that number and nothing more is meant before its Ti and its laptop's.
      EXPECT_THAT(names, testing::Contains(answer)) << number;
      EXPECT_TRUE(names.size() == 1 || answer.ends_with(number)) << number << " found " << answer;
    }
    if (names.size() == 1) {
      EXPECT_EQ(answer, names.front()) << number;
    }
  }
}

TEST(FindDevice, cards_of_well_known_numbers) {
  for (const char* name : {"RTX 3060 12GB", "RTX 3060 12 GB", "3060", "rtx3060", "rtx3060 12gb", "3060 12GB"})
    EXPECT_EQ(found(name), "RTX 3060") << name;
  EXPECT_EQ(found("3080"), "RTX 3080");
  EXPECT_EQ(found("3080 12g"), "RTX 3080 12GB");
  EXPECT_EQ(found("RTX 3080 10GB"), "RTX 3080");
  EXPECT_EQ(found("A100 PCIe 80GB"), "A100 80GB PCIe");
  EXPECT_EQ(found("7900xtx"), "RX 7900 XTX");
  EXPECT_EQ(found("NVIDIA GeForce RTX 4090 Laptop GPU"), "RTX 4090 Laptop");
  EXPECT_THAT(found("7900"),
              AllOf(HasSubstr("\"RX 7900 XT\""), HasSubstr("\"RX 7900 XTX\""), HasSubstr("\"Radeon PRO W7900\"")));
  EXPECT_THAT(found("H100 80GB"), AllOf(HasSubstr("\"H100 PCIe\""), HasSubstr("\"H100 SXM\"")));
  EXPECT_THAT(found("60"), HasSubstr("error")) << "half a number names nothing";
}

TEST(FindDevice, an_ambiguous_name_lists_the_candidates) {
  EXPECT_THAT(found("RTX 4060 Ti"), AllOf(HasSubstr("error"), HasSubstr("\"RTX 4060 Ti 8GB\", \"RTX 4060 Ti 16GB\"")));
  EXPECT_THAT(found("rtx"), AllOf(HasSubstr("error"), HasSubstr("more")));
}

TEST(FindDevice, an_unknown_name_lists_the_nearest) {
  EXPECT_THAT(found("RTX 4190"), AllOf(HasSubstr("found \"RTX 4190\""), HasSubstr("\"RTX 4090\"")));
  EXPECT_THAT(found(""), HasSubstr("error"));
  EXPECT_THAT(found("???"), HasSubstr("error"));
}

TEST(FindDevice, an_id_wins_over_names) {
  std::vector<DeviceInfo> devices = built_in();
  devices.push_back(test::cpu_with(kGiB));
  for (const char* id : {"cpu", "CPU"}) EXPECT_EQ(*find_device(devices, id), devices.size() - 1);
}

}  // namespace
}  // namespace headroom
