//! The real DLLs behind ours.
//!
//! A launcher may name the file of Direct3D 12 (`REPRISE_D3D12_LIBRARY`). A launcher that puts our DLL in the place of another DLL renames
//! that one to `reprise-original-NAME`, beside ours. Otherwise we take the system's DLL, by its full path, so that the loader does not find
//! ours again. Invariant: a DLL that was found stays the answer.

use core::ffi::c_void;
use std::path::{Path, PathBuf};
use std::sync::{Once, OnceLock};

use super::names::Dll;
use crate::host::module::{Module, system_folder};
use crate::host::windows::sign::{self, Event};
use reprise_environment::capture::D3D12_LIBRARY;

/// What the launcher puts before the names of files in whose place ours are.
pub(super) const ORIGINAL: &str = "reprise-original-";

static LIBRARIES: [OnceLock<Option<Module>>; Dll::ALL.len()] = [const { OnceLock::new() }; Dll::ALL.len()];

/// The real DLL; `None` where there is none.
pub(crate) fn real(dll: Dll) -> Option<Module> {
    *LIBRARIES[dll as usize].get_or_init(|| {
        load_others();
        let found = places(dll).iter().find_map(|place| Module::load(place));
        if found.is_none() {
            let text = format!("no real {} is found (tried {:?})", dll.file(), places(dll));
            reprise_log::warning(&text);
            sign::leave(Event::Refused, &text);
        }
        found
    })
}

/// The folder of this library.
fn own_folder() -> Option<PathBuf> {
    let own = Module::of(own_folder as *const c_void)?;
    own.file()?.parent().map(Path::to_owned)
}

/// Loads our other DLLs that lie beside us. A system library's imports are looked for in the system's folder first, so a `dxgi.dll` that
/// the real `d3d12.dll` brings would be the one that the program finds afterwards by that name.
fn load_others() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let Some(own) = own_folder() else { return };
        for path in Dll::ALL.map(|dll| own.join(dll.file())).iter().filter(|path| is_ours(path)) {
            Module::load(path);
        }
    });
}

/// Whether a file is one of our forwarding DLLs: they are short, and name this library.
fn is_ours(path: &Path) -> bool {
    const LONGEST: u64 = 64 << 10;
    const NAME: &[u8] = b"reprise_capture.";
    let short = std::fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() <= LONGEST);
    short && std::fs::read(path).is_ok_and(|bytes| bytes.windows(NAME.len()).any(|window| window == NAME))
}

fn places(dll: Dll) -> Vec<PathBuf> {
    if let Some(named) = named(dll) {
        // Another one would not be what was asked for.
        return vec![named];
    }
    let own = own_folder();
    let beside = own.as_ref().map(|own| own.join(format!("{ORIGINAL}{}", dll.file())));
    let system = system_folder();
    // Where we are in the system's folder ourselves, its DLL of this name is ours.
    let elsewhere = system.filter(|system| own.as_deref().is_none_or(|own| !is_same(own, system)));
    let mut places: Vec<PathBuf> = beside.into_iter().filter(|path| path.is_file()).collect();
    places.extend(elsewhere.map(|system| system.join(dll.file())));
    places
}

/// Whether the launcher names the file of Direct3D 12.
pub(super) fn is_named() -> bool {
    named(Dll::D3d12).is_some()
}

/// The file that the launcher names for both halves of Direct3D 12.
fn named(dll: Dll) -> Option<PathBuf> {
    let named = std::env::var_os(D3D12_LIBRARY).filter(|path| dll != Dll::Dxgi && !path.is_empty());
    named.map(|path| reprise_environment::path(&path))
}

/// Folders by their names: Windows' file systems do not tell small letters from large ones.
fn is_same(one: &Path, other: &Path) -> bool {
    one.as_os_str().eq_ignore_ascii_case(other)
}

/// Whether an address is code of the system's own: its libraries call each other's exports, with objects of their own.
pub(crate) fn is_system(address: *const c_void) -> bool {
    static SYSTEM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let Some(system) = SYSTEM.get_or_init(system_folder) else { return false };
    let real = LIBRARIES.iter().filter_map(|library| *library.get()?);
    let Some(module) = Module::of(address) else { return false };
    let file = module.file();
    let folder = file.as_deref().and_then(Path::parent);
    real.clone().any(|real| real == module) || folder.is_some_and(|folder| is_same(folder, system))
}
