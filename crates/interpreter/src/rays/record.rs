//! Records of shader tables.

use crate::module::Module;
use std::rc::Rc;

/// A table of a dispatch of rays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// The one record of the ray generation shader.
    RayGeneration,
    /// Shaders of rays that hit nothing.
    Miss,
    /// Hit groups.
    Hit,
    /// Shaders that shaders call.
    Callable,
}

impl Table {
    /// As reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Table::RayGeneration => "ray_generation",
            Table::Miss => "miss",
            Table::Hit => "hit",
            Table::Callable => "callable",
        }
    }
}

/// A record: shaders and their own root arguments. Where there is no shader, none is called.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// The export's name.
    pub name: Option<String>,
    /// A ray generation, miss or callable shader.
    pub general: Option<Rc<Module>>,
    /// Of a hit group.
    pub closest_hit: Option<Rc<Module>>,
    /// Of a hit group.
    pub any_hit: Option<Rc<Module>>,
    /// Of a hit group of boxes.
    pub intersection: Option<Rc<Module>>,
    /// What lies behind the identifier.
    pub arguments: Vec<u8>,
}
