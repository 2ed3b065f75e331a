/* A program's own D3D12Core.dll. Nothing of ours loads it: it ends the program that does. */

__declspec(dllimport) void __stdcall ExitProcess(unsigned code);

int __stdcall DllMain(void *module, unsigned reason, void *reserved)
{
    (void)module;
    (void)reserved;
    if (reason == 1)
        ExitProcess(77);
    return 1;
}
