// The interface of the stand-in that no model of the API has.
#include <wsl/winadapter.h>
#include <directx/d3d12.h>

const GUID IID_IStandIn = {0x3c1f29d4, 0x5a0e, 0x4d5b, {0x8f, 0x6e, 0x57, 0x53, 0x4c, 0x00, 0x00, 0x01}};

struct IStandIn : public IUnknown {
    // The width of a buffer of the runtime's own, 0 where it is another's object.
    virtual UINT64 Width(ID3D12Resource *resource, UINT64 more) = 0;
    // A structure of more than 16 bytes, which comes by a hidden pointer before `this`.
    virtual D3D12_RESOURCE_DESC Describe(ID3D12Resource *resource) = 0;
    // One of 16 bytes, which comes in registers.
    virtual D3D12_RANGE Both(ID3D12Resource *first, ID3D12Resource *second) = 0;
};
