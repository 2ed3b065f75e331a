// A program for Linux's Direct3D 12 that loads its libraries itself, as Mesa and DirectML do, and uses an interface that no model of the API has.
// Gives 0, or the line whose check failed.
#define INITGUID
#include "stand_in.h"
#include <cstdio>
#include <cstring>
#include <dlfcn.h>

#define CHECK(condition) do { if (!(condition)) return fprintf(stderr, "client.cpp:%d: %s\n", __LINE__, #condition), 1; } while (0)

typedef HRESULT (*CreateDevice)(IUnknown *, D3D_FEATURE_LEVEL, REFIID, void **);
typedef HRESULT (*CreateFactory)(REFIID, void **);

static ID3D12Resource *buffer(ID3D12Device *device, UINT64 width)
{
    D3D12_HEAP_PROPERTIES heap = {D3D12_HEAP_TYPE_UPLOAD};
    D3D12_RESOURCE_DESC description = {D3D12_RESOURCE_DIMENSION_BUFFER, 0, width, 1, 1, 1, DXGI_FORMAT_UNKNOWN, {1, 0},
                                       D3D12_TEXTURE_LAYOUT_ROW_MAJOR};
    ID3D12Resource *made = nullptr;
    device->CreateCommittedResource(&heap, D3D12_HEAP_FLAG_NONE, &description, D3D12_RESOURCE_STATE_GENERIC_READ, nullptr,
                                    IID_ID3D12Resource, reinterpret_cast<void **>(&made));
    return made;
}

int main(int count, char **)
{
    void *direct3d = dlopen("libd3d12.so", RTLD_NOW | RTLD_LOCAL), *dxcore = dlopen("libdxcore.so", RTLD_NOW | RTLD_LOCAL);
    CHECK(direct3d && dxcore);
    CHECK(dlsym(dxcore, "DXCoreCreateAdapterFactory"));
    auto create = reinterpret_cast<CreateDevice>(dlsym(direct3d, "D3D12CreateDevice"));
    ID3D12Device *device = nullptr;
    CHECK(create(nullptr, D3D_FEATURE_LEVEL_11_0, IID_ID3D12Device, reinterpret_cast<void **>(&device)) == S_OK);
    ID3D12Resource *first = buffer(device, 12288), *second = buffer(device, 4096);
    CHECK(first && second);
    unsigned char *bytes = nullptr;
    CHECK(first->Map(0, nullptr, reinterpret_cast<void **>(&bytes)) == S_OK);
    memset(bytes, 0x5a, 12288);
    first->Unmap(0, nullptr);

    // Any argument: also without an interface of the stand-in's.
    if (count > 1) {
        IStandIn *further = nullptr, *again = nullptr;
        CHECK(device->QueryInterface(IID_IStandIn, reinterpret_cast<void **>(&further)) == S_OK);
        CHECK(device->QueryInterface(IID_IStandIn, reinterpret_cast<void **>(&again)) == S_OK && again == further);
        CHECK(further->Width(first, 5) == 12293);
        D3D12_RANGE both = further->Both(first, second);
        CHECK(both.Begin == 12288 && both.End == 4096);
        D3D12_RESOURCE_DESC description = further->Describe(first);
        CHECK(description.Width == 12288 && description.Dimension == D3D12_RESOURCE_DIMENSION_BUFFER);
        ID3D12Device *same = nullptr;
        CHECK(further->QueryInterface(IID_ID3D12Device, reinterpret_cast<void **>(&same)) == S_OK && same == device);
        same->Release();
        further->Release();
        again->Release();
    }
    second->Release();
    first->Release();
    device->Release();
    puts("done");
    return 0;
}
