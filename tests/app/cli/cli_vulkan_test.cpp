// The command line where Vulkan is not to be had: each reason is one sentence, and the CPU does the work.
#include "app/cli/cli_fixture.h"
#include "support/use_variable.h"

namespace headroom::test {
namespace {

class CliWithoutVulkan : public Cli {
 protected:
  static void expectCpuAlone(const std::string& sentence) { expectNoDevice("vulkan:0", sentence); }
};

TEST_F(CliWithoutVulkan, a_machine_without_a_loader_says_so_and_uses_the_cpu) {
  // What the system's linker finds first under the loader's names is no library.
  for (const char* name : {"libvulkan.so.1", "libvulkan.so"}) write(name, "not a library");
  const UseVariable path("LD_LIBRARY_PATH", folder->path());
  expectCpuAlone("Vulkan: this machine has no loader (libvulkan.so.1)");
}

TEST_F(CliWithoutVulkan, a_machine_without_a_driver_says_so_and_uses_the_cpu) {
  for (const std::string& list : {pathOf("absent.json"), write("empty.json", ""), write("list.json", "{}")}) {
    const UseVariable files("VK_DRIVER_FILES", list), old_name("VK_ICD_FILENAMES", list);
    expectCpuAlone("Vulkan: this machine has a loader and no driver");
  }
}

TEST_F(CliWithoutVulkan, what_nobody_may_use_is_not_looked_for) {
  const UseVariable none("HEADROOM_VULKAN_DEVICES", "none");
  const CliResult devices = runCli({"devices", "--present", "--json"});
  EXPECT_EQ(devices.json()["refused"], nlohmann::json::array());
  EXPECT_EQ(devices.json()["devices"].size(), 1U);
}

// As the README promises, without a variable.
TEST_F(CliWithoutVulkan, a_driver_that_computes_on_the_cpu_is_used_when_it_is_named_and_never_by_itself) {
  const CliResult devices = runCli({"devices", "--present", "--json"});
  ASSERT_EQ(devices.json()["devices"].size(), 2U) << "mesa-vulkan-drivers has a device that needs no card";
  if (!devices.json()["devices"][1]["is_software"].get<bool>()) return;  // a card comes first
  EXPECT_THAT(runCli({"devices", "--present"}).out, testing::HasSubstr("computes on the CPU"));
  const CliResult run = runCli({"run", model, "-p", "hello", "--ctx", "64", "-n", "2", "--device", "vulkan:0"});
  EXPECT_EQ(run.exitCode, 0) << run.err;
  const auto layers = [](const CliResult& plan) { return plan.json()["options"]["n_gpu_layers"].get<int>(); };
  EXPECT_EQ(layers(runCli({"plan", model, "--json"})), 0);
  EXPECT_GT(layers(runCli({"plan", model, "--device", "vulkan:0", "--json"})), 0);
}

}  // namespace
}  // namespace headroom::test
