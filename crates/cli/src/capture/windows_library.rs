//! What a capture puts beside a Windows program: the capture library, and the forwarders that stand in the names of Direct3D's own.

use crate::capture::library;
use crate::launch::windows::libraries::{self, CORE, Libraries};

/// The capture library.
const CAPTURE: &str = "reprise_capture.dll";
/// The forwarders that every program needs. Programs that bring the other half of Direct3D 12 themselves need that one, too.
const FORWARDERS: &[&str] = &["d3d12.dll", "dxgi.dll"];

/// All of them, checked to be of this build.
///
/// # Errors
/// A message that says where they were looked for, or what is wrong with them.
pub(crate) fn find() -> Result<Libraries, String> {
    let names: Vec<&str> = FORWARDERS.iter().chain(&[CAPTURE, CORE]).copied().collect();
    let folder = libraries::find("the capture libraries", "", &names)?;
    library::check(&folder.join(CAPTURE))?;
    Ok(Libraries { folder, names: FORWARDERS, needed: &[CAPTURE], in_place: &[CORE] })
}
