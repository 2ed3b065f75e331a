//! Texels as a shader of the user's shows them.

use crate::options::custom_view::ShaderChoice;
use crate::shown::answer::check_format;
use crate::shown::wish::Wish;
use crate::terminal::exit::{self, Failure};
use reprise_d3d12::types::DXGI_FORMAT;
use reprise_picture::{Kind, Texels};
use reprise_replay::{CustomView, Options, ShotContents, ShotPart, ViewChannels, ViewedTexels};
use serde_json::Value as Json;

/// The shader, on a device of its own.
pub(crate) struct Custom {
    view: CustomView,
    file: String,
}

impl Custom {
    /// The shader that was asked for, on the runtime of these options.
    ///
    /// # Errors
    /// It cannot be read or compiled, or the runtime refuses it.
    pub(crate) fn new(choice: &ShaderChoice, options: &Options<'_>) -> Result<Option<Self>, Failure> {
        let Some(file) = &choice.shader else { return Ok(None) };
        let wrong = |reason: String| Failure::message(exit::USAGE, reason);
        let Some(shader) = choice.read().map_err(wrong)? else { return Ok(None) };
        let view = CustomView::new(options, &shader)
            .map_err(|reason| wrong(format!("--shader {}: {reason}", file.display())))?;
        Ok(Some(Self { view, file: file.display().to_string() }))
    }

    /// What the shader gives in the place of the texels, and the wish that shows these values as they are.
    ///
    /// # Errors
    /// The texels cannot be read, or the runtime fails.
    pub(crate) fn of(&self, wish: &Wish, mut contents: ShotContents) -> Result<(Wish, ShotContents), String> {
        check_format(&wish.look, &contents).map_err(|error| error.to_string())?;
        let ShotPart::Texels { mip, slice, plane, sample, format, width, height, bytes } = &mut contents.part else {
            return Err("--shader is for textures".into());
        };
        let read = Texels::new(wish.look.format.unwrap_or(*format), *plane, (*width, *height), std::mem::take(bytes))?;
        let (channels, bits): (_, fn(f64) -> u32) = match read.layout().kind() {
            Kind::Uint => (ViewChannels::Unsigned, |value| value as u32),
            Kind::Sint => (ViewChannels::Signed, |value| (value as i32).cast_unsigned()),
            Kind::Unorm | Kind::Snorm | Kind::Float | Kind::Depth => {
                (ViewChannels::Float, |value| (value as f32).to_bits())
            }
        };
        let (low, high) = wish.look.mapping.range_of(&read);
        let ends = [low, high].map(|end| (end as f32).to_bits());
        let viewed = ViewedTexels {
            size: (*width, *height),
            channels,
            texels: read.iter().map(|texel| texel.map(bits)).collect(),
            constants: [*mip, *slice, ends[0], ends[1], *sample, wish.shot.call as u32],
        };
        *bytes = self.view.of(&viewed)?;
        *format = DXGI_FORMAT::FORMAT_R32G32B32A32_FLOAT.0 as u32;
        *plane = 0;
        let mut wish = wish.clone();
        wish.look.format = None;
        // The range is the shader's, and what it gives is what is seen.
        (wish.look.mapping.range, wish.look.mapping.auto, wish.look.mapping.linear) = (None, false, true);
        Ok((wish, contents))
    }

    /// Says of an answer whose values they are.
    pub(crate) fn name(&self, said: &mut Json) {
        said["shader"] = self.file.clone().into();
    }
}
