//! What can be said of what is shown, and which views take it: a table, so that no option is passed over without a word.
//!
//! Invariant: a setting that is given is taken by every view that is asked for. Otherwise the command is refused.

use reprise_replay::ShotOf;
use serde_json::Value as Json;

/// Something of which there is a picture, or bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum View {
    Target,
    Depth,
    Stencil,
    Texture,
    Buffer,
    /// Painted over a picture.
    Overlay,
    /// The same, of what a range cuts off.
    Clipping,
}

/// What is said of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Setting {
    Mip,
    Slice,
    Plane,
    Sample,
    Before,
    /// LOW,HIGH.
    Values,
    /// `fit`, `fit-each`, `--auto-range`.
    Fit,
    /// FIRST-LAST.
    Bytes,
    Channels,
    Linear,
    Format,
    Pixel,
    Histogram,
    Raw,
    /// `--struct` and its kin.
    Structure,
    Shader,
}

impl View {
    /// What a shot is of.
    pub(crate) fn of(shot: &ShotOf) -> View {
        match shot {
            ShotOf::Target { .. } => View::Target,
            ShotOf::Depth { stencil: false, .. } => View::Depth,
            ShotOf::Depth { stencil: true, .. } => View::Stencil,
            ShotOf::Texture { .. } => View::Texture,
            ShotOf::Buffer { .. } => View::Buffer,
        }
    }

    /// As the command line has it.
    fn option(self) -> &'static str {
        match self {
            View::Target => "--target",
            View::Depth => "--depth",
            View::Stencil => "--stencil",
            View::Texture => "--resource",
            View::Buffer => "--buffer",
            View::Overlay => "--overlay",
            View::Clipping => "--overlay clipping",
        }
    }
}

impl Setting {
    /// As the command line has it, and as a line of a batch has it.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Setting::Mip => ("--mip", "mip"),
            Setting::Slice => ("--slice", "slice"),
            Setting::Plane => ("--plane", "plane"),
            Setting::Sample => ("--sample", "sample"),
            Setting::Before => ("--before", "before"),
            Setting::Values => ("--range LOW,HIGH", "range"),
            Setting::Fit => ("--range fit", "range"),
            Setting::Bytes => ("--range FIRST-LAST", "bytes"),
            Setting::Channels => ("--channels", "channels"),
            Setting::Linear => ("--linear", "linear"),
            Setting::Format => ("--as", "as"),
            Setting::Pixel => ("--pixel", "pixels"),
            Setting::Histogram => ("--histogram", "histogram"),
            Setting::Raw => ("--raw", "raw"),
            Setting::Structure => ("--struct", "struct"),
            Setting::Shader => ("--shader", "shader"),
        }
    }

    /// What a field of a batch's line says; none for fields that say what is shown and where it goes, and for what is as it is without them.
    pub(crate) fn of_field(name: &str, value: &Json) -> Option<Setting> {
        if matches!(value, Json::Null | Json::Bool(false)) || *value == 0 || value.as_array().is_some_and(Vec::is_empty)
        {
            return None;
        }
        Some(match name {
            "mip" => Setting::Mip,
            "slice" => Setting::Slice,
            "plane" => Setting::Plane,
            "sample" => Setting::Sample,
            "before" => Setting::Before,
            "range" if value.as_str().is_some_and(|range| range.starts_with("fit")) => Setting::Fit,
            "range" => Setting::Values,
            "auto_range" => Setting::Fit,
            "bytes" => Setting::Bytes,
            "channels" => Setting::Channels,
            "linear" => Setting::Linear,
            "as" => Setting::Format,
            "pixels" => Setting::Pixel,
            "histogram" => Setting::Histogram,
            "raw" => Setting::Raw,
            "struct" => Setting::Structure,
            _ => return None,
        })
    }

    /// The table: which views take it.
    fn takers(self) -> &'static [View] {
        use View::{Buffer, Clipping, Depth, Overlay, Stencil, Target, Texture};
        match self {
            Setting::Mip | Setting::Plane => &[Texture, Overlay, Clipping],
            Setting::Slice | Setting::Sample | Setting::Values | Setting::Channels | Setting::Linear => {
                &[Target, Depth, Stencil, Texture, Overlay, Clipping]
            }
            Setting::Format => &[Target, Depth, Stencil, Texture, Overlay, Clipping],
            Setting::Fit => &[Target, Depth, Stencil, Texture, Overlay],
            Setting::Bytes | Setting::Structure => &[Buffer],
            Setting::Pixel | Setting::Histogram | Setting::Shader => &[Target, Depth, Stencil, Texture],
            Setting::Raw | Setting::Before => &[Target, Depth, Stencil, Texture, Buffer],
        }
    }

    /// Why another view does not take it, and what to do.
    fn reason(self, view: View) -> &'static str {
        match (self, view) {
            (Setting::Mip | Setting::Plane, View::Buffer) => "a buffer has bytes, and neither levels nor planes",
            (Setting::Mip | Setting::Plane, _) => {
                "a bound view has a level and a plane of its own; of another one, name the texture by --resource ID"
            }
            (Setting::Fit, View::Clipping) => "nothing is cut off by a range that fits: say one by --range LOW,HIGH",
            (Setting::Bytes, _) => {
                "bytes are those of a --buffer; of a picture, --range LOW,HIGH says what is black and white"
            }
            (Setting::Structure, _) => "elements are those of a --buffer",
            (Setting::Values | Setting::Fit, View::Buffer) => {
                "a buffer has bytes and no values; --range FIRST-LAST says which, in a batch \"bytes\""
            }
            (_, View::Buffer) => "a buffer has bytes, and no texels",
            (_, View::Overlay | View::Clipping) => "an overlay is a picture, and tells how many texels are what",
            _ => "it has none",
        }
    }
}

/// Looks whether each view takes each setting.
///
/// # Errors
/// One does not: which, why, and what to do.
pub(crate) fn check(views: &[View], given: &[Setting]) -> Result<(), String> {
    for setting in given {
        let takes = |view: &&View| setting.takers().contains(view);
        let Some(view) = views.iter().find(|view| !takes(view)) else { continue };
        let apart = match views.iter().any(|view| takes(&view)) {
            true => "; ask for both in commands of their own",
            false => "",
        };
        let (option, reason) = (setting.names().0, setting.reason(*view));
        return Err(format!("{option} is nothing for {}: {reason}{apart}", view.option()));
    }
    Ok(())
}

/// Refuses what is said of a picture that nobody gets.
///
/// # Errors
/// Something is.
pub(crate) fn check_without_picture(given: &[Setting]) -> Result<(), String> {
    let of_picture = |setting: &&Setting| matches!(setting, Setting::Channels | Setting::Linear);
    let Some(setting) = given.iter().find(of_picture) else { return Ok(()) };
    let (option, field) = setting.names();
    Err(format!(
        "{option} is about the picture, and none is written: name its file by -o (in a batch: {field:?} by \"output\")"
    ))
}

/// Refuses what stands beside a batch, whose lines say it themselves.
///
/// # Errors
/// Something does.
pub(crate) fn check_batch(given: &[Setting]) -> Result<(), String> {
    let Some(setting) = given.first() else { return Ok(()) };
    let (option, field) = setting.names();
    Err(format!("{option} is nothing for --batch: each of its lines says it, as {field:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_view_does_not_take_is_refused_with_what_to_do() {
        use Setting::*;
        assert_eq!(check(&[View::Texture], &[Mip, Slice, Plane, Sample, Values, Histogram, Raw]), Ok(()));
        assert_eq!(check(&[View::Buffer], &[Bytes, Raw, Before]), Ok(()));
        for (views, setting, says) in [
            (&[View::Target][..], Mip, "--mip is nothing for --target: a bound view has a level"),
            (&[View::Depth], Plane, "--resource ID"),
            (&[View::Buffer], Histogram, "--histogram is nothing for --buffer: a buffer has bytes, and no texels"),
            (&[View::Buffer], Fit, "--range fit is nothing for --buffer: a buffer has bytes and no values"),
            (&[View::Target], Bytes, "bytes are those of a --buffer"),
            (&[View::Target, View::Clipping], Fit, "--overlay clipping: nothing is cut off"),
            (&[View::Target, View::Overlay], Pixel, "--pixel is nothing for --overlay"),
            (&[View::Target, View::Texture], Mip, "ask for both in commands of their own"),
        ] {
            let said = check(views, &[setting]).map_or_else(|said| said, |()| "taken".to_owned());
            assert!(said.contains(says), "{setting:?}: {said}");
        }
        assert_eq!(check_without_picture(&[Mip, Values]), Ok(()));
        assert!(check_without_picture(&[Linear]).is_err_and(|said| said.starts_with("--linear is about the picture")));
        assert_eq!(check_batch(&[]), Ok(()));
        assert!(check_batch(&[Mip]).is_err_and(|said| said.contains("as \"mip\"")));
    }
}
