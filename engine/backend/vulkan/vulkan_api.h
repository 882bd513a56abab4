// Vulkan through volk: the loader is opened when the program runs, so that a binary starts on a machine without one.
#pragma once

#define VK_NO_PROTOTYPES
#include <volk.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace headroom {

std::string_view vk_result_name(VkResult result);  // "VK_ERROR_DEVICE_LOST"; "VkResult" for one that is not known

// What a call that failed means to a user: kDeviceLost, or kResource. `what` says what was done: "mapping weights".
Error vk_error(std::string_view device, std::string_view what, VkResult result);

}  // namespace headroom
