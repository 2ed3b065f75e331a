//! The packages in use: a bare Debian 12 gets them, records and plays a real program with them, loses them, and has nothing left of them. The
//! Python module is tried in a bare Debian 11, whose glibc and Python are the oldest that it is for.
//!
//! Invariant: the root's files are listed before and after; what apt and dpkg keep for themselves is not looked at.

use super::stage::{LICENCES, LINUX, OF_LIBRARIES};
use super::{folder, output};
use crate::debian::{Recipe, Root};
use anyhow::{Context, Result, bail, ensure};
use reprise_testing::{artifact, missing};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// With the programs that are recorded, a display without a screen, and Mesa: bookworm's own is too old.
const ROOT: Recipe = Recipe { suite: "bookworm", include: "", further: Some("bookworm-backports"), script: NEEDED };
const NEEDED: &str = "apt-get update -qq && \
    apt-get install -qq -y --no-install-recommends vkd3d-demos mesa-utils xvfb shared-mime-info && \
    apt-get install -qq -y --no-install-recommends -t bookworm-backports mesa-vulkan-drivers libgl1-mesa-dri && \
    apt-get autoremove -qq -y --purge && apt-get clean";
/// With the oldest Python and the oldest glibc of a Debian that the module is for.
const OLD: Recipe = Recipe { suite: "bullseye", include: "python3-venv", further: None, script: "" };
/// What the module says of a golden trace.
const READ: &str = "import reprise; trace = reprise.open('gears.reprise'); \
    print(len(trace.frames()), sum(1 for _ in trace.calls(methods='Draw*')) > 0)";
/// What belongs to the package manager, to the kernel, or to this trial.
const NOT_LISTED: [&str; 10] = [
    "./proc",
    "./sys",
    "./dev",
    "./tmp",
    "./run",
    "./var/lib/dpkg",
    "./var/lib/apt",
    "./var/cache",
    "./var/log",
    "./etc/ld.so.cache",
];

/// Runs the trial.
pub(super) fn run(debs: &[PathBuf]) -> Result<()> {
    if let Err(missing) = missing::root() {
        bail!("the trial of the packages enters a root of Debian: {missing}");
    }
    let root = Root::made(&folder().join("debian12"), &ROOT)?;
    let packages = root.path().join("tmp/packages");
    let _ = fs::remove_dir_all(root.path().join("tmp/home"));
    let _ = fs::remove_dir_all(&packages);
    fs::create_dir_all(&packages)?;
    fs::create_dir_all(root.path().join("tmp/home"))?;
    // A trial that was interrupted has left its packages.
    let ours = "reprise reprise-query reprise-inspect reprise-linux-d3d12 reprise-windows";
    root.run(&format!("dpkg --purge {ours} && apt-get autoremove -qq -y --purge"))?;
    let before = listed(root.path())?;
    let mut names = Vec::new();
    for deb in debs {
        let name = deb.file_name().context("a package without a name")?;
        fs::copy(deb, packages.join(name))?;
        names.push(name.to_string_lossy().split('_').next().unwrap_or_default().to_owned());
    }
    step("installs", || root.run("apt-get install -qq -y --no-install-recommends /tmp/packages/*.deb"))?;
    let has = |name: &str| names.iter().any(|one| one == name);
    let used = use_them(&root, has("reprise-query"), has("reprise-inspect"), has("reprise-windows"));
    // Also where something failed: the next trial begins with a root without them.
    let names = names.join(" ");
    step("removes", || root.run(&format!("apt-get purge -qq -y {names} && apt-get autoremove -qq -y --purge")))?;
    used?;
    let after = listed(root.path())?;
    let left: Vec<_> = after.difference(&before).collect();
    let gone: Vec<_> = before.difference(&after).collect();
    ensure!(left.is_empty(), "files are left: {left:?}");
    ensure!(gone.is_empty(), "files of others are gone: {gone:?}");
    println!("package: trial: nothing is left, of {} files", before.len());
    Ok(())
}

/// The module in an environment of a system with an older glibc, where pip takes it and it reads a trace.
pub(super) fn module(wheel: &Path) -> Result<()> {
    let root = Root::made(&folder().join("debian11"), &OLD)?;
    let home = root.path().join("tmp/home");
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).with_context(|| home.display().to_string())?;
    let trace = artifact::workspace().join("crates/cli/tests/golden/v3/gears.reprise");
    for file in [wheel, &trace] {
        let to = home.join(file.file_name().context("a file without a name")?);
        fs::copy(file, to).with_context(|| file.display().to_string())?;
    }
    step("Python on Debian 11", || {
        let install = "python3 -m venv env && env/bin/pip install --quiet --no-index ./reprise-*.whl";
        let said = root.run(&format!("cd /tmp/home && {install} && env/bin/python -c \"{READ}\""))?;
        ensure!(said.lines().last() == Some("3 True"), "{said}");
        let licences = root.run("ls /tmp/home/env/lib/python3*/site-packages/reprise-*.dist-info/licenses")?;
        let missing = LICENCES.iter().chain([&OF_LIBRARIES]).find(|name| licences.lines().all(|line| line != **name));
        ensure!(missing.is_none(), "the wheel has no {}: {licences}", missing.unwrap_or(&""));
        Ok(said)
    })
}

fn use_them(root: &Root, query: bool, inspect: bool, windows: bool) -> Result<()> {
    step("is on its own", || {
        let said = root
            .run("ls /usr/lib/reprise /usr/share/man/man1/reprise*.1.gz && reprise --version && reprise gpus --json")?;
        ensure!(said.contains("llvmpipe") && said.contains("reprise-capture.1.gz"), "{said}");
        ensure!(said.contains("windows") == windows, "{said}");
        // Each program and library finds all that it is linked with.
        let links = root.run("ldd /usr/bin/reprise* /usr/lib/reprise/*.so")?;
        ensure!(!links.contains("not found"), "{links}");
        let manual = root.path().join("usr/share/doc/reprise");
        for page in ["README.md", "docs/manual/first-trace.md", "docs/manual/pictures/sheet.png"] {
            ensure!(manual.join(page).is_file(), "the manual has no {page}");
        }
        let kind = root.run("grep -c reprise /usr/share/mime/globs2")?;
        ensure!(kind.trim() == "1", "the MIME type is not registered: {kind}");
        Ok(said)
    })?;
    step("records", || {
        on_display(
            root,
            "reprise capture --frame-hashes h.txt --frames 1-10 --quit-after-capture-frames -o gears.reprise -- vkd3d-gears",
        )
    })?;
    step("plays", || {
        let said = root.run("cd /tmp/home && reprise info gears.reprise && { reprise verify --runtime ours gears.reprise || test $? = 1; } && \
            reprise replay --screenshots 3 gears.reprise && ls -l frame_000003.png",
        )?;
        ensure!(said.contains("frames:      10") && said.contains("damaged:     no"), "{said}");
        Ok(said)
    })?;
    step("records OpenGL", || opengl(root))?;
    step("runs on ours", || root.run("cd /tmp/home && reprise run -- true; test $? = 124"))?;
    if query {
        step("asks", || {
            let said = root
                .run("cd /tmp/home && reprise query --format csv gears.reprise 'SELECT count(*) AS n FROM frames'")?;
            ensure!(said.lines().any(|line| line == "10"), "{said}");
            Ok(said)
        })?;
    }
    if inspect {
        step("opens the page", || page(root))?;
    }
    Ok(())
}

/// An OpenGL program is a Direct3D 12 program, with nothing but the packages; and the names of the runtime lead to it.
fn opengl(root: &Root) -> Result<String> {
    on_display(root, "reprise capture --gl --frames 1-10 --quit-after-capture-frames -o gl.reprise -- glxgears")?;
    let said = root.run("cd /tmp/home && reprise info gl.reprise && reprise verify --runtime ours gl.reprise")?;
    ensure!(said.contains("frames:      10") && said.contains("damaged:     no"), "{said}");
    let links =
        root.run("cd /usr/lib/reprise/linux-d3d12 && for name in *; do echo $name $(readlink -e $name); done")?;
    let lead = |name: &&str| links.contains(&format!("{name} /usr/lib/reprise/libreprise_d3d12.so\n"));
    ensure!(LINUX.iter().all(lead), "{links}");
    Ok(said)
}

/// Runs a command in the home folder, with a display that has no screen.
fn on_display(root: &Root, command: &str) -> Result<String> {
    let display = "Xvfb -displayfd 5 -nolisten tcp -screen 0 640x480x24 5>display 2>/dev/null & server=$!; \
        for i in $(seq 100); do test -s display && break; sleep 0.1; done; export DISPLAY=:$(cat display)";
    root.run(&format!(
            "cd /tmp/home && rm -f display && {{ {display}; }} && {{ {command}; ended=$?; kill $server; wait $server; }}; exit $ended"
        ),
    )
}

/// The page answers who has the link, and nobody else.
fn page(root: &Root) -> Result<String> {
    let mut server = root.shell("cd /tmp/home && exec reprise inspect gears.reprise");
    let mut server =
        server.stdout(Stdio::piped()).stdin(Stdio::null()).spawn().context("cannot start reprise inspect")?;
    let asked = || -> Result<String> {
        let mut link = String::new();
        BufReader::new(server.stdout.take().context("no output")?).read_line(&mut link)?;
        let (place, token) =
            link.trim().strip_prefix("http://").and_then(|rest| rest.split_once('/')).context("no link")?;
        let (page, traces) = (get(place, &format!("/{token}"))?, get(place, &format!("/{token}api/traces"))?);
        ensure!(page.starts_with("HTTP/1.1 200") && page.contains("<html"), "{page}");
        ensure!(traces.starts_with("HTTP/1.1 200") && traces.contains("\"frames\":10"), "{traces}");
        let other = get(place, "/0123456789abcdef/api/traces")?;
        ensure!(other.starts_with("HTTP/1.1 404"), "a wrong token is answered: {other}");
        Ok(traces)
    };
    let asked = {
        let mut asked = asked;
        asked()
    };
    // By its number: unshare ends what it started.
    let _ = server.kill();
    let _ = server.wait();
    asked
}

fn get(place: &str, path: &str) -> Result<String> {
    let mut stream = TcpStream::connect(place).with_context(|| place.to_owned())?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {place}\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

fn step(what: &str, run: impl FnOnce() -> Result<String>) -> Result<()> {
    run().with_context(|| format!("package: trial: {what}"))?;
    println!("package: trial: {what}");
    Ok(())
}

fn listed(root: &Path) -> Result<BTreeSet<String>> {
    let said = output(Command::new("find").arg(".").current_dir(root))?;
    let skipped = |path: &&str| {
        NOT_LISTED
            .iter()
            .any(|skip| path.strip_prefix(skip).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    };
    Ok(said.lines().filter(|path| !skipped(path)).map(str::to_owned).collect())
}
