//! Draws and dispatches that are left out, because the library that plays refuses their pipeline state: every command that shows what a
//! replay gives says so, and compares nothing with what is not there.

use crate::bench::{Bench, PATIENCE};
use crate::programs::{self, expected};
use reprise_testing::artifact;

/// A trace with shaders that libvkd3d does not take. `None` where there is no libvkd3d.
fn captured(name: &str) -> Option<Bench> {
    programs::runtimes()?;
    let bench = Bench::new();
    let mut command = bench.command();
    command.args(["capture", "-q", "-o", "trace.reprise", "--"]).arg(artifact::programs().unwrap());
    command.args([name, "--shaders", "dxil", "--library"]).arg(programs::ours());
    let finished = reprise_testing::run(&mut command, PATIENCE).unwrap();
    assert_eq!(finished.text(), format!("{name} {}\n", expected(name)), "{}", finished.errors());
    Some(bench)
}

const SAID: &str = "left out, because";

#[test]
fn pictures_say_what_they_lack() {
    let Some(bench) = captured("blending") else { return };
    let draws = bench.output(&["dump", "--methods", "DrawInstanced", "trace.reprise"]);
    let call = draws.lines().last().and_then(|line| line.trim_start_matches('#').split(' ').next()).unwrap();
    let show = ["show", "--call", call, "--target", "0", "-o", "target.png", "trace.reprise"];
    let own = bench.run(&show);
    assert!(own.status.success() && !own.errors().contains(SAID), "{}", own.errors());
    let other = bench.run(&[&show[..], &["--runtime", "vkd3d"]].concat());
    assert!(other.status.success(), "{}", other.errors());
    let told = format!("{} draws and dispatches are {SAID}", draws.lines().count());
    assert!(other.errors().contains(&told), "{told}: {}", other.errors());
}
