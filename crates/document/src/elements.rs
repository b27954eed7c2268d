//! Elements of an accessor as numbers. Components are read byte by byte, since offsets of broken
//! files are not aligned; each component type has its own loop.

use super::component::Component;

/// A number as it is stored.
trait Stored: Copy {
    /// Size in bytes.
    const SIZE: usize;
    /// Reads a number from the front of some bytes.
    fn load(bytes: &[u8]) -> Self;
    /// Returns its value.
    fn plain(self) -> f32;
    /// Returns its value as a normalised integer; a float is unchanged.
    fn normalized(self) -> f32;
}

macro_rules! stored {
    ($type:ty, |$c:ident| $plain:expr, $normalized:expr) => {
        impl Stored for $type {
            const SIZE: usize = size_of::<$type>();

            #[inline]
            fn load(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<$type>()];
                own.copy_from_slice(&bytes[..size_of::<$type>()]);
                Self::from_le_bytes(own)
            }

            #[inline]
            fn plain(self) -> f32 {
                let $c = self;
                $plain
            }

            #[inline]
            fn normalized(self) -> f32 {
                let $c = self;
                $normalized
            }
        }
    };
}

stored!(i8, |c| f32::from(c), (f32::from(c) / 127.0).max(-1.0));
stored!(u8, |c| f32::from(c), f32::from(c) / 255.0);
stored!(i16, |c| f32::from(c), (f32::from(c) / 32767.0).max(-1.0));
stored!(u16, |c| f32::from(c), f32::from(c) / 65535.0);
stored!(u32, |c| c as f32, (f64::from(c) / f64::from(u32::MAX)) as f32);
stored!(f32, |c| c, c);

/// Evenly spaced elements. `bytes` must hold them all.
#[derive(Clone, Copy, Debug)]
pub struct Elements<'a> {
    /// The bytes, starting with the first element.
    pub bytes: &'a [u8],
    /// Bytes from one element to the next.
    pub stride: usize,
    /// The number of elements.
    pub count: usize,
    /// The component type.
    pub component: Component,
}

impl Elements<'_> {
    /// Calls `each` with every element's first `N` components as floats.
    ///
    /// # Panics
    /// If the bytes end before the last element.
    pub fn floats<const N: usize>(&self, normalized: bool, mut each: impl FnMut([f32; N])) {
        macro_rules! walk {
            ($type:ty) => {
                if normalized {
                    self.walk(|e: [$type; N]| each(e.map(Stored::normalized)))
                } else {
                    self.walk(|e: [$type; N]| each(e.map(Stored::plain)))
                }
            };
        }
        match self.component {
            Component::I8 => walk!(i8),
            Component::U8 => walk!(u8),
            Component::I16 => walk!(i16),
            Component::U16 => walk!(u16),
            Component::U32 => walk!(u32),
            Component::F32 => self.walk(|e: [f32; N]| each(e)),
        }
    }

    /// Calls `each` with every element's first `N` components as integers. Does nothing for
    /// component types that are not unsigned integers.
    ///
    /// # Panics
    /// If the bytes end before the last element.
    pub fn integers<const N: usize>(&self, mut each: impl FnMut([u32; N])) {
        match self.component {
            Component::U8 => self.walk(|e: [u8; N]| each(e.map(u32::from))),
            Component::U16 => self.walk(|e: [u16; N]| each(e.map(u32::from))),
            Component::U32 => self.walk(|e: [u32; N]| each(e)),
            Component::I8 | Component::I16 | Component::F32 => {}
        }
    }

    #[inline]
    fn walk<C: Stored, const N: usize>(&self, mut each: impl FnMut([C; N])) {
        for i in 0..self.count {
            let at = i * self.stride;
            let element = &self.bytes[at..at + N * C::SIZE];
            each(std::array::from_fn(|k| C::load(&element[k * C::SIZE..])));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(component: Component, bytes: &[u8], normalized: bool) -> f32 {
        let mut got = f32::NAN;
        let elements = Elements { bytes, stride: bytes.len(), count: 1, component };
        elements.floats(normalized, |[x]: [f32; 1]| got = x);
        got
    }

    #[test]
    fn normalised_integers_follow_the_specification() {
        assert_eq!(one(Component::I8, &[0x80], true), -1.0);
        assert_eq!(one(Component::I8, &[0x81], true), -1.0);
        assert_eq!(one(Component::I8, &[0x7f], true), 1.0);
        assert_eq!(one(Component::U8, &[51], true), 0.2);
        assert_eq!(one(Component::I16, &[0x00, 0x80], true), -1.0);
        assert_eq!(one(Component::I16, &[0xff, 0x7f], true), 1.0);
        assert_eq!(one(Component::U16, &[0xff, 0xff], true), 1.0);
    }

    #[test]
    fn other_integers_are_their_value() {
        assert_eq!(one(Component::I8, &[0x80], false), -128.0);
        assert_eq!(one(Component::U16, &[0x39, 0x05], false), 1337.0);
        assert_eq!(one(Component::U32, &[0, 0, 1, 0], false), 65536.0);
        assert_eq!(one(Component::F32, &1.5f32.to_le_bytes(), true), 1.5);
    }

    #[test]
    fn strides_and_odd_offsets_are_walked() {
        let bytes = [9, 1, 0, 2, 0, 7, 7, 3, 0, 4, 0];
        let elements =
            Elements { bytes: &bytes[1..], stride: 6, count: 2, component: Component::U16 };
        let mut got = Vec::new();
        elements.integers(|pair: [u32; 2]| got.push(pair));
        assert_eq!(got, [[1, 2], [3, 4]]);
    }
}
