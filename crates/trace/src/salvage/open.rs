//! Opens a trace, finished or not.

use std::path::Path;

use serde_json::Value;

use crate::read::source::Source;
use crate::read::{ReadError, Trace};
use crate::salvage::{count, rings};
use crate::shared::session::{self, folder_beside};

impl Trace {
    /// Opens a file. Without sound tables at its end the reader looks at every chunk, and adds what the rings beside the file
    /// (`FILE.rings`) still hold.
    ///
    /// # Errors
    /// The file cannot be read, is no trace, is of another version, or its header is damaged. Other damage is no error: see
    /// [`Trace::damage`].
    pub fn open(path: &Path) -> Result<Trace, ReadError> {
        Trace::open_with_rings(path, &folder_beside(path))
    }

    /// As [`Trace::open`], with the session's folder elsewhere.
    ///
    /// # Errors
    /// As [`Trace::open`].
    pub fn open_with_rings(path: &Path, rings: &Path) -> Result<Trace, ReadError> {
        let io = |reason| ReadError::Io { path: path.into(), reason };
        // A folder, a pipe or a device has no length to begin with, and to open a pipe is to wait for its writer.
        if !std::fs::metadata(path).map_err(io)?.is_file() {
            let reason = "this is no ordinary file".into();
            return Err(ReadError::Header { path: path.into(), reason });
        }
        let file = std::fs::File::open(path).map_err(io)?;
        from_source(path, Source::file(file).map_err(io)?, Some(rings))
    }

    /// Opens a trace that lies in memory.
    ///
    /// # Errors
    /// As [`Trace::open`].
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Trace, ReadError> {
        from_source(Path::new("memory"), Source::bytes(bytes), None)
    }
}

fn from_source(path: &Path, source: Source, rings: Option<&Path>) -> Result<Trace, ReadError> {
    let mut trace = Trace::from_source(path, source)?;
    if trace.tables.is_none() {
        complete(&mut trace, rings);
    }
    trace.describe();
    Ok(trace)
}

/// Completes a trace that was opened without tables: counts it, and adds what the rings in `rings` still hold.
fn complete(trace: &mut Trace, rings: Option<&Path>) {
    let counted = count::count(trace);
    let meta = count::meta(trace, &counted);
    trace.totals = counted.totals.clone();
    trace.ranges = Some(counted.ranges.clone());
    trace.meta = Value::Object(meta.clone());
    let Some(folder) = rings.filter(|folder| folder.join(session::FILE).exists()) else { return };
    if let Err(reason) = rings::append(trace, folder, counted, meta) {
        trace.totals.gaps += 1;
        if let Value::Object(meta) = &mut trace.meta {
            meta.insert("rings_not_read".into(), reason.into());
        }
    }
}
