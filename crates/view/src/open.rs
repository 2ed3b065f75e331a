//! Opens a trace for reading.
//!
//! Invariant: the calls of what is opened here are in the tables in use ([`api::tables`]).

use crate::api;
use reprise_codec::schema::SchemaError;
use reprise_codec::translate::{self, Translation};
use reprise_trace::read::{ReadError, Trace};
use reprise_trace::session;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why a trace cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file is none, or its beginning is damaged. The error names the file.
    #[error("cannot read the trace")]
    Read(#[source] ReadError),
    /// Its model of the API cannot be understood.
    #[error("cannot read the trace {}", file.display())]
    Model {
        /// The trace.
        file: PathBuf,
        /// What is wrong.
        #[source]
        error: SchemaError,
    },
    /// This process has opened many traces of other builds already.
    #[error("cannot read the trace {}: this process has opened too many traces of other builds with methods of their own", file.display())]
    Crowded {
        /// The trace.
        file: PathBuf,
    },
    /// The folder that was named has no rings.
    #[error("--rings: {} holds no session", folder.display())]
    Rings {
        /// The folder.
        folder: PathBuf,
    },
}

/// A trace and what is made of its model, where another build recorded it.
pub type Opened = (Trace, Option<Arc<Translation>>);

/// Opens a trace; `rings` is the folder with the rings of a capture whose writer died, where it is not beside the file. Its calls are given in
/// today's numbers and layouts, also where another build recorded them. Those that today's model does not have are shown by the trace's own
/// ([`api::tables`]).
///
/// # Errors
/// See [`OpenError`].
pub fn open(file: &Path, rings: Option<&Path>) -> Result<Opened, OpenError> {
    let trace = any(file, rings)?;
    let _held = api::bring();
    let translation = attach(&trace, file)?;
    if translation.as_ref().is_some_and(|translation| !api::set_tables(translation.extended())) {
        return Err(OpenError::Crowded { file: file.to_path_buf() });
    }
    Ok((trace, translation))
}

/// The fingerprint of the model that a trace was recorded with; without a schema of its own it must be one that this build knows.
///
/// # Errors
/// When it is not, or the trace cannot be opened.
pub fn build(file: &Path, rings: Option<&Path>) -> Result<u64, OpenError> {
    let trace = any(file, rings)?;
    if trace.schema().is_empty() {
        attach(&trace, file)?;
    }
    Ok(trace.api().1)
}

/// Whether a folder that was named holds a session.
///
/// # Errors
/// When it does not.
pub fn check_rings(folder: &Path) -> Result<(), OpenError> {
    if folder.join(session::FILE).exists() {
        return Ok(());
    }
    Err(OpenError::Rings { folder: folder.to_path_buf() })
}

fn attach(trace: &Trace, file: &Path) -> Result<Option<Arc<Translation>>, OpenError> {
    translate::attach(trace, api::tables()).map_err(|error| OpenError::Model { file: file.to_path_buf(), error })
}

fn any(file: &Path, rings: Option<&Path>) -> Result<Trace, OpenError> {
    let opened = match rings {
        Some(rings) => {
            check_rings(rings)?;
            Trace::open_with_rings(file, rings)
        }
        None => Trace::open(file),
    };
    opened.map_err(OpenError::Read)
}
