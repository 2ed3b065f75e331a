//! The steps of a program, as its command line has them.
//!
//! `load` loads `d3d12.dll`; `device` makes a device and a fence; `sleep=MS` waits; `start=FILE,WORD,…` starts a program and goes on;
//! `call=FILE,WORD,…` starts one and waits for its end; `files=NAME,…` demands that these and no other files lie beside the program;
//! `memory=ROUNDS` stores to mapped memory; `work=LOG` calls until it is ended; `share` opens shared handles;
//! `show=FRAMES,MS` shows so many frames in a window (1,000 where none are named), and the last one for MS milliseconds;
//! `abandon` releases nothing of what it made, with work under way;
//! `seccomp` forbids system calls of Windows' code, and `raw` makes one;
//! `hostile=WHAT` does what overlays and other layers do; `variable=NAME` prints a variable of the environment; `exit=CODE` ends.

pub use crate::device::Create;
use crate::device::{self, Device};
use crate::drawing::Drawing;
use crate::{filter, hostile, memory, shared, show, work};
use std::path::PathBuf;
use std::process::{Command, exit};
use std::time::Duration;

/// Does what the command line says; `linked` is the function that the program is linked with.
pub fn run(linked: Option<Create>) {
    for step in std::env::args().skip(1) {
        let (name, value) = step.split_once('=').unwrap_or((&step, ""));
        match name {
            "load" => demand(102, linked.or_else(device::late).is_some(), &step),
            "device" => {
                let device = linked.or_else(device::late).and_then(Device::new);
                demand(103, device.is_some(), &step);
                demand(104, device.is_some_and(|device| device.fence(7) == Some(7)), &step);
            }
            "sleep" => std::thread::sleep(Duration::from_millis(value.parse().unwrap_or(0))),
            "start" => demand(105, command(value).spawn().is_ok(), &step),
            "call" => demand(105, command(value).status().is_ok_and(|status| status.success()), &step),
            "files" => demand(106, files() == value.split(',').map(str::to_lowercase).collect::<Vec<_>>(), &step),
            "memory" => {
                let device = linked.or_else(device::late).and_then(Device::new);
                let done = device.and_then(|device| memory::stores(&device, value.parse().ok()?));
                demand(107, done.is_some(), &step);
            }
            "work" => {
                let device = linked.or_else(device::late).and_then(Device::new);
                demand(111, device.is_some_and(|device| work::work(&device, value).is_some()), &step);
            }
            "show" => {
                let (frames, stay) = value.split_once(',').unwrap_or((value, "0"));
                let frames = if frames.is_empty() { Ok(1000) } else { frames.parse() };
                let numbers = frames.ok().zip(stay.parse().ok());
                demand(101, numbers.is_some(), &step);
                let numbers = numbers.unwrap_or_default();
                let create = linked.or_else(device::late);
                let shown = create.ok_or_else(|| "no library".to_owned());
                let shown = shown.and_then(|create| show::show(create, numbers.0, numbers.1));
                if let Err(wrong) = &shown {
                    eprintln!("{wrong}");
                }
                demand(113, shown.is_ok(), &step);
            }
            "share" => {
                let device = linked.or_else(device::late).and_then(Device::new);
                demand(112, device.is_some_and(|device| shared::reopened(&device).is_some()), &step);
            }
            "abandon" => {
                let left = linked.or_else(device::late).and_then(Device::new).and_then(Drawing::new);
                demand(114, left.is_some_and(|left| left.abandon().is_some()), &step);
            }
            "seccomp" => demand(108, filter::seccomp(), &step),
            "raw" => demand(109, filter::raw(), &step),
            "hostile" => {
                let device = linked.or_else(device::late).and_then(Device::new);
                demand(103, device.is_some(), &step);
                let done = device.and_then(|device| hostile::act(value, &device));
                demand(110, done.is_some(), &step);
            }
            "variable" => println!("{}", std::env::var(value).unwrap_or_default()),
            "exit" => exit(value.parse().unwrap_or(101)),
            _ => demand(101, false, &step),
        }
    }
}

fn demand(code: i32, holds: bool, step: &str) {
    if !holds {
        eprintln!("the step {step} failed");
        exit(code);
    }
}

fn command(value: &str) -> Command {
    let mut words = value.split(',');
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words);
    command
}

/// The names of the files beside the program, in lower case, sorted.
fn files() -> Vec<String> {
    let folder: Option<PathBuf> = std::env::current_exe().ok().and_then(|path| Some(path.parent()?.to_owned()));
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().to_lowercase()).collect();
    names.sort();
    names
}
