#!/bin/bash
# Microsoft's two HLSL compilers (d3dcompiler_47.dll and dxcompiler.dll of the npm package webgpu 0.6.2) check root signatures that they
# write, and do not check what these cost: one of 65 words of root arguments is written without a message, though a root signature has 64
# at most ("Root Signature Limits" in Direct3D 12's documentation). Of other rules they check many, as that no register is claimed twice.
#
# So a root signature that the compiler took may still fail in ID3D12Device::CreateRootSignature. And a runtime whose serialisation refuses
# the 65 words refuses more than these compilers, while one that writes registers that are claimed twice refuses less.
#
# Seen on Debian 12 with Wine 8.0, 29 November 2026:
#   d3dcompiler_47, 64 words: written
#   d3dcompiler_47, 65 words: written
#   d3dcompiler_47, a register claimed twice: refused
#   dxcompiler, 64 words: written
#   dxcompiler, 65 words: written
#   dxcompiler, a register claimed twice: refused
#
# Needs npm, wine64 and gcc-mingw-w64-x86-64.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm pack --silent webgpu@0.6.2 > /dev/null
tar xzf webgpu-0.6.2.tgz --strip-components=3 package/dist/win32-x64/d3dcompiler_47.dll package/dist/win32-x64/dxcompiler.dll
cat > written.c <<'C'
#include <stdio.h>
#include <string.h>
#include <windows.h>

static const char *NAMES[] = {"64 words", "65 words", "a register claimed twice"};
static const char *ENTRIES[] = {"Most", "More", "Twice"};
static const WCHAR *WIDE[] = {L"Most", L"More", L"Twice"};
static const char SOURCE[] = "#define Most \"RootConstants(num32BitConstants=64, b0)\"\n"
                             "#define More \"RootConstants(num32BitConstants=65, b0)\"\n"
                             "#define Twice \"CBV(b0), RootConstants(num32BitConstants=1, b0)\"\n";

typedef HRESULT WINAPI Compile(const void *, SIZE_T, const char *, const void *, void *, const char *, const char *, UINT, UINT, void **,
                               void **);
typedef HRESULT WINAPI Create(const GUID *, const GUID *, void **);
/* The first members of the interfaces' tables: those of IUnknown, then one. */
typedef struct { void *unknown[3]; HRESULT (WINAPI *compile)(void *, const void *, const WCHAR **, UINT, void *, const GUID *, void **); } Compiler;
typedef struct { void *unknown[3]; HRESULT (WINAPI *status)(void *, HRESULT *); } Result;
typedef struct { const void *start; SIZE_T size; UINT encoding; } Buffer;

static const GUID CLASS = {0x73e22d93, 0xe6ce, 0x47f3, {0xb5, 0xbf, 0xf0, 0x66, 0x4f, 0x39, 0xc1, 0xb0}};
static const GUID COMPILER = {0x228b4687, 0x5a6a, 0x4730, {0x90, 0x0c, 0x97, 0x02, 0xb2, 0x20, 0x3f, 0x54}};
static const GUID RESULT = {0x58346cda, 0xdde7, 0x4497, {0x94, 0x61, 0x6f, 0x87, 0xaf, 0x5e, 0x06, 0x59}};

int main(void) {
    Compile *compile = (Compile *)GetProcAddress(LoadLibraryA("d3dcompiler_47.dll"), "D3DCompile");
    Create *create = (Create *)GetProcAddress(LoadLibraryA("dxcompiler.dll"), "DxcCreateInstance");
    for (int i = 0; i < 3; i++) {
        void *code = NULL, *errors = NULL;
        HRESULT done = compile(SOURCE, strlen(SOURCE), NULL, NULL, NULL, ENTRIES[i], "rootsig_1_1", 0, 0, &code, &errors);
        printf("d3dcompiler_47, %s: %s\n", NAMES[i], SUCCEEDED(done) ? "written" : "refused");
    }
    Compiler **compiler;
    if (FAILED(create(&CLASS, &COMPILER, (void **)&compiler))) return 1;
    for (int i = 0; i < 3; i++) {
        const Buffer source = {SOURCE, strlen(SOURCE), CP_UTF8};
        const WCHAR *arguments[] = {L"-T", L"rootsig_1_1", L"-E", WIDE[i]};
        Result **result;
        HRESULT done;
        if (FAILED((*compiler)->compile(compiler, &source, arguments, 4, NULL, &RESULT, (void **)&result))) return 1;
        if (FAILED((*result)->status(result, &done))) return 1;
        printf("dxcompiler, %s: %s\n", NAMES[i], SUCCEEDED(done) ? "written" : "refused");
    }
    return 0;
}
C
x86_64-w64-mingw32-gcc -O -o written.exe written.c
export WINEPREFIX=$folder/prefix WINEDEBUG=-all WINEDLLOVERRIDES="d3dcompiler_47,dxcompiler=n;mscoree,mshtml="
export XDG_RUNTIME_DIR=$folder
"$(command -v wine64 || echo /usr/lib/wine/wine64)" written.exe 2> messages.txt | tr -d '\r' > seen.txt
cat seen.txt
diff seen.txt - <<'SEEN'
d3dcompiler_47, 64 words: written
d3dcompiler_47, 65 words: written
d3dcompiler_47, a register claimed twice: refused
dxcompiler, 64 words: written
dxcompiler, 65 words: written
dxcompiler, a register claimed twice: refused
SEEN
