//! The structure by which bytes of a buffer are read.

use reprise_structure::{Packing, Structure};
use std::path::Path;
use std::sync::Arc;

/// A declaration in HLSL, and how its elements follow each other.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct StructureChoice {
    /// Read a buffer's bytes as elements of this structure of HLSL: its text, or a file that has it. Of several structures it is the last;
    /// a cbuffer is laid out as constants
    #[arg(long = "struct", value_name = "TEXT|FILE")]
    pub(crate) text: Option<String>,
    /// Of several structures this one
    #[arg(long, value_name = "NAME", requires = "text")]
    pub(crate) struct_name: Option<String>,
    /// How members are laid out: structured, as in structured buffers, or constant, as in constant buffers [default: structured]
    #[arg(long, value_name = "PACKING", requires = "text")]
    pub(crate) packing: Option<Packing>,
    /// Bytes from one element to the next [default: what the structure's layout says]
    #[arg(long, value_name = "BYTES", requires = "text")]
    pub(crate) stride: Option<u32>,
}

/// Elements of a structure, at a distance.
#[derive(Clone, Debug)]
pub(crate) struct Elements {
    pub(crate) structure: Arc<Structure>,
    pub(crate) stride: u32,
}

impl StructureChoice {
    /// What it names.
    ///
    /// # Errors
    /// The file cannot be read, the text is no declaration, or elements would overlap.
    pub(crate) fn elements(&self) -> Result<Option<Elements>, String> {
        let Some(text) = &self.text else { return Ok(None) };
        // No name of a file declares a member: that takes a word, a blank and a word.
        let is_text = text.contains([';', '{', '\n']) || !Path::new(text).exists() && text.trim().contains(' ');
        let (text, place) = if is_text {
            (text.clone(), "--struct".to_owned())
        } else {
            let read = std::fs::read_to_string(text).map_err(|error| {
                format!(
                    "--struct {text}: cannot be read, and is no declaration like 'float3 position; uint kind;': {error}"
                )
            })?;
            (read.trim_start_matches('\u{feff}').to_owned(), text.clone())
        };
        let packing = self.packing.unwrap_or_default();
        let structure = Structure::parse(&text, self.struct_name.as_deref(), packing)
            .map_err(|error| format!("{place}: {error}"))?;
        let stride = self.stride.unwrap_or(structure.stride());
        if stride < structure.bytes() {
            return Err(format!("--stride {stride}: an element has {} bytes", structure.bytes()));
        }
        Ok(Some(Elements { structure: Arc::new(structure), stride }))
    }
}
