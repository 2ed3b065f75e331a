//! Where in a call's arguments a walk is, for errors: `pDesc.pParameters[3].ShaderVisibility`.

use std::fmt;

/// A stack of names and indices; written out only when an error is made.
#[derive(Default)]
pub(crate) struct Path(Vec<Part>);

enum Part {
    Name(&'static str),
    Index(usize),
}

impl Path {
    pub(crate) fn push(&mut self, name: &'static str) {
        self.0.push(Part::Name(name));
    }

    pub(crate) fn index(&mut self, index: usize) {
        self.0.push(Part::Index(index));
    }

    pub(crate) fn pop(&mut self) {
        self.0.pop();
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("arguments");
        }
        for (i, part) in self.0.iter().enumerate() {
            match part {
                Part::Name(name) if i == 0 => f.write_str(name)?,
                Part::Name(name) => write!(f, ".{name}")?,
                Part::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}
