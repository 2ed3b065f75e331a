//! Pictures as the processor draws them: what each drawing program expects of the GPU.
//!
//! Invariant: only whole pixels, and only what the program says pixel by pixel; nothing here knows a rule of rasterisation
//! other than that a rectangle on pixel edges covers the pixels inside it.

use crate::failure::Failure;
use std::fmt::Debug;

/// A rectangle of pixels; right and bottom are outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Area {
    pub(crate) left: u32,
    pub(crate) top: u32,
    pub(crate) right: u32,
    pub(crate) bottom: u32,
}

impl Area {
    /// From a corner and a size.
    pub(crate) const fn at(left: u32, top: u32, width: u32, height: u32) -> Self {
        Self { left, top, right: left + width, bottom: top + height }
    }

    /// What both have; nothing is an empty rectangle.
    pub(crate) fn within(self, other: Self) -> Self {
        let (left, top) = (self.left.max(other.left), self.top.max(other.top));
        Self { left, top, right: self.right.min(other.right).max(left), bottom: self.bottom.min(other.bottom).max(top) }
    }
}

/// A picture of texels of one type.
#[derive(Clone)]
pub(crate) struct Picture<T> {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) texels: Vec<T>,
}

impl<T: Copy + PartialEq + Debug> Picture<T> {
    /// Of one colour.
    pub(crate) fn new(width: u32, height: u32, colour: T) -> Self {
        Self { width, height, texels: vec![colour; (width * height) as usize] }
    }

    /// Changes each pixel of an area, row by row: `change(x, y, pixel)`. What lies outside of the picture is left out.
    pub(crate) fn draw(&mut self, area: Area, mut change: impl FnMut(u32, u32, &mut T)) {
        let area = area.within(Area::at(0, 0, self.width, self.height));
        for y in area.top..area.bottom {
            for x in area.left..area.right {
                change(x, y, &mut self.texels[(y * self.width + x) as usize]);
            }
        }
    }

    /// Gives each pixel of an area one colour.
    pub(crate) fn fill(&mut self, area: Area, colour: T) {
        self.draw(area, |_, _, pixel| *pixel = colour);
    }

    /// The pixel at a place.
    pub(crate) fn at(&self, x: u32, y: u32) -> T {
        self.texels[(y * self.width + x) as usize]
    }

    /// Wrong at the first pixel where the GPU's picture is not this one.
    pub(crate) fn check(&self, what: &str, got: &[T]) -> Result<(), Failure> {
        Failure::unless(got.len() == self.texels.len(), || format!("{what}: {} texels", got.len()))?;
        let wrong = self.texels.iter().zip(got).filter(|(expected, got)| expected != got).count();
        let first = self.texels.iter().zip(got).position(|(expected, got)| expected != got);
        Failure::unless(first.is_none(), || {
            let at = first.unwrap_or_default();
            let (x, y) = (at as u32 % self.width, at as u32 / self.width);
            format!(
                "{what}: {wrong} pixels differ; the first, ({x}, {y}), is {:x?} instead of {:x?}",
                got[at], self.texels[at]
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_cut_to_the_picture() {
        let mut picture = Picture::new(4, 4, 0u32);
        picture.fill(Area::at(2, 3, 9, 9), 7);
        assert_eq!(picture.texels.iter().filter(|pixel| **pixel == 7).count(), 2);
        assert_eq!((picture.at(2, 3), picture.at(1, 3)), (7, 0));
        assert_eq!(Area::at(0, 0, 2, 2).within(Area::at(3, 3, 1, 1)), Area { left: 3, top: 3, right: 3, bottom: 3 });
    }

    #[test]
    fn the_first_wrong_pixel_is_named() {
        let picture = Picture::new(2, 2, 1u32);
        assert_eq!(picture.check("x", &[1; 4]), Ok(()));
        let Err(Failure::Wrong(text)) = picture.check("x", &[1, 1, 3, 4]) else { panic!("not wrong") };
        assert!(text.contains("2 pixels") && text.contains("(0, 1)"), "{text}");
    }
}
