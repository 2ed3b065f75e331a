/* Calls vtables through vkd3d's own C headers, as its programs do. Compiled twice: with the headers' own calling
 * convention (ms_abi), and with that attribute turned into sysv_abi. The inline wrappers read a structure through the
 * pointer that the method gives *back*. Each function gives 0, or the number of the check that failed. */
#define WIDL_C_INLINE_WRAPPERS
#define COBJMACROS
#include <vkd3d_utils.h>

#define MARK 0x1122334455667788ull

int classic_heap(void *object)
{
    ID3D12DescriptorHeap *heap = object;
    if (ID3D12DescriptorHeap_GetCPUDescriptorHandleForHeapStart(heap).ptr != MARK)
        return 1;
    if (ID3D12DescriptorHeap_GetGPUDescriptorHandleForHeapStart(heap).ptr != MARK)
        return 2;
    D3D12_DESCRIPTOR_HEAP_DESC desc = ID3D12DescriptorHeap_GetDesc(heap);
    if (desc.Type != 0x55667788 || desc.NumDescriptors != 0x11223344)
        return 3;
    return 0;
}

int classic_device(void *object)
{
    ID3D12Device *device = object;
    if (ID3D12Device_GetAdapterLuid(device).LowPart != 0x55667788)
        return 1;
    if (ID3D12Device_GetResourceAllocationInfo(device, 1, 2, (void *)0x40).SizeInBytes != MARK)
        return 2;
    if (ID3D12Device_CreateCommittedResource(device, (void *)1, 2, (void *)3, 4, (void *)5, (void *)6, (void *)7) != 0x12345678)
        return 3;
    return 0;
}

int classic_list(void *object)
{
    ID3D12GraphicsCommandList *list = object;
    D3D12_CPU_DESCRIPTOR_HANDLE view = { 0x99 };
    ID3D12GraphicsCommandList_ClearDepthStencilView(list, view, D3D12_CLEAR_FLAG_DEPTH, 0.25f, 0x7f, 1, (void *)0x60);
    ID3D12GraphicsCommandList_DrawIndexedInstanced(list, 10, 11, 12, -13, 14);
    return 0;
}
