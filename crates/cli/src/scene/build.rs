//! What bottom levels are built of, as the calls say it.

use anyhow::{Context, Result, bail};
use reprise_trace::read::Trace;
use reprise_view::dump::filter::Filter;
use reprise_view::dump::{self, Dump};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// An address, as dumps have it.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Address {
    Known {
        object: u32,
        offset: u64,
    },
    /// Null, or an address of nothing that the trace knows.
    Number(String),
}

impl Address {
    /// Buffer and offset; `None` for null.
    ///
    /// # Errors
    /// It leads nowhere.
    pub(crate) fn place(&self) -> Result<Option<(u32, u64)>, String> {
        match self {
            Self::Known { object, offset } => Ok(Some((*object, *offset))),
            Self::Number(text) if text == "0x0" => Ok(None),
            Self::Number(text) => Err(format!("the address {text} is of no buffer")),
        }
    }
}

/// `D3D12_GPU_VIRTUAL_ADDRESS_AND_STRIDE`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Array {
    pub(crate) start_address: Address,
    pub(crate) stride_in_bytes: u64,
}

/// `D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Triangles {
    #[serde(rename = "Transform3x4")]
    pub(crate) transform: Address,
    pub(crate) index_format: String,
    pub(crate) vertex_format: String,
    pub(crate) index_count: u32,
    pub(crate) vertex_count: u32,
    pub(crate) index_buffer: Address,
    pub(crate) vertex_buffer: Array,
}

/// `D3D12_RAYTRACING_GEOMETRY_AABBS_DESC`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Boxes {
    #[serde(rename = "AABBCount")]
    pub(crate) count: u64,
    #[serde(rename = "AABBs")]
    pub(crate) boxes: Array,
}

/// `D3D12_RAYTRACING_GEOMETRY_DESC`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Geometry {
    #[serde(rename = "Type")]
    pub(crate) kind: String,
    #[serde(rename = "Flags")]
    pub(crate) flags: String,
    #[serde(rename = "Triangles")]
    pub(crate) triangles: Option<Triangles>,
    #[serde(rename = "AABBs")]
    pub(crate) boxes: Option<Boxes>,
}

#[derive(Deserialize)]
struct Inputs {
    #[serde(rename = "pGeometryDescs", alias = "ppGeometryDescs", default)]
    geometries: Vec<Geometry>,
}

#[derive(Deserialize)]
struct Desc {
    #[serde(rename = "Inputs")]
    inputs: Inputs,
}

#[derive(Deserialize)]
struct Arguments {
    #[serde(rename = "pDesc")]
    desc: Desc,
}

#[derive(Deserialize)]
struct Line {
    call: u64,
    args: Arguments,
}

/// A build of a bottom level.
#[derive(Clone, Debug)]
pub(crate) struct Build {
    pub(crate) geometries: Vec<Geometry>,
}

/// The builds that these calls are.
///
/// # Errors
/// The trace cannot be read, or a call is no build.
pub(crate) fn builds(trace: &Trace, calls: &BTreeSet<u64>) -> Result<BTreeMap<u64, Build>> {
    let mut all = BTreeMap::new();
    if calls.is_empty() {
        return Ok(all);
    }
    let filter = Filter::of_calls(calls.clone());
    let (frame, call) = filter.first();
    let mut dump = Dump::new(filter, dump::for_programs);
    let mut take = |line: &str| -> Result<()> {
        // What happened right after a call is a line, too, and has no number.
        if !line.starts_with("{\"call\"") {
            return Ok(());
        }
        let line: Line = serde_json::from_str(line).with_context(|| format!("the build is not understood: {line}"))?;
        all.insert(line.call, Build { geometries: line.args.desc.inputs.geometries });
        Ok(())
    };
    let mut events = trace.events_known_from(frame, call);
    while let Some(event) = events.next()? {
        if dump.is_done(&event) {
            break;
        }
        dump.event(&event);
        while let Some(line) = dump.next() {
            take(&line)?;
        }
    }
    while let Some(line) = dump.rest() {
        take(&line)?;
    }
    if let Some(call) = calls.iter().find(|call| !all.contains_key(call)) {
        bail!("call {call} is a build that cannot be read");
    }
    Ok(all)
}
