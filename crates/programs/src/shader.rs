//! The compiled shaders, in both forms, inside the program.
//!
//! Invariant: `shaders/blobs.txt` says of every blob what it was made from and how; a test compares.

use clap::ValueEnum;

/// The form in which a shader is given to the library.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Kind {
    /// Shader model 5.
    Dxbc,
    /// Shader model 6.
    Dxil,
}

/// One entry point in both forms; the older form is empty where the shader asks for what it cannot say.
pub(crate) struct Shader {
    pub(crate) dxbc: &'static [u8],
    pub(crate) dxil: &'static [u8],
}

impl Shader {
    pub(crate) fn bytes(&self, kind: Kind) -> &'static [u8] {
        match kind {
            Kind::Dxbc => self.dxbc,
            Kind::Dxil => self.dxil,
        }
    }
}

/// The shader `FILE.ENTRY` of the folder `shaders`: `const SUM: Shader = shader!("compute.sum");`. With `dxil` behind the name it
/// has that form only.
macro_rules! shader {
    ($name:literal dxil) => {
        $crate::shader::Shader {
            dxbc: &[],
            dxil: include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $name, ".dxil")),
        }
    };
    ($name:literal) => {
        $crate::shader::Shader {
            dxbc: include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $name, ".dxbc")),
            dxil: include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $name, ".dxil")),
        }
    };
}

pub(crate) use shader;
