//! One column: a runtime on this machine, or the device that a trace was recorded on.

use crate::ours;
use crate::terminal::exit::{self, Failure, OrExit};
use crate::trace::open;
use anyhow::{Context, anyhow};
use reprise_d3d12::model::{EnumId, Field, Type};
use reprise_d3d12::{enum_, feature};
use reprise_replay::{Capabilities, Options};
use reprise_trace::fact;
use reprise_trace::record::Kind;
use reprise_view::api;
use std::collections::BTreeMap;
use std::path::Path;

/// A column of the table.
pub(crate) struct Side {
    /// As the user named it.
    pub(crate) name: String,
    /// The device and its driver; empty where they are not known.
    pub(crate) device: String,
    /// By feature and the member's place in it: the member's value as text.
    pub(crate) values: BTreeMap<(Question, usize), String>,
}

/// What a row is about, in the order of the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Question {
    /// The highest feature level.
    Level,
    /// `D3D12_FEATURE`.
    Feature(u32),
    /// `DXGI_FORMAT`.
    Format(u32),
}

impl Side {
    /// What `word` names: a trace, where a file of this name ends in `.reprise`, else a runtime.
    ///
    /// # Errors
    /// The runtime cannot be loaded or has no device; the trace cannot be read or has no answers.
    pub(crate) fn named(word: &str) -> Result<Side, Failure> {
        let path = Path::new(word);
        if path.extension().is_some_and(|extension| extension == "reprise") {
            return Side::recorded(path);
        }
        ours::check(Some(word)).or_exit(exit::USAGE)?;
        let options = Options { runtime: Some(word.to_owned()), linked_runtime: ours::RUNTIME, ..Options::default() };
        let told = Capabilities::of(&options).or_exit(exit::FAILED)?;
        let mut values = BTreeMap::new();
        values.insert((Question::Level, 0), enumerated("D3D_FEATURE_LEVEL", told.level));
        for (number, bytes) in &told.answers {
            answer(*number, bytes, &mut values);
        }
        for (format, [first, second]) in told.formats {
            values.insert((Question::Format(format), 0), enumerated("D3D12_FORMAT_SUPPORT1", first));
            values.insert((Question::Format(format), 1), enumerated("D3D12_FORMAT_SUPPORT2", second));
        }
        let device = told.machine.map_or_else(String::new, |machine| machine.to_string());
        Ok(Side { name: word.to_owned(), device, values })
    }

    /// The answers that capture stated of the first device of a trace.
    fn recorded(path: &Path) -> Result<Side, Failure> {
        let source = open::Source::new(path.to_owned(), None);
        let trace = source.open()?;
        let mut values = BTreeMap::new();
        let mut device = None;
        let mut events = trace.events();
        while let Some(event) = events.next().with_context(|| path.display().to_string()).or_exit(exit::TRACE)? {
            let Some((fact::FEATURE, bytes)) = event.fact().filter(|_| event.kind == Kind::Fact) else { continue };
            if *device.get_or_insert(event.object) != event.object {
                break;
            }
            let word = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
            let (Some(number), Some(size)) = (word(0), word(4)) else { continue };
            if let Some(data) = bytes.get(8..).and_then(|data| data.get(..size as usize)) {
                answer(number, data, &mut values);
            }
        }
        if values.is_empty() {
            let none = anyhow!("{}: no device of this trace states what it can do", path.display());
            return Err(none).or_exit(exit::TRACE);
        }
        let said = |name: &str| trace.meta().get(name).and_then(|text| text.as_str()).unwrap_or_default().to_owned();
        let device = format!("{} {}", said("adapter"), said("driver")).trim().to_owned();
        let device = device.chars().filter(|c| !c.is_control()).collect();
        Ok(Side { name: path.display().to_string(), device, values })
    }
}

/// Takes the members of a feature's structure apart. A structure of another size than the model's is left out.
fn answer(number: u32, bytes: &[u8], values: &mut BTreeMap<(Question, usize), String>) {
    let Some(layout) = feature::structure(number).filter(|layout| layout.size as usize == bytes.len()) else { return };
    for (place, field) in layout.fields.iter().enumerate() {
        values.insert((Question::Feature(number), place), text(field, bytes));
    }
}

/// A member's value. Names of enumerations are without the enumeration's own name.
fn text(field: &Field, bytes: &[u8]) -> String {
    let word = |at: usize| {
        let at = field.offset as usize + at;
        bytes.get(at..at + 4).and_then(|word| word.try_into().ok()).map_or(0, u32::from_le_bytes)
    };
    match field.ty {
        Type::Bool => if word(0) == 0 { "no" } else { "yes" }.into(),
        Type::Enum(id) => named(id, word(0)),
        Type::I32 => (word(0) as i32).to_string(),
        Type::U32 => word(0).to_string(),
        Type::U64 => (u64::from(word(0)) | u64::from(word(4)) << 32).to_string(),
        _ => {
            let all = bytes.get(field.offset as usize..).unwrap_or_default();
            all.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
        }
    }
}

fn enumerated(name: &'static str, value: u32) -> String {
    named(enum_(name), value)
}

fn named(id: EnumId, value: u32) -> String {
    let Some(own) = api::model().enums.get(usize::from(id.0)) else { return value.to_string() };
    // Members of flags are called by one of these: `.._SUPPORT_FLAGS` has `.._SUPPORT_FLAG_DIRECT` or `.._SUPPORT_LIBRARY`.
    let common = [own.name, own.name.trim_end_matches('S'), own.name.trim_end_matches("_FLAGS")];
    let shorter = |name: &str| {
        let rest = common.iter().find_map(|common| name.strip_prefix(common)?.strip_prefix('_'));
        rest.unwrap_or(name).trim_start_matches("TIER_").to_owned()
    };
    let name = api::codec().enum_name(id, value);
    name.split('|').map(shorter).collect::<Vec<_>>().join("|")
}
