// Calls vtables through Microsoft's headers as a C++ program on Linux does (System V): floats in vector registers and a
// structure of 16 bytes by value. Each function gives 0, or the number of the check that failed.
#include <wsl/winadapter.h>
#include <directx/d3d12.h>

extern "C" int newer_list(void *object)
{
    auto *list = static_cast<ID3D12GraphicsCommandList9 *>(object);
    list->OMSetDepthBounds(0.25f, 0.75f);
    list->RSSetDepthBias(1.5f, -2.5f, 3.5f);
    return 0;
}

extern "C" int newer_graph(void *object)
{
    auto *graph = static_cast<ID3D12WorkGraphProperties *>(object);
    D3D12_NODE_ID node = { reinterpret_cast<LPCWSTR>(0x1234567890ull), 42 };
    if (graph->GetNodeIndex(7, node) != 0x12345678)
        return 1;
    graph->GetWorkGraphMemoryRequirements(3, reinterpret_cast<D3D12_WORK_GRAPH_MEMORY_REQUIREMENTS *>(0x50));
    return 0;
}
