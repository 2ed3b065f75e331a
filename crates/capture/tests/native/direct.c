/* Uses libvkd3d by its own functions, below the helper library: an instance, a device of it, objects by reference count.
 * Returns 0 when everything is as vkd3d promises. */
#define COBJMACROS
#define INITGUID
#include <stdio.h>
#include <stdlib.h>
#include <vkd3d.h>

static HRESULT signal_event(HANDLE event)
{
    __atomic_store_n((int *)event, 1, __ATOMIC_SEQ_CST);
    return S_OK;
}

#define EXPECT(what) do { if (!(what)) { fprintf(stderr, "line %d: %s\n", __LINE__, #what); return 1; } } while (0)

int main(void)
{
    struct vkd3d_instance_create_info instance_info = {.type = VKD3D_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
            .pfn_signal_event = signal_event, .wchar_size = sizeof(WCHAR)};
    struct vkd3d_instance *instance;
    EXPECT(vkd3d_create_instance(&instance_info, &instance) == S_OK);
    EXPECT(vkd3d_instance_get_vk_instance(instance));
    EXPECT(vkd3d_instance_incref(instance) == 2 && vkd3d_instance_decref(instance) == 1);

    struct vkd3d_device_create_info device_info = {.type = VKD3D_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
            .minimum_feature_level = D3D_FEATURE_LEVEL_11_0, .instance = instance};
    ID3D12Device *device;
    EXPECT(vkd3d_create_device(&device_info, &IID_ID3D12Device, (void **)&device) == S_OK);
    EXPECT(vkd3d_instance_from_device(device) == instance);
    EXPECT(vkd3d_get_vk_device(device) && vkd3d_get_vk_physical_device(device));
    EXPECT(!vkd3d_get_device_parent(device));
    EXPECT(vkd3d_get_dxgi_format(vkd3d_get_vk_format(DXGI_FORMAT_R8G8B8A8_UNORM)) == DXGI_FORMAT_R8G8B8A8_UNORM);

    D3D12_COMMAND_QUEUE_DESC queue_desc = {.Type = D3D12_COMMAND_LIST_TYPE_DIRECT};
    ID3D12CommandQueue *queue;
    EXPECT(ID3D12Device_CreateCommandQueue(device, &queue_desc, &IID_ID3D12CommandQueue, (void **)&queue) == S_OK);
    EXPECT(vkd3d_acquire_vk_queue(queue));
    vkd3d_release_vk_queue(queue);

    ID3D12Fence *fence;
    int signalled = 0;
    EXPECT(ID3D12Device_CreateFence(device, 0, D3D12_FENCE_FLAG_NONE, &IID_ID3D12Fence, (void **)&fence) == S_OK);
    EXPECT(ID3D12CommandQueue_Signal(queue, fence, 3) == S_OK);
    EXPECT(ID3D12Fence_SetEventOnCompletion(fence, 3, &signalled) == S_OK);
    while (!__atomic_load_n(&signalled, __ATOMIC_SEQ_CST))
        ;
    EXPECT(ID3D12Fence_GetCompletedValue(fence) == 3);

    D3D12_HEAP_PROPERTIES heap = {.Type = D3D12_HEAP_TYPE_DEFAULT};
    D3D12_RESOURCE_DESC desc = {.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER, .Width = 65536, .Height = 1,
            .DepthOrArraySize = 1, .MipLevels = 1, .SampleDesc = {1, 0}, .Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR};
    ID3D12Resource *resource;
    EXPECT(ID3D12Device_CreateCommittedResource(device, &heap, D3D12_HEAP_FLAG_NONE, &desc,
            D3D12_RESOURCE_STATE_COMMON, NULL, &IID_ID3D12Resource, (void **)&resource) == S_OK);
    ULONG count = vkd3d_resource_incref(resource);
    EXPECT(vkd3d_resource_decref(resource) == count - 1);
    EXPECT(ID3D12Resource_Release(resource) == 0);

    D3D12_ROOT_SIGNATURE_DESC root = {.Flags = D3D12_ROOT_SIGNATURE_FLAG_ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT};
    ID3DBlob *blob;
    EXPECT(vkd3d_serialize_root_signature(&root, D3D_ROOT_SIGNATURE_VERSION_1_0, &blob, NULL) == S_OK);
    ID3D12RootSignatureDeserializer *deserializer;
    EXPECT(vkd3d_create_root_signature_deserializer(ID3D10Blob_GetBufferPointer(blob), ID3D10Blob_GetBufferSize(blob),
            &IID_ID3D12RootSignatureDeserializer, (void **)&deserializer) == S_OK);
    EXPECT(ID3D12RootSignatureDeserializer_GetRootSignatureDesc(deserializer)->Flags == root.Flags);
    EXPECT(ID3D12RootSignatureDeserializer_Release(deserializer) == 0);
    EXPECT(ID3D10Blob_Release(blob) == 0);

    EXPECT(ID3D12Fence_Release(fence) == 0);
    EXPECT(ID3D12CommandQueue_Release(queue) == 0);
    EXPECT(ID3D12Device_Release(device) == 0);
    EXPECT(vkd3d_instance_decref(instance) == 0);
    return 0;
}
