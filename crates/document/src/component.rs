//! Component types and shapes of accessors: the one table of their names, numbers and sizes.

/// The type of a component (`componentType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Component {
    /// BYTE.
    I8,
    /// UNSIGNED_BYTE.
    U8,
    /// SHORT.
    I16,
    /// UNSIGNED_SHORT.
    U16,
    /// UNSIGNED_INT.
    U32,
    /// FLOAT.
    F32,
}

/// The shape of an element (`type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// One number.
    Scalar,
    /// Two numbers.
    Vec2,
    /// Three numbers.
    Vec3,
    /// Four numbers.
    Vec4,
    /// Two columns of two numbers.
    Mat2,
    /// Three columns of three numbers.
    Mat3,
    /// Four columns of four numbers.
    Mat4,
}

/// A row of the table of component types.
struct ComponentRow {
    component: Component,
    code: u64,
    name: &'static str,
    size: usize,
    /// The integer that stands for 1 where integers are normalised.
    one: f64,
}

const fn row(
    component: Component,
    code: u64,
    name: &'static str,
    size: usize,
    one: f64,
) -> ComponentRow {
    ComponentRow { component, code, name, size, one }
}

/// In the order of [`Component`].
const COMPONENTS: [ComponentRow; 6] = [
    row(Component::I8, 5120, "BYTE", 1, 127.0),
    row(Component::U8, 5121, "UNSIGNED_BYTE", 1, 255.0),
    row(Component::I16, 5122, "SHORT", 2, 32767.0),
    row(Component::U16, 5123, "UNSIGNED_SHORT", 2, 65535.0),
    row(Component::U32, 5125, "UNSIGNED_INT", 4, 4_294_967_295.0),
    row(Component::F32, 5126, "FLOAT", 4, 1.0),
];

/// Names of shapes with their columns and rows, in the order of [`Shape`].
const SHAPES: [(Shape, &str, usize, usize); 7] = [
    (Shape::Scalar, "SCALAR", 1, 1),
    (Shape::Vec2, "VEC2", 1, 2),
    (Shape::Vec3, "VEC3", 1, 3),
    (Shape::Vec4, "VEC4", 1, 4),
    (Shape::Mat2, "MAT2", 2, 2),
    (Shape::Mat3, "MAT3", 3, 3),
    (Shape::Mat4, "MAT4", 4, 4),
];

impl Component {
    /// Returns the type with a number of glTF's.
    pub fn from_code(code: u64) -> Option<Self> {
        COMPONENTS.iter().find(|row| row.code == code).map(|row| row.component)
    }

    /// Returns glTF's number.
    pub const fn code(self) -> u64 {
        COMPONENTS[self as usize].code
    }

    /// Returns glTF's name.
    pub const fn name(self) -> &'static str {
        COMPONENTS[self as usize].name
    }

    /// Returns the size in bytes.
    pub const fn size(self) -> usize {
        COMPONENTS[self as usize].size
    }

    /// Whether it is an integer type.
    pub fn is_integer(self) -> bool {
        self != Self::F32
    }

    /// Returns the integer that stands for 1 where integers are normalised.
    pub const fn one(self) -> f64 {
        COMPONENTS[self as usize].one
    }

    /// Returns the number at the front of some bytes, which must be long enough; a fraction if it is `normalized`.
    pub fn number(self, bytes: &[u8], normalized: bool) -> f64 {
        let plain = match (self, bytes) {
            (Self::I8, [a, ..]) => f64::from(*a as i8),
            (Self::U8, [a, ..]) => f64::from(*a),
            (Self::I16, [a, b, ..]) => f64::from(i16::from_le_bytes([*a, *b])),
            (Self::U16, [a, b, ..]) => f64::from(u16::from_le_bytes([*a, *b])),
            (Self::U32, [a, b, c, d, ..]) => f64::from(u32::from_le_bytes([*a, *b, *c, *d])),
            (Self::F32, [a, b, c, d, ..]) => f64::from(f32::from_le_bytes([*a, *b, *c, *d])),
            _ => 0.0,
        };
        // Two integers stand for -1: glTF clamps the smaller one.
        if normalized && self.is_integer() { (plain / self.one()).max(-1.0) } else { plain }
    }

    /// Appends a number as it is stored. Fractions are rounded to the nearest integer; integers out of range are clamped.
    pub fn store(self, number: f64, normalized: bool, out: &mut Vec<u8>) {
        let number =
            if normalized && self.is_integer() { (number * self.one()).round() } else { number };
        match self {
            Self::I8 => out.extend((number as i8).to_le_bytes()),
            Self::U8 => out.extend((number as u8).to_le_bytes()),
            Self::I16 => out.extend((number as i16).to_le_bytes()),
            Self::U16 => out.extend((number as u16).to_le_bytes()),
            Self::U32 => out.extend((number as u32).to_le_bytes()),
            Self::F32 => out.extend((number as f32).to_le_bytes()),
        }
    }
}

impl Shape {
    /// Returns the shape with a name of glTF's.
    pub fn from_name(name: &str) -> Option<Self> {
        SHAPES.iter().find(|(_, known, ..)| *known == name).map(|(shape, ..)| *shape)
    }

    /// Returns the shape of vectors of up to four numbers, and of square matrices of 9 or 16.
    pub fn of_width(width: usize) -> Option<Self> {
        // MAT2 has as many numbers as VEC4, which comes first.
        SHAPES.iter().map(|(shape, ..)| *shape).find(|shape| shape.width() == width)
    }

    /// Returns glTF's name.
    pub const fn name(self) -> &'static str {
        SHAPES[self as usize].1
    }

    /// Returns the numbers per element.
    pub const fn width(self) -> usize {
        SHAPES[self as usize].2 * SHAPES[self as usize].3
    }

    /// Returns the bytes per element. The columns of matrices are aligned to four bytes.
    pub const fn size(self, component: Component) -> usize {
        let (_, _, columns, rows) = SHAPES[self as usize];
        match columns {
            1 => rows * component.size(),
            _ => columns * (rows * component.size()).next_multiple_of(4),
        }
    }
}

/// The form in which an accessor stores its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementLayout {
    /// The component type.
    pub component: Component,
    /// Whether integers stand for fractions.
    pub normalized: bool,
    /// The shape of elements.
    pub shape: Shape,
}

impl ElementLayout {
    /// Floats of a shape.
    pub const fn floats(shape: Shape) -> Self {
        Self { component: Component::F32, normalized: false, shape }
    }

    /// Returns the numbers per element.
    pub fn width(self) -> usize {
        self.shape.width()
    }

    /// Returns the bytes of an element's numbers, without the padding of matrices.
    pub fn packed_size(self) -> usize {
        self.component.size() * self.width()
    }

    /// Whether it stores integers.
    pub fn is_integer(self) -> bool {
        self.component.is_integer()
    }

    /// Returns a stored number.
    pub fn number(self, bytes: &[u8]) -> f64 {
        self.component.number(bytes, self.normalized)
    }

    /// Appends a number as it is stored.
    pub fn store(self, number: f64, out: &mut Vec<u8>) {
        self.component.store(number, self.normalized, out);
    }

    /// Whether numbers can be stored without a change.
    pub fn holds(self, numbers: &[f64]) -> bool {
        let mut bytes = Vec::new();
        numbers.iter().all(|number| {
            bytes.clear();
            self.store(*number, &mut bytes);
            self.number(&bytes) == *number
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_in_the_order_of_their_types() {
        for (i, row) in COMPONENTS.iter().enumerate() {
            assert_eq!(
                (row.component as usize, Component::from_code(row.code)),
                (i, Some(row.component))
            );
        }
        for (i, (shape, name, ..)) in SHAPES.iter().enumerate() {
            assert_eq!((*shape as usize, Shape::from_name(name)), (i, Some(*shape)));
        }
        assert_eq!((Component::from_code(5124), Shape::from_name("VEC5")), (None, None));
        assert_eq!(
            [1, 4, 16].map(Shape::of_width),
            [Shape::Scalar, Shape::Vec4, Shape::Mat4].map(Some)
        );
    }

    #[test]
    fn columns_of_matrices_are_aligned() {
        use Component::{F32, U8, U16};
        let size = |shape: Shape| [U8, U16, F32].map(|component| shape.size(component));
        assert_eq!(size(Shape::Mat2), [8, 8, 16]);
        assert_eq!(size(Shape::Mat3), [12, 24, 36]);
        assert_eq!(size(Shape::Mat4), [16, 32, 64]);
        assert_eq!(size(Shape::Vec3), [3, 6, 12]);
    }

    #[test]
    fn numbers_come_back_as_they_were_stored() {
        for component in COMPONENTS.iter().map(|row| row.component) {
            let layout = ElementLayout { component, normalized: true, shape: Shape::Scalar };
            assert!(layout.holds(&[0.0, 1.0]), "{component:?}");
            assert!(!layout.holds(&[0.3]), "{component:?}");
        }
        assert_eq!(Component::I8.number(&[0x80], true), -1.0);
        assert_eq!(Component::I16.number(&[0xff, 0xff], false), -1.0);
    }
}
