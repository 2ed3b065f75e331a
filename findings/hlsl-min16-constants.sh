#!/bin/bash
# Microsoft's two HLSL compilers (d3dcompiler_47.dll and dxcompiler.dll of the npm package webgpu 0.6.2) lay out constant buffers alike, as
# "Packing rules for constant variables" of the HLSL reference says, until a member has minimum precision. At the top of a constant buffer
# both give min16float registers of their own, away from full precision. Within a structure fxc goes on doing so, and dxc packs both kinds
# together; behind an array of min16uint fxc begins a register, and dxc fills the last one. So the offsets of all that follows differ.
#
# A program that stores constants by one layout and has its shaders compiled by both, for shader model 5 and for 6, gives one of them other
# numbers, without a message. A tool that reads constants by their declaration has to know which compiler the shader is of. Members of full
# precision, or packoffset, agree.
#
# Seen on Debian 12 with Wine 8.0, 29 November 2026 (offsets by fxc, by dxc):
#   float: s 16 16, s.a 16 16, s.b 20 20, s.c 24 24, t 28 28, u 32 32, v 68 68
#   min16: s 16 16, s.a 16 16, s.b 32 20, s.c 48 24, t 52 28, u 64 32, v 112 68
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

/* The offset behind the first line that declares a name. */
static int offset(const char *listing, const char *name) {
    char pattern[32];
    snprintf(pattern, sizeof pattern, " %s;", name);
    const char *line = strstr(listing, pattern);
    const char *place = line ? strstr(line, "Offset:") : NULL;
    return place ? atoi(place + 7) : -1;
}

int main(void) {
    static const char *NAMES[] = {"s", "s.a", "s.b", "s.c", "t", "u", "v"};
    static const char *FIELDS[] = {"s", "sa", "sb", "sc", "t", "u[3]", "v"};
    static const char *KINDS[][3] = {{"float", "float", "float"}, {"min16", "min16float", "min16uint"}};
    for (int kind = 0; kind < 2; kind++) {
        char source[512];
        snprintf(source, sizeof source,
                 "struct S { float sa; %s sb; float sc; };\n"
                 "cbuffer C { float4 r; S s; float t; %s u[3]; float v; }\n"
                 "float4 main() : SV_Target { return r + s.sa + s.sb + s.sc + t + u[2] + v; }\n",
                 KINDS[kind][1], KINDS[kind][2]);
        char *fxc = by_fxc(source), *dxc = by_dxc(source);
        printf("%s:", KINDS[kind][0]);
        for (int field = 0; field < 7; field++)
            printf("%s %s %d %d", field ? "," : "", NAMES[field], offset(fxc, FIELDS[field]), offset(dxc, FIELDS[field]));
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
float: s 16 16, s.a 16 16, s.b 20 20, s.c 24 24, t 28 28, u 32 32, v 68 68
min16: s 16 16, s.a 16 16, s.b 32 20, s.c 48 24, t 52 28, u 64 32, v 112 68
SEEN
