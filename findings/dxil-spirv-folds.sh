#!/bin/bash
# dxil-spirv 2.72.1 (crate dxil-spirv-sys 0.1.0+dxil-spirv.2.72.1), its front end for DXBC (dxbc-spirv): two results of shaders that the
# compiler did not optimise are wrong, without a message.
#
# 1. The remainder of two constants is their quotient: 7 % 4 is stored as 1, not as 3.
# 2. min(-a, -a) of two negations that are two instructions becomes -|a|: for a = -1 it is -1, not 1.
#
# Seen on Debian 12 with Rust 1.95, 28 November 2026:
#   7 % 4 is stored as 1
#   min(-a, -a) takes an absolute value: 1
#
# Needs cargo, cmake, a C++ compiler and libclang (for bindgen). Compiling the crate takes some minutes. The shaders are ours, of HLSL by
# fxc cs_5_0 /Od:
#   RWByteAddressBuffer results : register(u0);
#   uint seven = 7; results.Store(0, seven % 4);
#   float a = asfloat(results.Load(4)); float b = -a, c = -a; results.Store(0, asuint(min(b, c)));
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat > Cargo.toml <<'TOML'
[package]
name = "folds"
version = "0.1.0"
edition = "2021"

[dependencies]
dxil-spirv-sys = "=0.1.0"
TOML
base64 -d > src/remainder.dxbc <<'DXBC'
RFhCQyKu5sswEDNItc8ebT248oABAAAAJAIAAAUAAAA0AAAAyAAAANgAAADoAAAAiAEAAFJERUaMAAAAAAAAAAAAAAABAAAAPAAAAAAFU0MEAQAAZAAAAFJEMTE8AAAAGAAAACAAAAAo
AAAAJAAAAAwAAAAAAAAAXAAAAAgAAAAGAAAAAQAAAAAAAAAAAAAAAQAAAAEAAAByZXN1bHRzAE1pY3Jvc29mdCAoUikgSExTTCBTaGFkZXIgQ29tcGlsZXIgMTAuMQBJU0dOCAAAAAAA
AAAIAAAAT1NHTggAAAAAAAAACAAAAFNIRViYAAAAUAAFACYAAABqiAABnQAAAwDgEQAAAAAAaAAAAgEAAACbAAAEAQAAAAEAAAABAAAANgAABRIAEAAAAAAAAUAAAAcAAAA2AAAFIgAQ
AAAAAAABQAAABAAAAE4AAAgA0AAAEgAQAAAAAAAKABAAAAAAABoAEAAAAAAApgAABxLgEQAAAAAAAUAAAAAAAAAKABAAAAAAAD4AAAFTVEFUlAAAAAUAAAABAAAAAAAAAAAAAAAAAAAA
AAAAAAEAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
AAAAAAAAAAAAAAAAAAAAAAAAAAEAAAA=
DXBC
base64 -d > src/smaller.dxbc <<'DXBC'
RFhCQ2fYeyILDLZBI5QUFpVXEkEBAAAATAIAAAUAAAA0AAAAyAAAANgAAADoAAAAsAEAAFJERUaMAAAAAAAAAAAAAAABAAAAPAAAAAAFU0MEAQAAZAAAAFJEMTE8AAAAGAAAACAAAAAo
AAAAJAAAAAwAAAAAAAAAXAAAAAgAAAAGAAAAAQAAAAAAAAAAAAAAAQAAAAEAAAByZXN1bHRzAE1pY3Jvc29mdCAoUikgSExTTCBTaGFkZXIgQ29tcGlsZXIgMTAuMQBJU0dOCAAAAAAA
AAAIAAAAT1NHTggAAAAAAAAACAAAAFNIRVjAAAAAUAAFADAAAABqiAABnQAAAwDgEQAAAAAAaAAAAgEAAACbAAAEAQAAAAEAAAABAAAApQAAicICAICDmRkAEgAQAAAAAAABQAAABAAA
AAbgEQAAAAAANgAABiIAEAAAAAAACgAQgEEAAAAAAAAANgAABhIAEAAAAAAACgAQgEEAAAAAAAAAMwAABxIAEAAAAAAACgAQAAAAAAAaABAAAAAAAKYAAAcS4BEAAAAAAAFAAAAAAAAA
CgAQAAAAAAA+AAABU1RBVJQAAAAGAAAAAQAAAAAAAAAAAAAAAwAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAAA
DXBC
cat > src/main.rs <<'RUST'
use dxil_spirv_sys as sys;

/// The instructions of a translated shader: opcode and operands.
fn translated(dxbc: &[u8]) -> Vec<(u32, Vec<u32>)> {
    let words = unsafe {
        let mut blob = std::ptr::null_mut();
        assert_eq!(sys::dxil_spv_parse_dxil_blob(dxbc.as_ptr().cast(), dxbc.len(), &mut blob) as i32, 0);
        let mut converter = std::ptr::null_mut();
        assert_eq!(sys::dxil_spv_create_converter(blob, &mut converter) as i32, 0);
        assert_eq!(sys::dxil_spv_converter_run(converter) as i32, 0);
        let mut made = sys::dxil_spv_compiled_spirv { data: std::ptr::null(), size: 0 };
        assert_eq!(sys::dxil_spv_converter_get_compiled_spirv(converter, &mut made) as i32, 0);
        std::slice::from_raw_parts(made.data.cast::<u32>(), made.size / 4).to_vec()
    };
    let (mut at, mut all) = (5, Vec::new());
    while at < words.len() {
        let length = (words[at] >> 16) as usize;
        all.push((words[at] & 0xffff, words[at + 1..at + length].to_vec()));
        at += length;
    }
    all
}

fn main() {
    unsafe { sys::dxil_spv_begin_thread_allocator_context() };
    // OpImageWrite is 99, OpConstantComposite 44, OpCompositeConstruct 80, OpConstant 43, OpExtInst 12, FAbs 4.
    let all = translated(include_bytes!("remainder.dxbc"));
    let operands = |ops: &[u32], id: u32| all.iter().find(|(op, it)| ops.contains(op) && it[1] == id).map(|(_, it)| it[2]);
    let stored = all.iter().filter(|(op, _)| *op == 99).map(|(_, it)| operands(&[44, 80], it[2]).unwrap_or(it[2]));
    let stored: Vec<String> = stored.filter_map(|id| operands(&[43], id)).map(|it| it.to_string()).collect();
    println!("7 % 4 is stored as {}", stored.join(", "));
    let all = translated(include_bytes!("smaller.dxbc"));
    println!("min(-a, -a) takes an absolute value: {}", all.iter().filter(|(op, it)| *op == 12 && it[3] == 4).count());
}
RUST
cargo run --quiet > seen.txt
cat seen.txt
diff seen.txt - <<'SEEN'
7 % 4 is stored as 1
min(-a, -a) takes an absolute value: 1
SEEN
