// A stand-in for Microsoft's libd3d12.so under WSL, on our runtime: its names, its ABI, upload memory that is a device's, and an interface
// that no model of the API has.
//
// As Microsoft's does, it loads libd3d12core.so, which lies beside it and is our runtime. Mappings of committed upload buffers become
// the submission entries of an io_uring: memory of a device, which has no second mapping and is no memory file. What is stored there
// reaches the runtime when lists are executed, and at the unmap. STAND_IN names what else the memory is: "old" has no userfaultfd, so
// that it is watched as on a kernel before Linux 6.7; "sealed" has no mprotect either.
#define INITGUID
#include "stand_in.h"
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// mseal, from Linux 6.10 on.
static const long SYS_SEAL = 462;
// Entries of the largest io_uring, of 64 bytes each.
static const size_t MOST = 32768 * 64;

static std::string mode()
{
    const char *named = getenv("STAND_IN");
    return named ? named : "";
}

// --- the other half ---

static void *core(const char *name)
{
    static void *library = [] {
        Dl_info own;
        dladdr(reinterpret_cast<void *>(mode), &own);
        std::string path = own.dli_fname;
        return dlopen((path.substr(0, path.rfind('/')) + "/libd3d12core.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    }();
    return dlsym(library, name);
}

typedef UINT64 (*Function)(UINT64, UINT64, UINT64, UINT64, UINT64, UINT64);

#define FORWARD(name) \
    extern "C" UINT64 forward_##name(UINT64, UINT64, UINT64, UINT64, UINT64, UINT64) __asm__(#name); \
    extern "C" UINT64 forward_##name(UINT64 a, UINT64 b, UINT64 c, UINT64 d, UINT64 e, UINT64 f) \
    { \
        return reinterpret_cast<Function>(core(#name))(a, b, c, d, e, f); \
    }

FORWARD(D3D12GetDebugInterface)
FORWARD(D3D12GetInterface)
FORWARD(D3D12EnableExperimentalFeatures)
FORWARD(D3D12SerializeRootSignature)
FORWARD(D3D12SerializeVersionedRootSignature)
FORWARD(D3D12CreateRootSignatureDeserializer)
FORWARD(D3D12CreateVersionedRootSignatureDeserializer)

// --- methods of the runtime that the stand-in takes ---

// The slot of a virtual method, as C++ for Linux keeps it in a pointer to the method.
template <class Method> static size_t slot(Method method)
{
    ptrdiff_t words[2];
    static_assert(sizeof words == sizeof method);
    memcpy(words, &method, sizeof words);
    return (words[0] - 1) / sizeof(void *);
}

static void **table(void *object)
{
    return *static_cast<void ***>(object);
}

// Puts a function into the slot of an object's table, and gives what was there.
template <class Function, class Method> static Function take(void *object, Method method, Function ours)
{
    void **place = table(object) + slot(method);
    auto page = reinterpret_cast<uintptr_t>(place) & -4096;
    mprotect(reinterpret_cast<void *>(page), 8192, PROT_READ | PROT_WRITE);
    auto theirs = reinterpret_cast<Function>(*place);
    *place = reinterpret_cast<void *>(ours);
    return theirs;
}

typedef HRESULT (*Query)(ID3D12Device *, REFIID, void **);
typedef HRESULT (*Commit)(ID3D12Device *, const D3D12_HEAP_PROPERTIES *, D3D12_HEAP_FLAGS, const D3D12_RESOURCE_DESC *,
                          D3D12_RESOURCE_STATES, const D3D12_CLEAR_VALUE *, REFIID, void **);
typedef HRESULT (*Map)(ID3D12Resource *, UINT, const D3D12_RANGE *, void **);
typedef void (*Unmap)(ID3D12Resource *, UINT, const D3D12_RANGE *);
typedef ULONG (*Release)(ID3D12Resource *);
typedef void (*Execute)(ID3D12CommandQueue *, UINT, ID3D12CommandList *const *);

static Query real_query;
static Commit real_commit;
static Map real_map;
static Unmap real_unmap;
static Release real_release;
static Execute real_execute;
static void **resources;

// --- memory of a device ---

struct Upload {
    size_t size;
    // Where the program stores, and what the runtime reads; null while nothing was mapped.
    void *device, *real;
};

static std::mutex lock;
static std::map<ID3D12Resource *, Upload> uploads;

// The pages that hold the entries: their number is a power of two, and all of them have to be mapped.
static size_t pages(size_t size)
{
    size_t all = 4096;
    while (all < size)
        all *= 2;
    return all;
}

// Memory of an io_uring, which stays when its descriptor is closed.
static void *device_memory(size_t size)
{
    io_uring_params parameters = {};
    int ring = syscall(SYS_io_uring_setup, pages(size) / 64, &parameters);
    if (ring < 0)
        return nullptr;
    void *made = mmap(nullptr, pages(size), PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
    close(ring);
    if (made == MAP_FAILED || (mode() == "sealed" && syscall(SYS_SEAL, made, pages(size), 0) != 0))
        return nullptr;
    return made;
}

static HRESULT map(ID3D12Resource *resource, UINT subresource, const D3D12_RANGE *range, void **out)
{
    void *real = nullptr;
    HRESULT result = real_map(resource, subresource, range, &real);
    std::lock_guard<std::mutex> held(lock);
    auto found = uploads.find(resource);
    if (FAILED(result) || found == uploads.end()) {
        if (out)
            *out = real;
        return result;
    }
    Upload &upload = found->second;
    if (!upload.device) {
        upload.device = device_memory(upload.size);
        upload.real = real;
        if (!upload.device)
            return E_OUTOFMEMORY;
        memcpy(upload.device, real, upload.size);
    }
    if (out)
        *out = upload.device;
    return result;
}

static void show(const Upload &upload)
{
    if (upload.device)
        memcpy(upload.real, upload.device, upload.size);
}

static void unmap(ID3D12Resource *resource, UINT subresource, const D3D12_RANGE *range)
{
    {
        std::lock_guard<std::mutex> held(lock);
        auto found = uploads.find(resource);
        if (found != uploads.end())
            show(found->second);
    }
    real_unmap(resource, subresource, range);
}

static ULONG release(ID3D12Resource *resource)
{
    std::lock_guard<std::mutex> held(lock);
    ULONG left = real_release(resource);
    auto found = uploads.find(resource);
    if (left == 0 && found != uploads.end()) {
        if (found->second.device)
            munmap(found->second.device, pages(found->second.size));
        uploads.erase(found);
    }
    return left;
}

static void execute(ID3D12CommandQueue *queue, UINT count, ID3D12CommandList *const *lists)
{
    {
        std::lock_guard<std::mutex> held(lock);
        for (auto &one : uploads)
            show(one.second);
    }
    real_execute(queue, count, lists);
}

static HRESULT commit(ID3D12Device *device, const D3D12_HEAP_PROPERTIES *heap, D3D12_HEAP_FLAGS flags,
                      const D3D12_RESOURCE_DESC *description, D3D12_RESOURCE_STATES state, const D3D12_CLEAR_VALUE *clear, REFIID iid,
                      void **out)
{
    HRESULT result = real_commit(device, heap, flags, description, state, clear, iid, out);
    if (FAILED(result) || !out)
        return result;
    std::lock_guard<std::mutex> held(lock);
    if (!resources) {
        resources = table(*out);
        real_map = take(*out, &ID3D12Resource::Map, map);
        real_unmap = take(*out, &ID3D12Resource::Unmap, unmap);
        real_release = take(*out, &ID3D12Resource::Release, release);
    }
    bool is_upload = heap->Type == D3D12_HEAP_TYPE_UPLOAD && description->Dimension == D3D12_RESOURCE_DIMENSION_BUFFER;
    if (is_upload && description->Width <= MOST && table(*out) == resources)
        uploads[static_cast<ID3D12Resource *>(*out)] = {size_t(description->Width), nullptr, nullptr};
    return result;
}

// --- an interface of its own ---

struct Further : public IStandIn {
    ID3D12Device *device = nullptr;

    HRESULT QueryInterface(REFIID iid, void **out) override { return device->QueryInterface(iid, out); }
    ULONG AddRef() override { return device->AddRef(); }
    ULONG Release() override { return device->Release(); }
    UINT64 Width(ID3D12Resource *resource, UINT64 more) override
    {
        return table(resource) == resources ? resource->GetDesc().Width + more : 0;
    }
    D3D12_RESOURCE_DESC Describe(ID3D12Resource *resource) override
    {
        return table(resource) == resources ? resource->GetDesc() : D3D12_RESOURCE_DESC();
    }
    D3D12_RANGE Both(ID3D12Resource *first, ID3D12Resource *second) override
    {
        return {SIZE_T(Width(first, 0)), SIZE_T(Width(second, 0))};
    }
};

static Further further;

static HRESULT query(ID3D12Device *device, REFIID iid, void **out)
{
    if (memcmp(&iid, &IID_IStandIn, sizeof iid) != 0)
        return real_query(device, iid, out);
    further.device = device;
    device->AddRef();
    *out = static_cast<IStandIn *>(&further);
    return S_OK;
}

// userfaultfd is refused to the process from now on.
static void refuse_userfaultfd()
{
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_userfaultfd, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    sock_fprog program = {4, filter};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
        abort();
}

extern "C" HRESULT D3D12CreateDevice(IUnknown *adapter, D3D_FEATURE_LEVEL level, REFIID iid, void **out)
{
    typedef HRESULT (*Create)(IUnknown *, D3D_FEATURE_LEVEL, REFIID, void **);
    static const bool once = (mode() == "old" || mode() == "sealed" ? refuse_userfaultfd() : void(), true);
    (void)once;
    HRESULT result = reinterpret_cast<Create>(core("D3D12CreateDevice"))(adapter, level, iid, out);
    if (FAILED(result) || !out || real_query)
        return result;
    auto *device = static_cast<ID3D12Device *>(*out);
    real_query = take(device, static_cast<HRESULT (IUnknown::*)(REFIID, void **)>(&IUnknown::QueryInterface), query);
    real_commit = take(device, &ID3D12Device::CreateCommittedResource, commit);
    ID3D12CommandQueue *queue = nullptr;
    D3D12_COMMAND_QUEUE_DESC description = {};
    if (SUCCEEDED(device->CreateCommandQueue(&description, IID_ID3D12CommandQueue, reinterpret_cast<void **>(&queue)))) {
        real_execute = take(queue, &ID3D12CommandQueue::ExecuteCommandLists, execute);
        queue->Release();
    }
    return result;
}
