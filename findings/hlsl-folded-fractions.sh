#!/bin/bash
# Microsoft's two HLSL compilers (d3dcompiler_47.dll and dxcompiler.dll of the npm package webgpu 0.6.2) compute some constants otherwise than
# the instructions that stand for the same functions. fxc rounds a half away from zero: round(2.5) is 3, though its instruction, round_ne,
# goes to the even number (Direct3D 11.3 functional specification, "round_ne"), and dxc gives 2. dxc takes the fraction of a negative constant
# that it finds in a variable towards zero: frac(-4.75) is 0.75, though its instruction, Frc, subtracts the next lower number ("frc" of the same
# specification), and fxc gives 0.25. Written without the variable it is right in dxc, too.
#
# So a value may change when a constant becomes a parameter, or a shader moves to the other compiler. Whoever compares shaders' results on a
# processor with those of a GPU cannot tell such a shader from a wrong driver, unless they look at the code.
#
# Seen on Debian 12 with Wine 8.0, 29 November 2026:
#   round(2.5): fxc 3, dxc 2
#   round(3.5): fxc 4, dxc 4
#   frac(-4.75): fxc 0.25, dxc 0.25
#   frac(-4.75) of a variable: fxc 0.25, dxc 0.75
#   frac(4.75) of a variable: fxc 0.75, dxc 0.75
#   round(c) of a constant buffer: fxc computed, dxc computed
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
        {"round(2.5)", "float main() : SV_Target { return round(2.5); }"},
        {"round(3.5)", "float main() : SV_Target { return round(3.5); }"},
        {"frac(-4.75)", "float main() : SV_Target { return frac(-4.75); }"},
        {"frac(-4.75) of a variable", "float main() : SV_Target { float x = -4.75; return frac(x); }"},
        {"frac(4.75) of a variable", "float main() : SV_Target { float x = 4.75; return frac(x); }"},
        {"round(c) of a constant buffer", "float c; float main() : SV_Target { return round(c); }"},
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
round(2.5): fxc 3, dxc 2
round(3.5): fxc 4, dxc 4
frac(-4.75): fxc 0.25, dxc 0.25
frac(-4.75) of a variable: fxc 0.25, dxc 0.75
frac(4.75) of a variable: fxc 0.75, dxc 0.75
round(c) of a constant buffer: fxc computed, dxc computed
SEEN
