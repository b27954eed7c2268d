//! Elements of an accessor as numbers. Components are read byte by byte, since offsets of broken
//! files are not aligned; each component type has its own loop.

use gltf::accessor::DataType;

/// A component of an element.
trait Component: Copy {
    /// Size in bytes.
    const SIZE: usize;
    /// Reads a component from the front of some bytes.
    fn load(bytes: &[u8]) -> Self;
    /// Returns its value.
    fn plain(self) -> f32;
    /// Returns its value as a normalised integer; a float is unchanged.
    fn normalized(self) -> f32;
}

macro_rules! component {
    ($type:ty, |$c:ident| $plain:expr, $normalized:expr) => {
        impl Component for $type {
            const SIZE: usize = size_of::<$type>();

            fn load(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<$type>()];
                own.copy_from_slice(&bytes[..size_of::<$type>()]);
                Self::from_le_bytes(own)
            }

            fn plain(self) -> f32 {
                let $c = self;
                $plain
            }

            fn normalized(self) -> f32 {
                let $c = self;
                $normalized
            }
        }
    };
}

component!(i8, |c| f32::from(c), (f32::from(c) / 127.0).max(-1.0));
component!(u8, |c| f32::from(c), f32::from(c) / 255.0);
component!(i16, |c| f32::from(c), (f32::from(c) / 32767.0).max(-1.0));
component!(u16, |c| f32::from(c), f32::from(c) / 65535.0);
component!(u32, |c| c as f32, (f64::from(c) / f64::from(u32::MAX)) as f32);
component!(f32, |c| c, c);

/// Evenly spaced elements. `bytes` must hold them all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements<'a> {
    /// The bytes, starting with the first element.
    pub bytes: &'a [u8],
    /// Bytes from one element to the next.
    pub stride: usize,
    /// The number of elements.
    pub count: usize,
    /// The component type.
    pub component: DataType,
}

impl Elements<'_> {
    /// Calls `each` with every element's first `N` components as floats.
    pub fn floats<const N: usize>(&self, normalized: bool, mut each: impl FnMut([f32; N])) {
        macro_rules! walk {
            ($type:ty) => {
                match normalized {
                    true => self.walk(|e: [$type; N]| each(e.map(Component::normalized))),
                    false => self.walk(|e: [$type; N]| each(e.map(Component::plain))),
                }
            };
        }
        match self.component {
            DataType::I8 => walk!(i8),
            DataType::U8 => walk!(u8),
            DataType::I16 => walk!(i16),
            DataType::U16 => walk!(u16),
            DataType::U32 => walk!(u32),
            DataType::F32 => self.walk(|e: [f32; N]| each(e)),
        }
    }

    /// Calls `each` with every element's first `N` components as integers. Does nothing for
    /// component types that are not unsigned integers.
    pub fn integers<const N: usize>(&self, mut each: impl FnMut([u32; N])) {
        match self.component {
            DataType::U8 => self.walk(|e: [u8; N]| each(e.map(u32::from))),
            DataType::U16 => self.walk(|e: [u16; N]| each(e.map(u32::from))),
            DataType::U32 => self.walk(|e: [u32; N]| each(e)),
            DataType::I8 | DataType::I16 | DataType::F32 => {}
        }
    }

    fn walk<C: Component, const N: usize>(&self, mut each: impl FnMut([C; N])) {
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

    fn one(component: DataType, bytes: &[u8], normalized: bool) -> f32 {
        let mut got = f32::NAN;
        let elements = Elements { bytes, stride: bytes.len(), count: 1, component };
        elements.floats(normalized, |[x]: [f32; 1]| got = x);
        got
    }

    #[test]
    fn normalised_integers_follow_the_specification() {
        assert_eq!(one(DataType::I8, &[0x80], true), -1.0);
        assert_eq!(one(DataType::I8, &[0x81], true), -1.0);
        assert_eq!(one(DataType::I8, &[0x7f], true), 1.0);
        assert_eq!(one(DataType::U8, &[51], true), 0.2);
        assert_eq!(one(DataType::I16, &[0x00, 0x80], true), -1.0);
        assert_eq!(one(DataType::I16, &[0xff, 0x7f], true), 1.0);
        assert_eq!(one(DataType::U16, &[0xff, 0xff], true), 1.0);
    }

    #[test]
    fn other_integers_are_their_value() {
        assert_eq!(one(DataType::I8, &[0x80], false), -128.0);
        assert_eq!(one(DataType::U16, &[0x39, 0x05], false), 1337.0);
        assert_eq!(one(DataType::U32, &[0, 0, 1, 0], false), 65536.0);
        assert_eq!(one(DataType::F32, &1.5f32.to_le_bytes(), true), 1.5);
    }

    #[test]
    fn strides_and_odd_offsets_are_walked() {
        let bytes = [9, 1, 0, 2, 0, 7, 7, 3, 0, 4, 0];
        let elements =
            Elements { bytes: &bytes[1..], stride: 6, count: 2, component: DataType::U16 };
        let mut got = Vec::new();
        elements.integers(|pair: [u32; 2]| got.push(pair));
        assert_eq!(got, [[1, 2], [3, 4]]);
    }
}
