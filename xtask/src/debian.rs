//! Roots of Debian: made once by debootstrap, and entered in namespaces of their own.
//!
//! Invariant: a root that is there is whole, and nothing stays mounted when what runs in it has ended.

use anyhow::{Context, Result, bail, ensure};
use reprise_testing::{artifact, missing};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a root is made of.
pub(crate) struct Recipe {
    /// Debian's release.
    pub(crate) suite: &'static str,
    /// Packages that debootstrap installs beside the least that a system has, with commas between them.
    pub(crate) include: &'static str,
    /// Another suite of the mirror, from which packages may come.
    pub(crate) further: Option<&'static str>,
    /// What completes the root. It runs again where it has changed: it installs what is not installed.
    pub(crate) script: &'static str,
}

/// A root that is there.
#[derive(Clone, Debug)]
pub(crate) struct Root(PathBuf);

impl Root {
    /// The root at a path, made if it is not there or is made otherwise.
    pub(crate) fn made(path: &Path, recipe: &Recipe) -> Result<Root> {
        missing::root()?;
        let root = Root(path.to_owned());
        let (base, done) = (path.with_extension("base"), path.with_extension("done"));
        let wanted = format!("{} {} {}", recipe.suite, recipe.include, recipe.further.unwrap_or_default());
        let says = |file: &Path, text: &str| fs::read_to_string(file).is_ok_and(|found| found == text);
        if !path.is_dir() || !says(&base, &wanted) {
            missing::program("debootstrap", "debootstrap")?;
            root.bootstrap(recipe)?;
            let _ = fs::remove_file(&done);
            fs::write(&base, wanted).with_context(|| base.display().to_string())?;
        }
        if !recipe.script.is_empty() && !says(&done, recipe.script) {
            println!("{}: installs packages", path.display());
            root.run(recipe.script)?;
            fs::write(&done, recipe.script).with_context(|| done.display().to_string())?;
        }
        Ok(root)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Makes it under another name first.
    fn bootstrap(&self, recipe: &Recipe) -> Result<()> {
        let half = self.0.with_extension("unfinished");
        for old in [&half, &self.0].into_iter().filter(|old| old.exists()) {
            fs::remove_dir_all(old).with_context(|| old.display().to_string())?;
        }
        fs::create_dir_all(half.parent().unwrap_or(Path::new("/")))?;
        println!("{}: debootstrap {} (some minutes, up to 2 GB, once)", self.0.display(), recipe.suite);
        let mirror = mirror()?;
        let mut debootstrap = Command::new("debootstrap");
        debootstrap.arg("--variant=minbase");
        if !recipe.include.is_empty() {
            debootstrap.arg(format!("--include={}", recipe.include));
        }
        let output = debootstrap.arg(recipe.suite).arg(&half).arg(&mirror).output();
        let output = output.context("cannot run debootstrap")?;
        let said = String::from_utf8_lossy(&output.stdout);
        ensure!(output.status.success(), "debootstrap: {}", said.lines().last().unwrap_or_default());
        if let Some(further) = recipe.further {
            let list = half.join("etc/apt/sources.list.d/further.list");
            fs::write(&list, format!("deb {mirror} {further} main\n")).with_context(|| list.display().to_string())?;
        }
        // A mirror may be a copy of an earlier day. Nothing of the root is used but by tests.
        fs::write(half.join("etc/apt/apt.conf.d/90old"), "Acquire::Check-Valid-Until \"false\";\n")?;
        // Packages that are unpacked are not needed again.
        let _ = fs::remove_dir_all(half.join("var/cache/apt/archives"));
        fs::rename(&half, &self.0).with_context(|| self.0.display().to_string())
    }

    /// A script in the root, in namespaces of its own: nothing that it started goes on behind it.
    pub(crate) fn shell(&self, script: &str) -> Command {
        let mut enter = Command::new("unshare");
        enter.args(["--mount", "--pid", "--fork", "--kill-child", "sh", "-c"]);
        enter.arg(
            "mount -t proc proc \"$0/proc\" && mount --rbind /dev \"$0/dev\" && exec chroot \"$0\" /bin/bash -c \"$1\"",
        );
        enter
            .arg(&self.0)
            .arg(script)
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .env("HOME", "/tmp/home");
        enter.env("DEBIAN_FRONTEND", "noninteractive").env("VKD3D_DEBUG", "none").env("LC_ALL", "C.UTF-8");
        enter
    }

    /// Runs one; gives all that it printed.
    pub(crate) fn run(&self, script: &str) -> Result<String> {
        let ended = self.shell(&format!("{{ {script}\n}} 2>&1")).stdin(Stdio::null()).output();
        let ended = ended.context("cannot run unshare")?;
        let said = String::from_utf8_lossy(&ended.stdout).into_owned();
        let errors = String::from_utf8_lossy(&ended.stderr);
        ensure!(ended.status.success(), "{script}: {}: {said}{errors}", ended.status);
        Ok(said)
    }
}

/// Where programs run: here, or in a root that sees the workspace under its own path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    root: Option<Root>,
    variables: Vec<(&'static str, &'static str)>,
}

impl Place {
    /// In a root.
    pub(crate) fn within(root: &Root) -> Place {
        Place { root: Some(root.clone()), variables: Vec::new() }
    }

    /// The same with environment variables.
    pub(crate) fn with(&self, variables: &[(&'static str, &'static str)]) -> Place {
        Place { root: self.root.clone(), variables: [&self.variables[..], variables].concat() }
    }

    /// A program of the workspace, in the folder `at`. It has the process that is started, so it ends as that does.
    pub(crate) fn command(&self, program: &Path, at: &Path) -> Command {
        let mut command = match &self.root {
            None => {
                let mut command = Command::new(program);
                command.current_dir(at);
                command
            }
            Some(root) => {
                const ENTER: &str = r#"set -e
root=$0; workspace=$1; shift
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mkdir -p "$root$workspace" "$root/tmp/home"
mount --rbind "$workspace" "$root$workspace"
exec chroot "$root" /usr/bin/env -C "$@""#;
                let mut command = Command::new("unshare");
                command.args(["--mount", "sh", "-c", ENTER]).arg(root.path()).arg(artifact::workspace());
                command.arg(at).arg(program).env("HOME", "/tmp/home").env_remove("DISPLAY");
                command
            }
        };
        command.envs(self.variables.iter().copied());
        command
    }
}

/// The mirror that this machine uses for Debian itself.
fn mirror() -> Result<String> {
    let mut ask = Command::new("apt-get");
    ask.args(["indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"]);
    let output = ask.output().context("cannot run apt-get")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match text.lines().map(|uri| uri.trim_end_matches('/')).find(|uri| uri.ends_with("/debian")) {
        Some(found) => Ok(found.to_owned()),
        None => bail!("apt knows no mirror of Debian"),
    }
}
