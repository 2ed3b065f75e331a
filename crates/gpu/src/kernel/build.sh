#!/bin/sh
# Makes the .spv files beside this script from the .comp files; run it after a change and commit both. Needs glslang and SPIRV-Tools.
set -eu
cd "$(dirname "$0")"
build() {
    output=$1
    source=$2
    shift 2
    glslangValidator -V --target-env vulkan1.3 --quiet -g0 "$@" -o "$output.spv" "$source.comp"
    spirv-val --target-env vulkan1.3 "$output.spv"
}
build fill fill
build gather gather
build commands commands
build expand expand
build paint_1d paint -DIMAGE=uimage1DArray -DAT=place.xz
build paint_2d paint -DIMAGE=uimage2DArray -DAT=place
build paint_3d paint -DIMAGE=uimage3D -DAT=place
build resolve_float resolve -DFROM=texture2DMSArray -DTO=image2D -DVALUE=vec4 -DOUT=all
build resolve_uint resolve -DFROM=utexture2DMSArray -DTO=uimage2D -DVALUE=uvec4 -DOUT=all
build resolve_int resolve -DFROM=itexture2DMSArray -DTO=iimage2D -DVALUE=ivec4 -DOUT=all
build resolve_unorm24 resolve -DFROM=texture2DMSArray -DTO=uimage2D -DVALUE=vec4 "-DOUT=uvec4(round(all*16777215.0))"
build decode decode
build encode encode
build node_inputs node_inputs
build node_groups node_groups
build node_records node_records
build inflate inflate
build spin spin
