//! Texels as bytes, little-endian: what crosses between the processor's pictures and buffers.

use std::fmt::Debug;

/// A texel of plain numbers.
pub(crate) trait Texel: Copy + PartialEq + Debug {
    /// In bytes.
    const SIZE: usize;

    /// From its bytes; panics where there are fewer.
    fn read(bytes: &[u8]) -> Self;

    /// Its bytes, at the end of others.
    fn write(self, bytes: &mut Vec<u8>);
}

macro_rules! texels {
    ($($ty:ty),*) => {
        $(impl Texel for $ty {
            const SIZE: usize = size_of::<$ty>();

            fn read(bytes: &[u8]) -> Self {
                Self::from_le_bytes(std::array::from_fn(|at| bytes[at]))
            }

            fn write(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
        })*
    };
}

texels!(u8, u16, u32, u64, i8, i16, i32, f32);

impl<T: Texel, const N: usize> Texel for [T; N] {
    const SIZE: usize = N * T::SIZE;

    fn read(bytes: &[u8]) -> Self {
        std::array::from_fn(|at| T::read(&bytes[at * T::SIZE..]))
    }

    fn write(self, bytes: &mut Vec<u8>) {
        self.into_iter().for_each(|part| part.write(bytes));
    }
}

/// All texels of some bytes.
pub(crate) fn texels<T: Texel>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(T::SIZE).map(T::read).collect()
}

/// The bytes of some texels.
pub(crate) fn bytes<T: Texel>(texels: &[T]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(texels.len() * T::SIZE);
    texels.iter().for_each(|texel| texel.write(&mut bytes));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_are_their_bytes() {
        assert_eq!(texels::<[u16; 2]>(&[1, 2, 3, 4, 5, 6, 7, 8]), [[0x201, 0x403], [0x605, 0x807]]);
        assert_eq!(bytes(&[[1u8, 2], [3, 4]]), [1, 2, 3, 4]);
    }
}
