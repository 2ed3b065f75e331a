//! A build without Microsoft's compiler library: its interfaces on Windows are not those that `dxc` knows.

use anyhow::bail;
use std::path::{Path, PathBuf};

/// # Errors
/// Always.
pub(crate) fn disassemble(_library: &Path, _container: &[u8]) -> anyhow::Result<Vec<u8>> {
    check().map(|()| Vec::new())
}

pub(crate) fn library() -> PathBuf {
    PathBuf::new()
}

/// # Errors
/// Always.
pub(crate) fn check() -> anyhow::Result<()> {
    bail!("--disassemble=dxc is not part of reprise.exe: extract the containers, and read them with dxc.exe")
}
