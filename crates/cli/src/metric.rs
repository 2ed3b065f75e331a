//! How two pictures are compared, and how far they may be apart.
//!
//! SSIM is of the crate `image-compare`, FLIP of NVIDIA's own code (`nv-flip`); only this module names them. Both look at 8 bits of red, green
//! and blue, as they are stored.

use image::RgbImage;
use image_compare::Algorithm;
use reprise_replay::{Picture, Unlike, unlike};
use std::fmt;
use std::str::FromStr;

/// A measure, and the worst value that passes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Metric {
    /// Every byte, by the hash.
    Exact,
    /// The largest difference of a channel, in steps of the format: 8 bits have 255.
    MaxStep(u32),
    /// Ratio of the largest signal to the noise in decibels: more is closer, 40 is hard to see.
    Psnr(f64),
    /// Structural similarity: 1 is the same.
    Ssim(f64),
    /// Mean of NVIDIA's FLIP error over the picture, at 67 pixels a degree: 0 is the same.
    #[cfg_attr(not(unix), expect(dead_code, reason = "measured on Linux only"))]
    Flip(f64),
}

/// What a comparison found.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Measured {
    pub(crate) passes: bool,
    /// Every byte is the same.
    pub(crate) is_same: bool,
    /// The value of the metric; `None` where it has none.
    pub(crate) value: Option<f64>,
    /// In words.
    pub(crate) said: String,
}

impl Metric {
    /// Whether it needs pictures: hashes are enough for the exact one. Suites ask.
    #[cfg(unix)]
    pub(crate) fn needs_pictures(self) -> bool {
        self != Metric::Exact
    }

    /// Compares a picture with the golden one. By [`Metric::MaxStep`] so many pixels may be further apart.
    pub(crate) fn measure(self, golden: &Picture, picture: &Picture, most: u64) -> Measured {
        let tolerance = if let Metric::MaxStep(steps) = self { steps } else { 0 };
        let Some(unlike) = unlike(golden, picture, tolerance) else {
            return Measured { passes: true, is_same: true, value: None, said: "the same".into() };
        };
        let failed = |said: String| Measured { passes: false, is_same: false, value: None, said };
        let pixels = match &unlike {
            Unlike::Shape(_) => return failed(unlike.to_string()),
            Unlike::Pixels(pixels) => pixels,
        };
        let value = match self {
            Metric::Exact => return failed(unlike.to_string()),
            Metric::MaxStep(_) => {
                let value = pixels.step.map(f64::from);
                return Measured { passes: pixels.beyond <= most, is_same: false, value, said: unlike.to_string() };
            }
            _ => {
                let (Some(a), Some(b)) = (golden.rgb8(), picture.rgb8()) else {
                    return failed(format!("{} compares 8 bits a channel only; {unlike}", self.name()));
                };
                let size = (golden.width, golden.height);
                match self {
                    Metric::Ssim(_) => ssim(&a, &b, size),
                    #[cfg(unix)]
                    Metric::Flip(_) => Some(flip(&a, &b, size)),
                    _ => Some(psnr(&a, &b)),
                }
            }
        };
        let Some(value) = value else { return failed(format!("{} has no value; {unlike}", self.name())) };
        let passes = match self {
            Metric::Psnr(least) | Metric::Ssim(least) => value >= least,
            Metric::Flip(most) => value <= most,
            Metric::Exact | Metric::MaxStep(_) => false,
        };
        Measured { passes, is_same: false, value: Some(value), said: format!("{} {value:.4}; {unlike}", self.name()) }
    }

    /// Whether what was found is worse than something else that was; no value is the worst.
    pub(crate) fn is_worse(self, found: &Measured, than: &Measured) -> bool {
        match (found.value, than.value) {
            (Some(found), Some(than)) if matches!(self, Metric::Psnr(_) | Metric::Ssim(_)) => found < than,
            (Some(found), Some(than)) => found > than,
            (found, than) => found.is_none() && than.is_some(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Metric::Exact => "exact",
            Metric::MaxStep(_) => "max-step",
            Metric::Psnr(_) => "psnr",
            Metric::Ssim(_) => "ssim",
            Metric::Flip(_) => "flip",
        }
    }
}

/// In decibels, over the channels of all pixels; infinite where they are the same.
fn psnr(a: &[[u8; 3]], b: &[[u8; 3]]) -> f64 {
    let channels = a.as_flattened().iter().zip(b.as_flattened());
    let squares: f64 = channels.map(|(a, b)| f64::from(a.abs_diff(*b)).powi(2)).sum();
    let mean = squares / (3 * a.len()).max(1) as f64;
    10.0 * (255.0 * 255.0 / mean).log10()
}

fn ssim(a: &[[u8; 3]], b: &[[u8; 3]], (width, height): (u32, u32)) -> Option<f64> {
    let image = |pixels: &[[u8; 3]]| RgbImage::from_raw(width, height, pixels.as_flattened().to_vec());
    let compared = image_compare::rgb_similarity_structure(&Algorithm::MSSIMSimple, &image(a)?, &image(b)?);
    compared.ok().map(|similarity| similarity.score)
}

#[cfg(unix)]
fn flip(a: &[[u8; 3]], b: &[[u8; 3]], (width, height): (u32, u32)) -> f64 {
    let image = |pixels: &[[u8; 3]]| nv_flip::FlipImageRgb8::with_data(width, height, pixels.as_flattened());
    let errors = nv_flip::flip(image(a), image(b), nv_flip::DEFAULT_PIXELS_PER_DEGREE);
    nv_flip::FlipPool::from_image(&errors).mean().into()
}

impl FromStr for Metric {
    type Err = String;

    fn from_str(text: &str) -> Result<Metric, String> {
        let wrong =
            || format!("{text:?} is no metric: exact, max-step=N, psnr=DECIBELS, ssim=N (0 to 1) or flip=N (0 to 1)");
        if text == "exact" {
            return Ok(Metric::Exact);
        }
        let (name, value) = text.split_once('=').ok_or_else(wrong)?;
        let number = || value.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0).ok_or_else(wrong);
        let part = || number().and_then(|value| if value <= 1.0 { Ok(value) } else { Err(wrong()) });
        match name {
            "max-step" => value.parse().map(Metric::MaxStep).map_err(|_| wrong()),
            "psnr" => number().map(Metric::Psnr),
            "ssim" => part().map(Metric::Ssim),
            // NVIDIA's code is C++, whose runtime library would have to stand beside `reprise.exe`.
            #[cfg(not(unix))]
            "flip" => Err("flip is measured on Linux only; take ssim=N".into()),
            #[cfg(unix)]
            "flip" => part().map(Metric::Flip),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Metric::Exact => f.write_str("exact"),
            Metric::MaxStep(steps) => write!(f, "max-step={steps}"),
            Metric::Psnr(value) | Metric::Ssim(value) | Metric::Flip(value) => write!(f, "{}={value}", self.name()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn picture(pixel: impl Fn(u32, u32) -> [u8; 3]) -> Picture {
        let all = (0..32).flat_map(|y| (0..32).map(move |x| (x, y)));
        let bytes = all.flat_map(|(x, y)| pixel(x, y).into_iter().chain([255])).collect();
        Picture { width: 32, height: 32, format: 28, bytes }
    }

    #[test]
    fn metrics_are_written_as_they_are_read() {
        for text in ["exact", "max-step=2", "psnr=40.5", "ssim=0.99", "flip=0.01"] {
            assert_eq!(text.parse::<Metric>().unwrap().to_string(), text);
        }
        for text in ["", "ssim", "ssim=2", "flip=-1", "psnr=nan", "max-step=1.5", "mse=1"] {
            assert!(text.parse::<Metric>().is_err(), "{text}");
        }
    }

    /// Values that follow from the formulas: a uniform step of 5 is 20·log10(255/5) decibels; what is the same has none.
    #[test]
    fn values_are_those_of_the_formulas() {
        let (grey, lighter) = (picture(|_, _| [100; 3]), picture(|_, _| [105; 3]));
        let measure = |text: &str, other: &Picture| text.parse::<Metric>().unwrap().measure(&grey, other, 0);
        let psnr = measure("psnr=34", &lighter);
        assert!((psnr.value.unwrap() - 20.0 * 51f64.log10()).abs() < 1e-9 && psnr.passes, "{psnr:?}");
        assert!(!measure("psnr=35", &lighter).passes);
        assert_eq!(measure("max-step=5", &lighter).value, Some(5.0));
        assert!(measure("max-step=5", &lighter).passes && !measure("max-step=4", &lighter).passes);
        // Of flat pictures SSIM is its term of luminance: (2ab + c) / (a² + b² + c), with c = (0.01 · 255)².
        let (a, b, c) = (100.0, 105.0, (0.01 * 255f64).powi(2));
        let expected = (2.0 * a * b + c) / (a * a + b * b + c);
        assert!((measure("ssim=0.5", &lighter).value.unwrap() - expected).abs() < 1e-6);
        let black = picture(|x, y| if (x / 4 + y / 4) % 2 == 0 { [0; 3] } else { [255; 3] });
        let white = picture(|x, y| if (x / 4 + y / 4) % 2 == 1 { [0; 3] } else { [255; 3] });
        let inverse = "flip=0.5".parse::<Metric>().unwrap().measure(&black, &white, 0);
        assert!(inverse.value.unwrap() > 0.5 && !inverse.passes, "{inverse:?}");
        let near = "flip=0.1".parse::<Metric>().unwrap().measure(&grey, &lighter, 0);
        assert!(near.passes && near.value.unwrap() > 0.0, "{near:?}");
        for text in ["exact", "max-step=0", "psnr=100", "ssim=1", "flip=0"] {
            assert!(measure(text, &grey).passes, "{text}");
        }
        assert!(!measure("ssim=0", &Picture { width: 16, height: 64, ..grey.clone() }).passes);
    }
}
