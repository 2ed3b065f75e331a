//! Why a Windows program did not use our libraries, as far as that can be known.

use crate::launch::windows::executable::{Executable, Machine};
use crate::launch::windows::host_log::Told;
use std::path::PathBuf;

/// A program that ran.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Seen {
    pub(crate) name: String,
    /// For which processor it is; `None` where its file was not found.
    pub(crate) machine: Option<Machine>,
    /// The `d3d12.dll` of another that it had mapped.
    pub(crate) direct3d: Option<PathBuf>,
}

/// What a watch over the system's library saw. Nothing watches on Windows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) enum Opened {
    /// There was none: the prefix was not there yet, or the system has no room for one.
    #[default]
    Unknown,
    No,
    #[cfg_attr(not(unix), expect(dead_code, reason = "nothing watches there"))]
    Yes(PathBuf),
}

/// What is known when all has ended.
#[derive(Debug, Default)]
pub(crate) struct Known<'a> {
    /// The program on the command line.
    pub(crate) executable: Option<&'a Executable>,
    pub(crate) told: Told,
    pub(crate) seen: Vec<Seen>,
    /// Whether the system's library was opened while they ran.
    pub(crate) opened: Opened,
    /// Libraries of ours that another replaced while the program ran.
    pub(crate) replaced: Vec<String>,
    /// Our libraries stand in the prefix, not beside the program.
    pub(crate) in_system: bool,
}

/// What 32-bit programs are told.
pub(crate) const NARROW: &str =
    "our libraries are for 64-bit Windows programs (the plan for others is in docs/windows.md)";

impl Known<'_> {
    /// In words, the most certain reason first.
    pub(crate) fn reason(&self) -> String {
        if !self.told.refused.is_empty() {
            return self.told.refused.join("; ");
        }
        if self.told.devices > 0 {
            return "a device was made, but no process came to record; the messages above may say more".into();
        }
        if !self.told.loaded.is_empty() && !self.told.lacking.is_empty() {
            let loaded = listed(&self.told.loaded);
            return format!(
                "our library was loaded ({loaded}), but no Direct3D 12 device was made{}",
                self.told.lacked()
            );
        }
        if !self.told.loaded.is_empty() {
            return format!(
                "our library was loaded ({}), but no Direct3D 12 device was made: the program may draw by Direct3D 11 or Vulkan \
                 (look for an option such as -dx12), or have ended before",
                listed(&self.told.loaded)
            );
        }
        if !self.replaced.is_empty() {
            return format!(
                "{} was replaced while the program ran, as Proton's set-up does in the prefix: use --place program",
                self.replaced.join(", ")
            );
        }
        let others: Vec<String> = self.seen.iter().filter_map(Seen::other).collect();
        if !others.is_empty() {
            let elsewhere = if self.in_system {
                "the override did not take effect; a launcher may drop WINEDLLOVERRIDES"
            } else {
                "a launcher may drop WINEDLLOVERRIDES, or the program may load the system's library by its full path (--place system)"
            };
            return format!("{} used another library than ours: {elsewhere}", listed(&others));
        }
        if self.seen.iter().any(|seen| seen.machine == Some(Machine::Bits32)) {
            let narrow = self.seen.iter().filter(|seen| seen.machine == Some(Machine::Bits32));
            let names: Vec<String> = narrow.map(|seen| seen.name.clone()).collect();
            return format!("{} ran as 32-bit programs; {NARROW}", listed(&names));
        }
        if let Opened::Yes(library) = &self.opened {
            return format!(
                "{} was opened in place of ours, and left again before a look at the processes: the program may load the system's \
                 library by its full path (--place system), or a launcher may drop WINEDLLOVERRIDES",
                library.display()
            );
        }
        if self.seen.is_empty() && self.executable.is_none() {
            return "no Windows program was seen to run with our environment".into();
        }
        let late = match self.executable {
            Some(executable) if executable.asks_for_direct3d() => {
                "it is linked with Direct3D 12, so it ended before it began, or Wine could not load our library (the override was \
                 dropped, or something it needs is missing): WINEDEBUG=+loaddll tells"
            }
            _ if self.opened == Opened::No => "it is not linked with Direct3D 12, and did not load it later either",
            _ => {
                "it is not linked with Direct3D 12, and no look at the processes saw it loaded later; for a program that loads the \
                 system's library by its full path: --place system"
            }
        };
        format!("no process loaded d3d12.dll: {late}")
    }
}

impl Seen {
    /// The library of another, where one was mapped.
    fn other(&self) -> Option<String> {
        self.direct3d.as_ref().map(|path| format!("{} ({})", self.name, path.display()))
    }
}

fn listed(names: &[String]) -> String {
    let mut names = names.to_vec();
    names.sort();
    names.dedup();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_certain_reason_comes_first() {
        let linked = Executable { machine: Machine::Bits64, imports: vec!["d3d12.dll".into()] };
        let late = Executable { machine: Machine::Bits64, imports: vec!["user32.dll".into()] };
        let seen = |machine, direct3d: Option<&str>| Seen {
            name: "game.exe".into(),
            machine: Some(machine),
            direct3d: direct3d.map(Into::into),
        };
        let told = |loaded: &[&str], refused: &[&str]| Told {
            loaded: loaded.iter().map(|text| (*text).to_owned()).collect(),
            devices: 0,
            refused: refused.iter().map(|text| (*text).to_owned()).collect(),
            lacking: Vec::new(),
        };
        let mut known = Known { executable: Some(&late), ..Known::default() };
        let mut expect = |change: &dyn Fn(&mut Known<'_>), text: &str| {
            change(&mut known);
            assert!(known.reason().contains(text), "{text}: {}", known.reason());
        };
        expect(&|_| {}, "not linked with Direct3D 12");
        expect(&|_| {}, "no look at the processes saw it");
        expect(&|known| known.opened = Opened::No, "did not load it later either");
        expect(&|known| known.executable = None, "no Windows program was seen");
        expect(&|known| known.opened = Opened::Yes("c/system32/d3d12.dll".into()), "--place system");
        known.opened = Opened::No;
        known.executable = Some(&linked);
        assert!(known.reason().contains("is linked with"), "{}", known.reason());
        let mut expect = |change: &dyn Fn(&mut Known<'_>), text: &str| {
            change(&mut known);
            assert!(known.reason().contains(text), "{text}: {}", known.reason());
        };
        expect(&|known| known.seen.push(seen(Machine::Bits32, None)), "game.exe ran as 32-bit");
        expect(&|known| known.seen.push(seen(Machine::Bits64, Some("/usr/lib/d3d12.dll"))), "/usr/lib/d3d12.dll");
        expect(&|known| known.replaced.push("d3d12.dll".into()), "was replaced");
        expect(&|known| known.told = told(&["d3d12.dll game.exe"], &[]), "no Direct3D 12 device was made");
        expect(
            &|known| known.told.lacking.push("the debug layer".into()),
            "asked for the debug layer, which our runtime",
        );
        expect(&|known| known.told = told(&[], &["another build"]), "another build");
    }

    /// DXGI serves Direct3D 11, too, and lists adapters for programs that draw by Vulkan.
    #[test]
    fn a_program_of_dxgi_alone_is_not_linked_with_direct3d_12() {
        let reason = |library: &str| {
            let executable = Executable { machine: Machine::Bits64, imports: vec![library.into()] };
            Known { executable: Some(&executable), ..Known::default() }.reason()
        };
        assert!(reason("dxgi.dll").contains("not linked with Direct3D 12"), "{}", reason("dxgi.dll"));
        assert!(reason("d3d12.dll").contains("is linked with Direct3D 12"), "{}", reason("d3d12.dll"));
    }
}
