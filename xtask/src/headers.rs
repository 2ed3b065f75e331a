//! `cargo xtask headers FOLDER`: compares the model with a version of Microsoft's headers that is not installed. The tests are those of
//! `reprise-d3d12` called `headers`, which take Debian's otherwise.

use crate::cargo;
use anyhow::{Context, Result, bail, ensure};
use std::path::Path;

/// Where the headers lie in what people unpack: the headers alone, their repository, Debian's package.
const PLACES: [&str; 3] = ["", "include", "usr/include"];

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let [folder] = arguments else {
        bail!("headers takes a folder: DirectX-Headers' repository, or what dpkg -x unpacks of directx-headers-dev")
    };
    let folder = Path::new(folder).canonicalize().with_context(|| folder.clone())?;
    let include = PLACES.iter().map(|place| folder.join(place)).find(|place| place.join("directx/d3d12.h").is_file());
    let include = include.with_context(|| format!("{}: no directx/d3d12.h, also not in include", folder.display()))?;
    let mut command = cargo::command();
    command.args([
        "test",
        "--quiet",
        "--package",
        "reprise-d3d12",
        "--test",
        "headers",
        "--",
        "--nocapture",
        "microsofts",
    ]);
    let status = command.env("REPRISE_DIRECTX_HEADERS", include).status().context("cannot run cargo")?;
    ensure!(status.success(), "the headers declare what the model does not have, or has otherwise: see above");
    Ok(())
}
