//! A wish: what is to be shown, how, and into which files.

use super::setting::{self, Setting, View};
use crate::options::structure::{Elements, StructureChoice};
use anyhow::{Context, Result, bail};
use reprise_picture::{Mapping, format_number};
use reprise_replay::{Shot, ShotOf};
use serde_json::{Map, Value as Json};
use std::path::PathBuf;

/// One picture, or bytes of a buffer.
#[derive(Clone, Debug)]
pub(crate) struct Wish {
    /// Given back with the answer.
    pub(crate) id: Option<Json>,
    pub(crate) shot: Shot,
    pub(crate) look: Look,
    /// PNG, EXR, DDS or raw, by the ending of its name.
    pub(crate) output: Option<PathBuf>,
    /// Texels or bytes as they lie, with a description beside them.
    pub(crate) raw: Option<PathBuf>,
}

/// How texels are looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Look {
    pub(crate) mapping: Mapping,
    /// `DXGI_FORMAT` that they are read as, in place of the view's.
    pub(crate) format: Option<u32>,
    /// Pixels whose values are told.
    pub(crate) pixels: Vec<(u32, u32)>,
    /// How many bins the histogram of each channel has, where one is told.
    pub(crate) histogram: Option<usize>,
    /// What the bytes of a buffer are read as.
    pub(crate) elements: Option<Elements>,
}

impl Wish {
    /// How files of it are named: `call00001234_target0`.
    pub(crate) fn name(&self) -> String {
        let (part, mip, slice, plane, sample) = match &self.shot.of {
            ShotOf::Target { slot, slice, sample } => (format!("target{slot}"), 0, *slice, 0, *sample),
            ShotOf::Depth { stencil, slice, sample } => {
                (if *stencil { "stencil" } else { "depth" }.to_owned(), 0, *slice, 0, *sample)
            }
            ShotOf::Texture { resource, mip, slice, plane, sample } => {
                (format!("resource{resource}"), *mip, *slice, *plane, *sample)
            }
            ShotOf::Buffer { resource, bytes } => {
                let range = bytes.map_or_else(String::new, |(offset, size)| format!("_at{offset}+{size}"));
                (format!("buffer{resource}{range}"), 0, 0, 0, 0)
            }
        };
        let mut name = format!("call{:08}_{}{part}", self.shot.call, if self.shot.before { "before_" } else { "" });
        for (word, number) in [("mip", mip), ("slice", slice), ("plane", plane), ("sample", sample)] {
            if number > 0 {
                name.push_str(&format!("_{word}{number}"));
            }
        }
        name
    }

    /// The ending of its picture, where none was named.
    pub(crate) fn ending(&self) -> &'static str {
        if matches!(self.shot.of, ShotOf::Buffer { .. }) { "bin" } else { "png" }
    }

    /// A line of a batch.
    ///
    /// # Errors
    /// A field is missing, unknown, or makes no sense: the message names it.
    pub(crate) fn of_json(line: &str) -> Result<Wish> {
        let value: Json = serde_json::from_str(line).context("not JSON")?;
        let Json::Object(mut fields) = value else { bail!("not an object") };
        let fields = &mut fields;
        let given: Vec<Setting> = fields.iter().filter_map(|(name, value)| Setting::of_field(name, value)).collect();
        let before = flag(fields, "before")?;
        let call = number(fields, "call")?.context("call: missing")?;
        let submission = number(fields, "submission")?;
        let small = |fields: &mut Map<String, Json>, name: &str| -> Result<u32> {
            u32::try_from(number(fields, name)?.unwrap_or(0)).with_context(|| format!("{name}: too large"))
        };
        let (mip, slice) = (small(fields, "mip")?, small(fields, "slice")?);
        let (plane, sample) = (small(fields, "plane")?, small(fields, "sample")?);
        let (target, resource) = (number(fields, "target")?, number(fields, "resource")?);
        let (depth, stencil, buffer) = (flag(fields, "depth")?, flag(fields, "stencil")?, number(fields, "buffer")?);
        let bytes = match text(fields, "bytes")? {
            Some(range) => Some(byte_range(&range).map_err(anyhow::Error::msg).context("bytes")?),
            None => None,
        };
        let narrow = |number: u64, name: &str| u32::try_from(number).with_context(|| format!("{name}: too large"));
        let of = match (target, depth, stencil, resource, buffer) {
            (Some(slot), false, false, None, None) => ShotOf::Target { slot: narrow(slot, "target")?, slice, sample },
            (None, true, false, None, None) => ShotOf::Depth { stencil: false, slice, sample },
            (None, false, true, None, None) => ShotOf::Depth { stencil: true, slice, sample },
            (None, false, false, Some(id), None) => {
                ShotOf::Texture { resource: narrow(id, "resource")?, mip, slice, plane, sample }
            }
            (None, false, false, None, Some(id)) => ShotOf::Buffer { resource: narrow(id, "buffer")?, bytes },
            _ => bail!("name exactly one of target, depth, stencil, resource and buffer"),
        };
        setting::check(&[View::of(&of)], &given).map_err(anyhow::Error::msg)?;
        let mut look = Look::default();
        if let Some(range) = text(fields, "range")? {
            map_range(&mut look.mapping, &range).map_err(anyhow::Error::msg).context("range")?;
        }
        look.mapping.auto |= flag(fields, "auto_range")?;
        if let Some(bins) = number(fields, "histogram")? {
            look.histogram = Some(histogram_bins(&bins.to_string()).map_err(anyhow::Error::msg).context("histogram")?);
        }
        look.mapping.linear = flag(fields, "linear")?;
        if let Some(channels) = text(fields, "channels")? {
            look.mapping.channels = channels.parse().map_err(anyhow::Error::msg).context("channels")?;
        }
        if let Some(name) = text(fields, "as")? {
            look.format = Some(format(&name).map_err(anyhow::Error::msg).context("as")?);
        }
        for pixel in list(fields, "pixels")? {
            let both = pixel.as_array().map(Vec::as_slice);
            let both = if let Some([x, y]) = both { x.as_u64().zip(y.as_u64()) } else { None };
            let (x, y) = both.context("pixels: not a list of [x, y]")?;
            look.pixels.push((narrow(x, "pixels")?, narrow(y, "pixels")?));
        }
        let structure = StructureChoice {
            text: text(fields, "struct")?,
            struct_name: text(fields, "struct_name")?,
            packing: text(fields, "packing")?
                .map(|it| it.parse())
                .transpose()
                .map_err(anyhow::Error::msg)
                .context("packing")?,
            stride: number(fields, "stride")?.map(|it| narrow(it, "stride")).transpose()?,
        };
        look.elements = structure.elements().map_err(anyhow::Error::msg)?;
        let output = text(fields, "output")?.map(PathBuf::from);
        if output.is_none() {
            setting::check_without_picture(&given).map_err(anyhow::Error::msg)?;
        }
        let raw = text(fields, "raw")?.map(PathBuf::from);
        let id = fields.remove("id");
        if let Some(name) = fields.keys().next() {
            bail!("{name}: there is no such field");
        }
        Ok(Wish { id, shot: Shot { call, before, submission, of }, look, output, raw })
    }
}

fn number(fields: &mut Map<String, Json>, name: &str) -> Result<Option<u64>> {
    let Some(value) = fields.remove(name).filter(|value| !value.is_null()) else { return Ok(None) };
    value.as_u64().map(Some).with_context(|| format!("{name}: not a whole number"))
}

fn flag(fields: &mut Map<String, Json>, name: &str) -> Result<bool> {
    fields
        .remove(name)
        .map_or(Ok(false), |value| value.as_bool().with_context(|| format!("{name}: neither true nor false")))
}

fn text(fields: &mut Map<String, Json>, name: &str) -> Result<Option<String>> {
    let Some(value) = fields.remove(name).filter(|value| !value.is_null()) else { return Ok(None) };
    value.as_str().map(|text| Some(text.to_owned())).with_context(|| format!("{name}: not a text"))
}

fn list(fields: &mut Map<String, Json>, name: &str) -> Result<Vec<Json>> {
    match fields.remove(name) {
        None | Some(Json::Null) => Ok(Vec::new()),
        Some(Json::Array(values)) => Ok(values),
        Some(_) => bail!("{name}: not a list"),
    }
}

/// A `DXGI_FORMAT` by name or number.
pub(crate) fn format(text: &str) -> Result<u32, String> {
    format_number(text)
        .or_else(|| text.parse().ok())
        .ok_or_else(|| format!("{text:?} is no format: write its name, as in R8G8B8A8_UNORM"))
}

/// Most bins of a histogram.
const MOST_BINS: usize = 65536;

/// How many bins a histogram has.
pub(crate) fn histogram_bins(text: &str) -> Result<usize, String> {
    let bins = text.parse().ok().filter(|bins| (1..=MOST_BINS).contains(bins));
    bins.ok_or_else(|| format!("{text:?} is no number of bins: write one from 1 to {MOST_BINS}"))
}

/// What `--range` says.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Range {
    /// `LOW,HIGH`: what is black, and what is white.
    Values((f64, f64)),
    /// `fit`: the least and the greatest value that there are.
    Fit,
    /// `fit-each`: those of each channel.
    FitEach,
    /// `FIRST-LAST`: bytes of a buffer, as offset and number.
    Bytes((u64, u64)),
}

impl std::str::FromStr for Range {
    type Err = String;

    fn from_str(text: &str) -> Result<Range, String> {
        match text {
            "fit" => return Ok(Range::Fit),
            "fit-each" => return Ok(Range::FitEach),
            _ => {}
        }
        let is = |begins: char| begins.is_ascii_digit();
        match text {
            // Numbers have letters, too: infinity, hexadecimal digits.
            text if text.contains(',') => value_range(text).map(Range::Values),
            text if text.trim().starts_with(is) => byte_range(text).map(Range::Bytes),
            _ => Err(format!(
                "{text:?} is no range: write fit or fit-each in small letters, LOW,HIGH as in 0,1, or of a buffer FIRST-LAST as in 0-255"
            )),
        }
    }
}

/// What is black and white.
pub(crate) fn map_range(mapping: &mut Mapping, text: &str) -> Result<(), String> {
    match text.parse()? {
        Range::Fit => mapping.auto = true,
        Range::FitEach => (mapping.auto, mapping.each) = (true, true),
        Range::Values(range) => mapping.range = Some(range),
        Range::Bytes(_) => return Err(format!("{text:?} is a range of bytes, and \"bytes\" says it")),
    }
    Ok(())
}

/// `LOW,HIGH`: what is black, and what is white.
pub(crate) fn value_range(text: &str) -> Result<(f64, f64), String> {
    let value = |word: &str| word.trim().parse().ok().filter(|value: &f64| value.is_finite());
    let both = text.split_once(',').and_then(|(low, high)| value(low).zip(value(high)));
    both.filter(|(low, high)| low < high).ok_or_else(|| {
        format!("{text:?} is no range of values: write it like 0,1 or -2.5,10, the lower one first, or fit")
    })
}

/// `FIRST-LAST`, as offset and number of bytes.
pub(crate) fn byte_range(text: &str) -> Result<(u64, u64), String> {
    let value = |word: &str| match word.trim().strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => word.trim().parse().ok(),
    };
    let both = text.split_once('-').and_then(|(first, last)| value(first).zip(value(last)));
    both.and_then(|(first, last)| Some((first, last.checked_sub(first)?.checked_add(1)?)))
        .ok_or_else(|| format!("{text:?} is no range of bytes: write it like 0-255 or 0x100-0x1ff; both belong to it"))
}

/// `X,Y`.
pub(crate) fn pixel(text: &str) -> Result<(u32, u32), String> {
    let both = text.split_once(',').and_then(|(x, y)| x.trim().parse().ok().zip(y.trim().parse().ok()));
    both.ok_or_else(|| format!("{text:?} is no pixel: write it like 12,34, counted from 0 at the upper left"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_of_values_or_bytes_and_other_words_are_told_what_there_is() {
        assert_eq!("fit".parse(), Ok(Range::Fit));
        assert_eq!("fit-each".parse(), Ok(Range::FitEach));
        assert_eq!("-2.5,1e3".parse(), Ok(Range::Values((-2.5, 1000.0))));
        assert_eq!("0x10-0x1f".parse(), Ok(Range::Bytes((16, 16))));
        for (text, says) in [
            ("FIT", "fit or fit-each in small letters"),
            ("Fit-Each", "fit or fit-each in small letters"),
            ("fit_each", "fit or fit-each in small letters"),
            ("--auto", "fit or fit-each in small letters"),
            ("1,0", "the lower one first"),
            ("9-8", "both belong to it"),
        ] {
            let said = text.parse::<Range>().map_or_else(|said| said, |range| format!("{range:?}"));
            assert!(said.contains(says), "{text}: {said}");
        }
    }

    #[test]
    fn a_batch_says_all_that_the_command_line_does() {
        let line = r#"{"id": "a", "call": 7, "resource": 3, "mip": 1, "plane": 1, "before": true, "channels": "r",
            "range": "0,2", "pixels": [[1, 2]], "output": "x.png", "as": "R8_UINT"}"#;
        let wish = Wish::of_json(line).unwrap();
        let of = ShotOf::Texture { resource: 3, mip: 1, slice: 0, plane: 1, sample: 0 };
        assert_eq!(wish.shot, Shot { call: 7, before: true, submission: None, of });
        assert_eq!((wish.look.format, wish.look.pixels.as_slice()), (Some(62), &[(1, 2)][..]));
        assert_eq!(wish.name(), "call00000007_before_resource3_mip1_plane1");
        let buffer = Wish::of_json(r#"{"call": 7, "buffer": 3, "bytes": "0x10-0x1f"}"#).unwrap();
        assert_eq!(buffer.shot.of, ShotOf::Buffer { resource: 3, bytes: Some((16, 16)) });
        for (line, what) in [
            ("{", "JSON"),
            ("[]", "object"),
            (r#"{"target": 0}"#, "call"),
            (r#"{"call": 1}"#, "exactly one"),
            (r#"{"call": 1, "target": 0, "depth": true}"#, "exactly one"),
            (r#"{"call": 1, "target": -1}"#, "target"),
            (r#"{"call": 1, "target": 0, "colour": 1}"#, "colour"),
            (r#"{"call": 1, "target": 0, "range": "1,1"}"#, "range"),
            (r#"{"call": 1, "target": 0, "pixels": [[1]]}"#, "pixels"),
            (r#"{"call": 1, "buffer": 1, "bytes": "9-8"}"#, "bytes"),
            (r#"{"call": 1, "target": 0, "range": "FIT"}"#, "fit-each in small letters"),
            (r#"{"call": 1, "target": 0, "mip": 1}"#, "a bound view has a level"),
            (r#"{"call": 1, "buffer": 1, "histogram": 8}"#, "a buffer has bytes"),
        ] {
            let said = format!("{:#}", Wish::of_json(line).unwrap_err());
            assert!(said.contains(what), "{line}: {said}");
        }
    }
}
