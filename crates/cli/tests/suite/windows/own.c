/* A program's own d3d12.dll: it has one function, which refuses with a number that nobody else uses. */

__declspec(dllexport) long __stdcall D3D12CreateDevice(void *adapter, int level, const void *iid, void **device)
{
    (void)adapter;
    (void)level;
    (void)iid;
    if (device)
        *device = 0;
    return 0x88888888;
}
