// Calls methods that return structures through Microsoft's headers as a C++ program on Linux does: up to 16 bytes in registers, more
// through a pointer before `this`. The handler fills every structure with rising numbers. Each function gives 0, or the number of the
// check that failed.
#include <wsl/winadapter.h>
#include <directx/d3d12.h>
#include <cstring>

static bool filled(const void *structure, size_t size)
{
    for (size_t at = 0; at < size / 8; at++) {
        uint64_t word;
        memcpy(&word, static_cast<const char *>(structure) + 8 * at, 8);
        if (word != 0x1122334455667788ull + at)
            return false;
    }
    return true;
}

#define CHECK(number, call) do { auto result = call; if (!filled(&result, sizeof result)) return number; } while (0)

extern "C" int structures_heap(void *object)
{
    auto *heap = static_cast<ID3D12DescriptorHeap *>(object);
    CHECK(1, heap->GetCPUDescriptorHandleForHeapStart());
    CHECK(2, heap->GetGPUDescriptorHandleForHeapStart());
    CHECK(3, heap->GetDesc());
    return 0;
}

extern "C" int structures_device(void *object)
{
    auto *device = static_cast<ID3D12Device12 *>(object);
    CHECK(1, device->GetAdapterLuid());
    CHECK(2, device->GetResourceAllocationInfo(1, 2, reinterpret_cast<D3D12_RESOURCE_DESC *>(0x40)));
    CHECK(3, device->GetCustomHeapProperties(3, static_cast<D3D12_HEAP_TYPE>(-14)));
    CHECK(4, device->GetResourceAllocationInfo1(4, 5, reinterpret_cast<D3D12_RESOURCE_DESC *>(0x50),
                                                reinterpret_cast<D3D12_RESOURCE_ALLOCATION_INFO1 *>(0x60)));
    // More arguments than registers.
    CHECK(5, device->GetResourceAllocationInfo3(7, 8, reinterpret_cast<D3D12_RESOURCE_DESC1 *>(0x70),
                                                reinterpret_cast<UINT32 *>(0x80), reinterpret_cast<DXGI_FORMAT **>(0x90),
                                                reinterpret_cast<D3D12_RESOURCE_ALLOCATION_INFO1 *>(0xa0)));
    return 0;
}

extern "C" int structures_resource(void *object)
{
    auto *resource = static_cast<ID3D12Resource2 *>(object);
    CHECK(1, resource->GetDesc());
    CHECK(2, resource->GetDesc1());
    return 0;
}

extern "C" int structures_graph(void *object)
{
    auto *graph = static_cast<ID3D12WorkGraphProperties *>(object);
    CHECK(1, graph->GetNodeID(9, 10));
    CHECK(2, graph->GetEntrypointID(11, 12));
    return 0;
}
