//! Data that 2.0 stores differently: joints that are floats, and inverse bind matrices that include
//! the bind shape. Both are computed into one additional buffer, with accessors after those of the
//! file.

use glam::Mat4;
use serde_json::{Value, json};

use super::ids::Ids;
use crate::accessor::{Accessor, Accessors};
use crate::buffer::{self, Buffers};
use crate::fault::{ImportError, Warnings};
use rigview_document::{At, Component, Document, Shape};

/// Derived bytes are charged twice: a growing list may reserve twice its length.
const SHARE: usize = 2;

/// An accessor computed from others.
#[derive(Debug)]
pub(super) enum Derived {
    /// Integers of an accessor of four floats.
    Joints {
        /// Index of the source accessor.
        of: usize,
    },
    /// Inverse bind matrices times the matrix that a skin's mesh is bound with.
    InverseBind {
        /// Index of the inverse bind matrices; identities if `None`.
        of: Option<usize>,
        /// The bind shape matrix.
        bind_shape: Mat4,
        /// The number of joints of the skin.
        joints: usize,
    },
}

impl Derived {
    /// Adds this to the list and returns the index that its accessor will have.
    pub fn number(self, ids: &Ids, list: &mut Vec<Self>) -> usize {
        list.push(self);
        ids.entries("accessors").len() + list.len() - 1
    }

    /// Appends the bytes and returns the properties of the accessor.
    fn append(
        &self,
        accessors: &Accessors,
        root: &At,
        bytes: &mut Vec<u8>,
    ) -> Result<Value, ImportError> {
        match self {
            Self::Joints { of } => {
                let (at, all) = source(accessors, root, *of, Shape::Vec4)?;
                let count = all.count;
                accessors.charge(&at, count, SHARE * size_of::<[u16; 4]>())?;
                accessors.floats(all, |_, floats: [f32; 4]| {
                    bytes.extend(bytemuck::bytes_of(&floats.map(joint)));
                });
                Ok(derived(Component::U16, Shape::Vec4, count))
            }
            Self::InverseBind { of, bind_shape, joints } => {
                let count = *joints;
                accessors.charge(root, count, SHARE * size_of::<Mat4>())?;
                let mut append = |matrix: Mat4| bytes.extend(bytemuck::bytes_of(&matrix));
                match *of {
                    Some(of) => {
                        let (at, all) = source(accessors, root, of, Shape::Mat4)?;
                        if all.count < count {
                            let there = all.count;
                            let message =
                                format!("{there} inverse bind matrices for {count} joints");
                            return Err(at.error(message).into());
                        }
                        // Reads no more than needed: many skins may share one long accessor.
                        accessors.floats(&all.first(count), |_, columns: [f32; 16]| {
                            append(Mat4::from_cols_array(&columns) * *bind_shape);
                        });
                    }
                    None => (0..count).for_each(|_| append(*bind_shape)),
                }
                Ok(derived(Component::F32, Shape::Mat4, count))
            }
        }
    }
}

/// Returns an accessor and its place; fails unless it has floats of the given shape.
fn source<'l, 'a>(
    accessors: &'l Accessors,
    root: &At<'a>,
    index: usize,
    shape: Shape,
) -> Result<(At<'a>, &'l Accessor), ImportError> {
    let at = root.document.item("accessors", index)?;
    let accessor = accessors.by_index(index);
    if (accessor.component, accessor.shape) != (Component::F32, shape) {
        let (has, component) = (accessor.shape.name(), accessor.component);
        let (component, wants) = (component.name(), shape.name());
        return Err(at.error(format!("{has} of {component}, it must be {wants} of FLOAT")).into());
    }
    Ok((at, accessor))
}

/// Returns the properties of an accessor.
fn derived(component: Component, shape: Shape, count: usize) -> Value {
    json!({ "componentType": component.code(), "type": shape.name(), "count": count })
}

/// Converts a joint stored as a float. Anything but a joint index becomes one that no skin has.
fn joint(float: f32) -> u16 {
    let whole = (0.0..f32::from(u16::MAX)).contains(&float) && float.fract() == 0.0;
    if whole { float as u16 } else { u16::MAX }
}

/// Adds derived accessors to a document, and their bytes to its buffers.
pub(super) fn derive(
    document: Document,
    buffers: &mut Buffers,
    list: &[Derived],
) -> Result<Document, ImportError> {
    if list.is_empty() {
        return Ok(document);
    }
    let mut bytes = Vec::new();
    let mut made = Vec::new();
    {
        // The importer reads the same objects again later, and warns then.
        let mut ignored = Warnings::default();
        let views = buffer::views(&document, buffers, &mut ignored)?;
        let accessors = Accessors::new(&document, buffers, &views, &mut ignored)?;
        for derived in list {
            let offset = bytes.len();
            let mut says = derived.append(&accessors, &document.root(), &mut bytes)?;
            says["byteOffset"] = offset.into();
            says["bufferView"] = document.count("bufferViews").into();
            made.push(says);
        }
    }
    let view = json!({ "buffer": document.count("buffers"), "byteLength": bytes.len() });
    let mut root = document.into_root();
    for (key, more) in [
        ("buffers", vec![json!({ "byteLength": bytes.len() })]),
        ("bufferViews", vec![view]),
        ("accessors", made),
    ] {
        if let Some(list) = root.get_mut(key).and_then(Value::as_array_mut) {
            list.extend(more);
        }
    }
    buffers.push(bytes);
    Ok(Document::new(root)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_that_are_no_joint_index_become_one_out_of_range() {
        assert_eq!([0.0, 18.0, 65534.0].map(joint), [0, 18, 65534]);
        for odd in [-1.0, 0.5, 65535.0, 1e30, f32::NAN, f32::INFINITY] {
            assert_eq!(joint(odd), u16::MAX, "{odd}");
        }
    }
}
