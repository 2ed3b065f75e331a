//! Files where an installation has them: a tree for each package.
//!
//! `reprise` finds its libraries in `../lib/reprise` beside itself, and programs at the edge beside itself or in `PATH`.

use super::build::Built;
use super::{licences, output, symbols, tool};
use anyhow::{Context, Result};
use reprise_testing::artifact;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Libraries for native programs.
const LIBRARIES: [&str; 2] = ["libreprise_capture.so", RUNTIME];
const RUNTIME: &str = "libreprise_d3d12.so";
/// Libraries for Windows programs, as `cargo xtask build-windows` lays them.
pub(super) const WINDOWS: [&str; 6] =
    ["reprise_capture.dll", "d3d12.dll", "d3d12core.dll", "dxgi.dll", "runtime/d3d12.dll", "runtime/d3d12core.dll"];
/// The names under which programs for Microsoft's Linux Direct3D 12 load our runtime. The folder is for them alone: in a system's folder
/// they would stand in the place of Microsoft's own.
pub(super) const LINUX: [&str; 3] = ["libd3d12.so", "libd3d12core.so", "libdxcore.so"];
/// Our licences, in files of the workspace's root, and the file with those of what is linked in.
pub(super) const LICENCES: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];
pub(super) const OF_LIBRARIES: &str = "LICENSES-OF-LIBRARIES";
/// A shell, and where it looks for completions.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/reprise"),
    ("zsh", "usr/share/zsh/vendor-completions/_reprise"),
    ("fish", "usr/share/fish/vendor_completions.d/reprise.fish"),
];
/// Pages and folders of the manual, and what of these folders belongs to it: nothing that somebody's editor left there.
const MANUAL: [&str; 6] = ["README.md", "ARCHITECTURE.md", "FORMAT.md", "TESTING.md", "docs", "edge/python/examples"];
const MANUAL_KINDS: [&str; 6] = ["md", "png", "svg", "ipynb", "c", "py"];

/// A package as a tree of files, with its symbols in a tree of their own.
pub(super) struct Stage {
    pub(super) name: &'static str,
    /// The crate whose manifest describes the package, from the workspace's root.
    pub(super) manifest: &'static str,
    pub(super) root: PathBuf,
    pub(super) debug: PathBuf,
    /// What is packed as `reprise-NAME`, beside the package itself, by name.
    pub(super) further: Vec<(&'static str, PathBuf)>,
}

/// Lays all packages below a folder. All files get the time `epoch`.
pub(super) fn lay(built: &Built, folder: &Path, epoch: u64) -> Result<Vec<Stage>> {
    let stage = |name, manifest| Stage {
        name,
        manifest,
        root: folder.join(name),
        debug: folder.join(format!("{name}-dbgsym")).join("usr/lib/debug"),
        further: Vec::new(),
    };
    let mut all = vec![stage("reprise", "crates/cli/Cargo.toml")];
    main(built, &all[0])?;
    all[0].further.push(("linux-d3d12", linux(folder)?));
    if let Some(libraries) = &built.windows {
        let root = folder.join("reprise-windows");
        for name in WINDOWS {
            copy(&libraries.join(name), &root.join("usr/lib/reprise/windows").join(name))?;
        }
        all[0].further.push(("windows", root));
    }
    for (name, program) in &built.edge {
        let manifest = if *name == "reprise-query" { "edge/query/Cargo.toml" } else { "edge/inspect/Cargo.toml" };
        let one = stage(name, manifest);
        edge(&one, program)?;
        all.push(one);
    }
    let mut touch = Command::new("find");
    touch.arg(folder).args(["-exec", "touch", "--no-dereference", "-d"]).arg(format!("@{epoch}")).args(["{}", "+"]);
    tool(&mut touch)?;
    Ok(all)
}

fn main(built: &Built, stage: &Stage) -> Result<()> {
    let root = &stage.root;
    symbols::split(&built.programs.join("reprise"), &root.join("usr/bin/reprise"), &stage.debug, "usr/bin/reprise")?;
    for name in LIBRARIES {
        let place = format!("usr/lib/reprise/{name}");
        symbols::split(&built.programs.join(name), &root.join(&place), &stage.debug, &place)?;
    }
    let program = root.join("usr/bin/reprise");
    let pages = root.join("usr/share/man/man1");
    tool(Command::new(&program).args(["man", "-o"]).arg(&pages))?;
    compress(&pages)?;
    for (shell, place) in COMPLETIONS {
        let text = output(Command::new(&program).args(["completions", shell]))?;
        write(&root.join(place), text.as_bytes())?;
    }
    let header = "reprise_observer.h";
    let include = artifact::workspace().join("crates/cli/include");
    copy(&include.join(header), &root.join("usr/include").join(header))?;
    let packaging = artifact::workspace().join("packaging");
    copy(&packaging.join("reprise.xml"), &root.join("usr/share/mime/packages/reprise.xml"))?;
    manual(stage)?;
    documents(stage)
}

/// The manual, for people who have no clone: its pages lie to each other as in the sources, so links and pictures work.
fn manual(stage: &Stage) -> Result<()> {
    let mut pages = MANUAL.map(PathBuf::from).to_vec();
    while let Some(page) = pages.pop() {
        let from = artifact::workspace().join(&page);
        if from.is_dir() {
            let entries = fs::read_dir(&from).with_context(|| from.display().to_string())?;
            for entry in entries {
                pages.push(page.join(entry?.file_name()));
            }
        } else if page.extension().is_some_and(|kind| MANUAL_KINDS.iter().any(|one| kind == *one)) {
            copy(&from, &stage.root.join("usr/share/doc").join(stage.name).join(&page))?;
        }
    }
    Ok(())
}

/// Links to the runtime of the main package.
fn linux(folder: &Path) -> Result<PathBuf> {
    let root = folder.join("reprise-linux-d3d12");
    let links = root.join("usr/lib/reprise/linux-d3d12");
    fs::create_dir_all(&links).with_context(|| links.display().to_string())?;
    for name in LINUX {
        symlink(Path::new("..").join(RUNTIME), links.join(name)).with_context(|| links.display().to_string())?;
    }
    Ok(root)
}

fn edge(stage: &Stage, program: &Path) -> Result<()> {
    let (root, name) = (&stage.root, stage.name);
    let place = format!("usr/bin/{name}");
    symbols::split(program, &root.join(&place), &stage.debug, &place)?;
    // The pages of these programs are in the main package.
    if name == "reprise-inspect" {
        let desktop = artifact::workspace().join("packaging/reprise-inspect.desktop");
        copy(&desktop, &root.join("usr/share/applications/reprise-inspect.desktop"))?;
    }
    documents(stage)
}

/// Licences: ours, and those of all that is linked in.
fn documents(stage: &Stage) -> Result<()> {
    let place = stage.root.join("usr/share/doc").join(stage.name);
    for name in LICENCES {
        copy(&artifact::workspace().join(name), &place.join(name))?;
    }
    write(&place.join(OF_LIBRARIES), licences::text(stage.manifest)?.as_bytes())?;
    tool(Command::new("gzip").args(["-9", "-n", "-f"]).arg(place.join(OF_LIBRARIES)))
}

fn compress(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        tool(Command::new("gzip").args(["-9", "-n", "-f"]).arg(entry?.path()))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let bytes = fs::read(from).with_context(|| from.display().to_string())?;
    write(to, &bytes)
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().context("no folder")?;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    fs::write(path, bytes).with_context(|| path.display().to_string())
}
