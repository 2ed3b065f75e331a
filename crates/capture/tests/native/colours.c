/* Presents images of one known colour each, with semaphores all the way: what was shown can be told without looking.
 * Frame n (from 0) has the bytes blue = 10 n, green = 255 - n, red = 3 n, alpha = 255; 48 by 32 pixels. */
#define COBJMACROS
#define INITGUID
#define VK_USE_PLATFORM_XCB_KHR
#define VKD3D_UTILS_API_VERSION VKD3D_API_VERSION_1_2
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <xcb/xcb.h>
#include <vulkan/vulkan.h>
#include <vkd3d.h>
#include <vkd3d_utils.h>

#define FRAMES 20
#define WIDTH 48
#define HEIGHT 32
#define IMAGES 8

#define EXPECT(what) do { if (!(what)) { fprintf(stderr, "line %d: %s\n", __LINE__, #what); exit(1); } } while (0)

static VkDevice device;

static VkSemaphore make_semaphore(void)
{
    VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkSemaphore semaphore;
    EXPECT(vkCreateSemaphore(device, &info, NULL, &semaphore) == VK_SUCCESS);
    return semaphore;
}

static void barrier(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to)
{
    VkImageMemoryBarrier change = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, NULL, VK_ACCESS_MEMORY_WRITE_BIT,
            VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT, from, to, VK_QUEUE_FAMILY_IGNORED,
            VK_QUEUE_FAMILY_IGNORED, image, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
            NULL, 1, &change);
}

int main(void)
{
    xcb_connection_t *connection = xcb_connect(NULL, NULL);
    EXPECT(!xcb_connection_has_error(connection));
    xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data;
    xcb_window_t window = xcb_generate_id(connection);
    xcb_create_window(connection, XCB_COPY_FROM_PARENT, window, screen->root, 0, 0, WIDTH, HEIGHT, 0,
            XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, 0, NULL);
    xcb_map_window(connection, window);
    xcb_flush(connection);

    /* As the demos do it, the helper library's device has the surface extensions. */
    ID3D12Device *d3d;
    ID3D12CommandQueue *d3d_queue;
    D3D12_COMMAND_QUEUE_DESC queue_desc = {.Type = D3D12_COMMAND_LIST_TYPE_DIRECT};
    EXPECT(D3D12CreateDevice(NULL, D3D_FEATURE_LEVEL_11_0, &IID_ID3D12Device, (void **)&d3d) == S_OK);
    EXPECT(ID3D12Device_CreateCommandQueue(d3d, &queue_desc, &IID_ID3D12CommandQueue, (void **)&d3d_queue) == S_OK);
    VkInstance instance = vkd3d_instance_get_vk_instance(vkd3d_instance_from_device(d3d));
    VkPhysicalDevice physical = vkd3d_get_vk_physical_device(d3d);
    device = vkd3d_get_vk_device(d3d);
    uint32_t family = vkd3d_get_vk_queue_family_index(d3d_queue);

    VkXcbSurfaceCreateInfoKHR surface_info = {VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR, NULL, 0, connection, window};
    VkSurfaceKHR surface;
    VkBool32 supported;
    EXPECT(vkCreateXcbSurfaceKHR(instance, &surface_info, NULL, &surface) == VK_SUCCESS);
    EXPECT(vkGetPhysicalDeviceSurfaceSupportKHR(physical, family, surface, &supported) == VK_SUCCESS && supported);
    VkSwapchainCreateInfoKHR chain_info = {VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR, NULL, 0, surface, 3,
            VK_FORMAT_B8G8R8A8_UNORM, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR, {WIDTH, HEIGHT}, 1,
            VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, VK_SHARING_MODE_EXCLUSIVE, 0, NULL,
            VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR, VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR, VK_PRESENT_MODE_FIFO_KHR, VK_TRUE};
    VkSwapchainKHR chain;
    VkImage images[IMAGES];
    uint32_t count = IMAGES;
    EXPECT(vkCreateSwapchainKHR(device, &chain_info, NULL, &chain) == VK_SUCCESS);
    EXPECT(vkGetSwapchainImagesKHR(device, chain, &count, images) == VK_SUCCESS);

    VkCommandPoolCreateInfo pool_info = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, NULL,
            VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, family};
    VkCommandPool pool;
    VkCommandBuffer commands[IMAGES];
    EXPECT(vkCreateCommandPool(device, &pool_info, NULL, &pool) == VK_SUCCESS);
    VkCommandBufferAllocateInfo allocate = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, pool,
            VK_COMMAND_BUFFER_LEVEL_PRIMARY, count};
    EXPECT(vkAllocateCommandBuffers(device, &allocate, commands) == VK_SUCCESS);
    ID3D12Resource *resources[IMAGES];
    VkSemaphore acquired[FRAMES], drawn[IMAGES];
    VkFence fences[IMAGES];
    for (uint32_t i = 0; i < count; ++i)
    {
        struct vkd3d_image_resource_create_info info = {VKD3D_STRUCTURE_TYPE_IMAGE_RESOURCE_CREATE_INFO, NULL, images[i],
                {.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE2D, .Width = WIDTH, .Height = HEIGHT, .DepthOrArraySize = 1,
                .MipLevels = 1, .Format = DXGI_FORMAT_B8G8R8A8_UNORM, .SampleDesc = {1, 0},
                .Flags = D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET}, VKD3D_RESOURCE_INITIAL_STATE_TRANSITION};
        VkFenceCreateInfo fence = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, NULL, VK_FENCE_CREATE_SIGNALED_BIT};
        EXPECT(vkd3d_create_image_resource(d3d, &info, &resources[i]) == S_OK);
        EXPECT(vkCreateFence(device, &fence, NULL, &fences[i]) == VK_SUCCESS);
        drawn[i] = make_semaphore();
    }

    for (uint32_t frame = 0; frame < FRAMES; ++frame)
    {
        uint32_t image;
        acquired[frame] = make_semaphore();
        EXPECT(vkAcquireNextImageKHR(device, chain, UINT64_MAX, acquired[frame], VK_NULL_HANDLE, &image) == VK_SUCCESS);
        EXPECT(vkWaitForFences(device, 1, &fences[image], VK_TRUE, UINT64_MAX) == VK_SUCCESS);
        EXPECT(vkResetFences(device, 1, &fences[image]) == VK_SUCCESS);
        VkClearColorValue colour = {{3 * frame / 255.0f, (255 - frame) / 255.0f, 10 * frame / 255.0f, 1.0f}};
        VkImageSubresourceRange whole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        EXPECT(vkBeginCommandBuffer(commands[image], &begin) == VK_SUCCESS);
        barrier(commands[image], images[image], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        vkCmdClearColorImage(commands[image], images[image], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &colour, 1, &whole);
        barrier(commands[image], images[image], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
        EXPECT(vkEndCommandBuffer(commands[image]) == VK_SUCCESS);
        VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
        VkSubmitInfo submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO, NULL, 1, &acquired[frame], &stage, 1, &commands[image], 1,
                &drawn[image]};
        VkPresentInfoKHR present = {VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, NULL, 1, &drawn[image], 1, &chain, &image, NULL};
        VkQueue queue = vkd3d_acquire_vk_queue(d3d_queue);
        EXPECT(vkQueueSubmit(queue, 1, &submit, fences[image]) == VK_SUCCESS);
        EXPECT(vkQueuePresentKHR(queue, &present) == VK_SUCCESS);
        vkd3d_release_vk_queue(d3d_queue);
    }
    EXPECT(vkDeviceWaitIdle(device) == VK_SUCCESS);
    for (uint32_t i = 0; i < count; ++i)
    {
        vkd3d_resource_decref(resources[i]);
        vkDestroySemaphore(device, drawn[i], NULL);
        vkDestroyFence(device, fences[i], NULL);
    }
    for (uint32_t i = 0; i < FRAMES; ++i)
        vkDestroySemaphore(device, acquired[i], NULL);
    vkDestroyCommandPool(device, pool, NULL);
    vkDestroySwapchainKHR(device, chain, NULL);
    vkDestroySurfaceKHR(instance, surface, NULL);
    ID3D12CommandQueue_Release(d3d_queue);
    ID3D12Device_Release(d3d);
    xcb_disconnect(connection);
    return 0;
}
