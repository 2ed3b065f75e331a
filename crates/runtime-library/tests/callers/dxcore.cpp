// A program of Microsoft's Linux Direct3D 12, by Microsoft's headers: lists adapters by DXCore, makes a device of one, names an object.
// Gives 0, or the number of the line whose check failed.
#define INITGUID
#include <wsl/winadapter.h>
#include <directx/dxcore.h>
#include <directx/dxcore_interface.h>
#include <directx/d3d12.h>
#include <cstring>
#include <cwchar>

#define CHECK(condition) do { if (!(condition)) return __LINE__; } while (0)

typedef HRESULT (*CreateFactory)(REFIID, void **);
typedef HRESULT (*CreateDevice)(IUnknown *, D3D_FEATURE_LEVEL, REFIID, void **);

static void notify(DXCoreNotificationType, IUnknown *, void *) {}

extern "C" int adapters(CreateFactory create_factory)
{
    IDXCoreAdapterFactory1 *factory = nullptr, *again = nullptr;
    CHECK(create_factory(IID_IDXCoreAdapterFactory1, reinterpret_cast<void **>(&factory)) == S_OK);
    CHECK(create_factory(IID_IDXCoreAdapterFactory, reinterpret_cast<void **>(&again)) == S_OK);
    CHECK(factory == again);
    CHECK(create_factory(IID_ID3D12Device, reinterpret_cast<void **>(&again)) == E_NOINTERFACE && again == nullptr);

    IDXCoreAdapterList *list = nullptr, *none = nullptr;
    const GUID wanted[] = {DXCORE_ADAPTER_ATTRIBUTE_D3D12_GRAPHICS, DXCORE_ADAPTER_ATTRIBUTE_D3D12_CORE_COMPUTE};
    CHECK(factory->CreateAdapterList(2, wanted, IID_IDXCoreAdapterList, reinterpret_cast<void **>(&list)) == S_OK);
    CHECK(factory->CreateAdapterList(1, &DXCORE_ADAPTER_ATTRIBUTE_D3D11_GRAPHICS, IID_IDXCoreAdapterList,
                                     reinterpret_cast<void **>(&none)) == S_OK);
    CHECK(factory->CreateAdapterList(0, wanted, IID_IDXCoreAdapterList, reinterpret_cast<void **>(&none)) == E_INVALIDARG);
    CHECK(list->GetAdapterCount() >= 1 && none->GetAdapterCount() == 0 && !list->IsStale());
    CHECK(none->Release() == 0);
    const DXCoreAdapterPreference preferences[] = {DXCoreAdapterPreference::HighPerformance, DXCoreAdapterPreference::Hardware};
    CHECK(list->IsAdapterPreferenceSupported(preferences[0]) && list->Sort(2, preferences) == S_OK);
    const auto unknown = static_cast<DXCoreAdapterPreference>(99);
    CHECK(!list->IsAdapterPreferenceSupported(unknown) && list->Sort(1, &unknown) != S_OK);

    IDXCoreAdapter *adapter = nullptr, *same = nullptr;
    CHECK(list->GetAdapter(list->GetAdapterCount(), IID_IDXCoreAdapter, reinterpret_cast<void **>(&adapter)) == E_INVALIDARG);
    CHECK(list->GetAdapter(0, IID_IDXCoreAdapter, reinterpret_cast<void **>(&adapter)) == S_OK && adapter->IsValid());
    LUID luid = {};
    CHECK(adapter->GetProperty(DXCoreAdapterProperty::InstanceLuid, &luid) == S_OK);
    CHECK(factory->GetAdapterByLuid(luid, IID_IDXCoreAdapter, reinterpret_cast<void **>(&same)) == S_OK && same == adapter);
    CHECK(adapter->IsAttributeSupported(wanted[0]) && !adapter->IsAttributeSupported(DXCORE_HARDWARE_TYPE_ATTRIBUTE_NPU));

    size_t size = 0;
    char text[512] = {};
    CHECK(adapter->GetPropertySize(DXCoreAdapterProperty::DriverDescription, &size) == S_OK && size > 1 && size <= sizeof text);
    CHECK(adapter->GetProperty(DXCoreAdapterProperty::DriverDescription, size, text) == S_OK && strlen(text) + 1 == size);
    CHECK(adapter->GetProperty(DXCoreAdapterProperty::DriverDescription, size - 1, text) == E_INVALIDARG);
    uint64_t local = 0, shared = 0;
    CHECK(adapter->GetProperty(DXCoreAdapterProperty::DedicatedAdapterMemory, &local) == S_OK);
    CHECK(adapter->GetProperty(DXCoreAdapterProperty::SharedSystemMemory, &shared) == S_OK && local + shared > 0);
    // The best adapter. Where there is no GPU, a software rasteriser says so, too: DirectML's frameworks use no other.
    bool hardware = false;
    CHECK(adapter->GetProperty(DXCoreAdapterProperty::IsHardware, &hardware) == S_OK && hardware);
    const auto property = static_cast<DXCoreAdapterProperty>(99);
    CHECK(!adapter->IsPropertySupported(property) && adapter->GetPropertySize(property, &size) != S_OK);
    DXCoreAdapterMemoryBudgetNodeSegmentGroup group = {0, DXCoreSegmentGroup::Local};
    DXCoreAdapterMemoryBudget budget = {};
    CHECK(adapter->QueryState(DXCoreAdapterState::AdapterMemoryBudget, &group, &budget) == S_OK && budget.budget > 0);
    CHECK(!adapter->IsSetStateSupported(DXCoreAdapterState::AdapterMemoryBudget));

    uint32_t cookie = 0;
    CHECK(factory->IsNotificationTypeSupported(DXCoreNotificationType::AdapterListStale));
    CHECK(factory->RegisterEventNotification(list, DXCoreNotificationType::AdapterListStale, notify, nullptr, &cookie) == S_OK);
    CHECK(cookie != 0 && factory->UnregisterEventNotification(cookie) == S_OK);
    CHECK(factory->UnregisterEventNotification(cookie + 1) == E_INVALIDARG);
    CHECK(list->Release() == 0 && same->Release() == 1);
    adapter->Release();
    return 0;
}

extern "C" int device(CreateFactory create_factory, CreateDevice create_device)
{
    IDXCoreAdapterFactory *factory = nullptr;
    IDXCoreAdapterList *list = nullptr;
    IDXCoreAdapter *adapter = nullptr;
    CHECK(create_factory(IID_IDXCoreAdapterFactory, reinterpret_cast<void **>(&factory)) == S_OK);
    CHECK(factory->CreateAdapterList(1, &DXCORE_ADAPTER_ATTRIBUTE_D3D12_GRAPHICS, IID_IDXCoreAdapterList,
                                     reinterpret_cast<void **>(&list)) == S_OK);
    CHECK(list->GetAdapter(0, IID_IDXCoreAdapter, reinterpret_cast<void **>(&adapter)) == S_OK);
    LUID luid = {};
    CHECK(adapter->GetProperty(DXCoreAdapterProperty::InstanceLuid, &luid) == S_OK);

    ID3D12Device *device = nullptr;
    CHECK(create_device(adapter, D3D_FEATURE_LEVEL_11_0, IID_ID3D12Device, reinterpret_cast<void **>(&device)) == S_OK);
    LUID own = device->GetAdapterLuid();
    CHECK(memcmp(&luid, &own, sizeof luid) == 0);

    D3D12_HEAP_PROPERTIES properties = device->GetCustomHeapProperties(0, D3D12_HEAP_TYPE_UPLOAD);
    CHECK(properties.Type == D3D12_HEAP_TYPE_CUSTOM && properties.CPUPageProperty >= D3D12_CPU_PAGE_PROPERTY_WRITE_COMBINE);
    CHECK(properties.MemoryPoolPreference == D3D12_MEMORY_POOL_L0 && properties.VisibleNodeMask == 1);
    D3D12_RESOURCE_DESC desc = {};
    desc.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER;
    desc.Width = 70000;
    desc.Height = desc.DepthOrArraySize = desc.MipLevels = 1;
    desc.SampleDesc.Count = 1;
    desc.Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR;
    D3D12_RESOURCE_ALLOCATION_INFO info = device->GetResourceAllocationInfo(0, 1, &desc);
    CHECK(info.SizeInBytes == 131072 && info.Alignment == 65536);

    D3D12_DESCRIPTOR_HEAP_DESC heap_desc = {D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, 5, D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE, 0};
    ID3D12DescriptorHeap *heap = nullptr;
    CHECK(device->CreateDescriptorHeap(&heap_desc, IID_ID3D12DescriptorHeap, reinterpret_cast<void **>(&heap)) == S_OK);
    CHECK(heap->GetDesc().NumDescriptors == 5 && heap->GetCPUDescriptorHandleForHeapStart().ptr != 0);
    CHECK(heap->GetGPUDescriptorHandleForHeapStart().ptr != 0);

    // Names are text of the system's own wide characters.
    const wchar_t name[] = L"n\u00e4me";
    wchar_t read[16] = {};
    UINT size = sizeof read;
    CHECK(heap->SetName(name) == S_OK);
    CHECK(heap->GetPrivateData(WKPDID_D3DDebugObjectNameW, &size, read) == S_OK);
    CHECK(size == sizeof name && wcscmp(read, name) == 0);
    heap->Release();
    device->Release();
    return 0;
}
