//! What the file name of a runtime's library tells. A path will do.

use crate::abi::Convention;

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether it is a library of a runtime that is known.
pub fn is_runtime(path: &str) -> bool {
    name(path).starts_with("libvkd3d") || name(path).starts_with("libreprise_d3d12") || is_linux(path)
}

/// Whether it is a library that Microsoft's Linux Direct3D 12 programs load. Ours are one file, which is known by the name that was
/// loaded first.
fn is_linux(path: &str) -> bool {
    matches!(name(path), "libd3d12.so" | "libd3d12core.so" | "libdxcore.so")
}

/// Whether its `WCHAR` is UTF-16, as on Windows, and not the system's `wchar_t`.
pub fn has_utf_16(path: &str) -> bool {
    let name = name(path);
    name.starts_with("libvkd3d-proton") || name.starts_with("libreprise_d3d12")
}

/// The convention of its `D3D12*` functions and of all methods: of those known only the original vkd3d's speak win64, and only those
/// that Microsoft's Linux programs load have C++'s way with structures.
pub fn convention(path: &str) -> Convention {
    let name = name(path);
    // A library that says so itself.
    if name.contains("win64") {
        return Convention::Win64;
    }
    if name.contains("itanium") || is_linux(name) {
        return Convention::Itanium;
    }
    let original =
        name.strip_prefix("libvkd3d").is_some_and(|rest| rest.starts_with(".so") || rest.starts_with("-utils.so"));
    if original { Convention::Win64 } else { Convention::SystemV }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_tells_the_convention_and_the_width_of_characters() {
        for (path, expected) in [
            ("/usr/lib/x86_64-linux-gnu/libvkd3d.so.1", Convention::Win64),
            ("libvkd3d-utils.so.1.4.1", Convention::Win64),
            ("libreprise_null_win64.so", Convention::Win64),
            ("libreprise_null_sysv.so", Convention::SystemV),
            ("/opt/libvkd3d-proton-d3d12.so", Convention::SystemV),
            ("/opt/libvkd3d-proton-d3d12core.so.0", Convention::SystemV),
            ("/opt/libvkd3d/libreprise_d3d12.so", Convention::SystemV),
            ("libreprise_null_itanium.so", Convention::Itanium),
            ("/usr/lib/wsl/lib/libd3d12.so", Convention::Itanium),
            ("/usr/lib/wsl/lib/libd3d12core.so", Convention::Itanium),
            ("/opt/libd3d12.so.d/libreprise_d3d12.so", Convention::SystemV),
        ] {
            assert_eq!(convention(path), expected, "{path}");
        }
        for (path, expected) in [
            ("/usr/lib/libvkd3d-utils.so.1", false),
            ("libreprise_null_sysv.so", false),
            ("/usr/lib/wsl/lib/libd3d12.so", false),
            ("/opt/libvkd3d-proton-d3d12.so", true),
            ("/opt/libvkd3d-proton-d3d12core.so", true),
            ("/opt/libreprise_d3d12.so", true),
        ] {
            assert_eq!(has_utf_16(path), expected, "{path}");
        }
    }
}
