//! Accessors: checked once against the bytes of their buffer views, then read without checks.

use std::sync::Arc;

use super::buffer::{Buffers, View};
use super::fault::{ImportError, Warnings};
use super::progress::Progress;
use rigview_document::{At, Component, Document, Elements, Shape};
use rigview_model::{Budget, WarningCode, quoted};

/// An accessor whose bytes are known to exist.
#[derive(Clone, Debug)]
pub(super) struct Accessor {
    /// Index in the file.
    pub index: usize,
    /// The number of elements.
    pub count: usize,
    /// The shape of an element.
    pub shape: Shape,
    /// The component type.
    pub component: Component,
    /// Whether integers stand for fractions (`normalized`).
    pub normalized: bool,
    /// Location of the elements; without one they are all 0.
    place: Option<Stride>,
    /// Elements that override others.
    sparse: Option<Sparse>,
}

impl Accessor {
    /// Creates an accessor without data: every element is 0.
    pub fn zeros(index: usize, count: usize, shape: Shape, component: Component) -> Self {
        Self { index, count, shape, component, normalized: false, place: None, sparse: None }
    }

    /// Returns a copy that reads packed bytes decoded elsewhere. They must hold all elements.
    pub fn with_own(&self, bytes: Vec<u8>) -> Self {
        let stride = self.size();
        let place = Some(Stride { source: AccessorBytes::Own(bytes.into()), offset: 0, stride });
        Self { place, ..self.clone() }
    }

    /// Whether the bytes were decoded from a compressed stream.
    pub fn is_own(&self) -> bool {
        self.place.as_ref().is_some_and(|place| matches!(place.source, AccessorBytes::Own(_)))
    }

    /// The size of an element in bytes.
    pub fn size(&self) -> usize {
        self.shape.size(self.component)
    }

    /// Whether the accessor has data in the file; without any, all elements are 0.
    pub fn has_data(&self) -> bool {
        self.place.is_some() || self.sparse.is_some()
    }

    /// Returns a copy with at most the first `count` elements and without sparse ones.
    pub fn first(&self, count: usize) -> Self {
        Self { sparse: None, ..self.up_to(count) }
    }

    /// Returns a copy with at most the first `count` elements. Sparse ones may still replace later elements.
    pub fn up_to(&self, count: usize) -> Self {
        Self { count: self.count.min(count), ..self.clone() }
    }

    /// Returns the indices of the elements that sparse ones replace, each once, in order.
    fn replaced(&self) -> Vec<u32> {
        let mut indices = self.sparse.as_ref().map_or_else(Vec::new, |of| of.indices.clone());
        indices.sort_unstable();
        indices.dedup();
        indices
    }

    /// Returns a copy whose integers stand for fractions.
    pub fn fractions(&self) -> Self {
        Self { normalized: true, ..self.clone() }
    }
}

/// Parses a `componentType`.
fn component(at: &At) -> Result<Component, ImportError> {
    let code = at.whole()?;
    let unknown = || at.error(format!("componentType {code} is unknown")).into();
    Component::from_code(code).ok_or_else(unknown)
}

/// Parses an accessor's `type`.
fn shape(at: &At) -> Result<Shape, ImportError> {
    let name = at.text()?;
    let unknown = || at.error(format!("type {} is unknown", quoted(name))).into();
    Shape::from_name(name).ok_or_else(unknown)
}

/// The elements that an accessor claims to have, before the bytes are checked.
struct Claim {
    component: Component,
    /// Bytes per element.
    size: usize,
    count: u64,
}

/// The offset and stride of elements.
#[derive(Clone, Debug)]
struct Stride {
    source: AccessorBytes,
    offset: usize,
    stride: usize,
}

/// The bytes that an accessor reads.
#[derive(Clone, Debug)]
enum AccessorBytes {
    /// A buffer view of the file.
    View(usize),
    /// Bytes decoded from a compressed stream.
    Own(Arc<[u8]>),
}

#[derive(Clone, Debug)]
struct Sparse {
    indices: Vec<u32>,
    values: Stride,
}

/// All accessors of a file with their data.
#[derive(Debug)]
pub(super) struct Accessors<'a> {
    document: &'a Document,
    buffers: &'a Buffers<'a>,
    views: &'a [View],
    list: Vec<Accessor>,
}

/// Calls `each` with what is read of an accessor's elements, which are `zero` without data. A macro, since a closure can't be
/// generic and a call through a pointer for each element takes longer than reading it.
macro_rules! walk {
    ($all:ident, $accessor:ident, $each:ident, $zero:expr, |$elements:ident, $to:ident| $read:expr) => {{
        debug_assert_eq!($accessor.shape.width(), N);
        let mut replaced = $accessor.replaced().into_iter().peekable();
        let mut i = 0;
        let mut $to = |element| {
            if replaced.next_if_eq(&(i as u32)).is_none() {
                $each(i, element);
            }
            i += 1;
        };
        match &$accessor.place {
            Some(place) => {
                let $elements = $all.elements(place, $accessor.component, $accessor.count);
                $read
            }
            None => (0..$accessor.count).for_each(|_| $to($zero)),
        }
        if let Some(sparse) = &$accessor.sparse {
            let mut targets = sparse.indices.iter();
            let $to = |element| {
                if let Some(target) = targets.next() {
                    $each(*target as usize, element);
                }
            };
            let count = sparse.indices.len();
            let $elements = $all.elements(&sparse.values, $accessor.component, count);
            $read
        }
    }};
}

impl<'a> Accessors<'a> {
    /// Checks all accessors of a document.
    pub fn new(
        document: &'a Document,
        buffers: &'a Buffers<'a>,
        views: &'a [View],
        warnings: &mut Warnings,
    ) -> Result<Self, ImportError> {
        let mut all = Self { document, buffers, views, list: Vec::new() };
        for (index, at) in document.list("accessors")?.iter().enumerate() {
            let accessor = all.check(index, at, warnings)?;
            all.list.push(accessor);
        }
        Ok(all)
    }

    /// The progress of the import.
    pub fn progress(&self) -> &'a Progress {
        self.buffers.progress()
    }

    /// Returns the accessor that a value names.
    pub fn named_by(&self, at: &At) -> Result<&Accessor, ImportError> {
        Ok(&self.list[at.index_of("accessors")?])
    }

    /// Returns the accessor with an index that is known to be in range.
    pub fn by_index(&self, index: usize) -> &Accessor {
        &self.list[index]
    }

    /// Returns the accessor's object in the document.
    pub fn place_of(&self, accessor: &Accessor) -> Result<At<'a>, ImportError> {
        Ok(self.document.item("accessors", accessor.index)?)
    }

    /// Warns if an accessor that is not of vertex data is in a view with a stride.
    pub fn warn_if_strided(&self, at: &At, accessor: &Accessor, warnings: &mut Warnings) {
        let Some(Stride { source: AccessorBytes::View(view), .. }) = &accessor.place else {
            return;
        };
        if let Some(stride) = self.views[*view].stride {
            let message = format!(
                "byteStride {stride} of buffer view {view} is for vertices only: read with it"
            );
            warnings.add_at(at, WarningCode::StrideMisplaced, message);
        }
    }

    /// Charges `count * size` bytes to the budget, before they are allocated.
    pub fn charge(&self, at: &At, count: usize, size: usize) -> Result<(), ImportError> {
        self.budget().take(count, size).map_err(|e| ImportError::over_budget_at(at, e))
    }

    /// Calls `each` with the index and value of every element, as floats: in order those that
    /// nothing replaces, then the sparse ones. `N` must be the accessor's number of components.
    pub fn floats<const N: usize>(
        &self,
        accessor: &Accessor,
        mut each: impl FnMut(usize, [f32; N]),
    ) {
        let normalized = accessor.normalized;
        walk!(self, accessor, each, [0.0; N], |elements, to| elements.floats(normalized, to));
    }

    /// Like [`Accessors::floats`], for unsigned integers.
    pub fn integers<const N: usize>(
        &self,
        accessor: &Accessor,
        mut each: impl FnMut(usize, [u32; N]),
    ) {
        walk!(self, accessor, each, [0; N], |elements, to| elements.integers(to));
    }

    /// The budget for data derived from the file.
    pub fn budget(&self) -> &'a Budget {
        self.buffers.budget()
    }

    /// Returns the bytes of a view.
    pub fn view(&self, view: usize) -> &[u8] {
        self.views[view].bytes(self.buffers)
    }

    fn elements<'b>(
        &'b self,
        place: &'b Stride,
        component: Component,
        count: usize,
    ) -> Elements<'b> {
        let bytes = match &place.source {
            AccessorBytes::View(view) => self.view(*view),
            AccessorBytes::Own(bytes) => bytes,
        };
        let bytes = &bytes[place.offset..];
        Elements { bytes, stride: place.stride, count, component }
    }

    fn check(
        &self,
        index: usize,
        at: &At,
        warnings: &mut Warnings,
    ) -> Result<Accessor, ImportError> {
        let component = component(&at.required("componentType")?)?;
        let shape = shape(&at.required("type")?)?;
        let count = at.required("count")?;
        let claimed = count.whole()?;
        let count_here = usize::try_from(claimed).map_err(|_| count.error("too many elements"))?;
        if claimed == 0 {
            warnings.add_at(&count, WarningCode::Count0, "count is 0, at least 1 is needed");
        }
        let normalized = at.flag("normalized")?;
        if normalized && matches!(component, Component::F32 | Component::U32) {
            let message = format!("normalized means nothing for {}", component.name());
            warnings.add_at(at, WarningCode::NormalizedFloat, message);
        }
        let claim = Claim { component, size: shape.size(component), count: claimed };
        let place = match at.get("bufferView") {
            None => None,
            Some(_) => Some(self.place(at, &claim, warnings)?),
        };
        let sparse = match at.get("sparse") {
            None => None,
            Some(sparse) => self.sparse(&sparse, &claim, warnings)?,
        };
        let count = count_here;
        Ok(Accessor { index, count, shape, component, normalized, place, sparse })
    }

    /// Locates elements by the `bufferView` and `byteOffset` of an object, and checks that they end
    /// inside their view.
    fn place(
        &self,
        at: &At,
        claim: &Claim,
        warnings: &mut Warnings,
    ) -> Result<Stride, ImportError> {
        let Claim { component, size, count } = *claim;
        let index = at.required("bufferView")?.index_of("bufferViews")?;
        let view = &self.views[index];
        let offset = at.whole_at("byteOffset")?.unwrap_or(0);
        let stride = view.stride.unwrap_or(size);
        if stride < size {
            let message = format!("stride {stride} of view {index}, elements have {size} bytes");
            return Err(at.error(message).into());
        }
        let room = view.range.len();
        let length = match count {
            0 => Some(0),
            n => (n - 1).checked_mul(stride as u64).and_then(|n| n.checked_add(size as u64)),
        };
        let end = length.and_then(|n| n.checked_add(offset));
        if end.is_none_or(|end| end > room as u64) {
            return Err(at.error(format!(
                "{count} elements of {size} bytes, {stride} apart from {offset} on, do not fit in \
                 view {index} of {room} bytes"
            )).into());
        }
        // `offset` is at most `room` now.
        let offset = offset as usize;
        let unit = component.size();
        if !(view.range.start + offset).is_multiple_of(unit) || !stride.is_multiple_of(unit) {
            let message = format!("elements are not aligned to their components' {unit} bytes");
            warnings.add_at(at, WarningCode::Unaligned, message);
        }
        Ok(Stride { source: AccessorBytes::View(index), offset, stride })
    }

    /// Reads which elements of an accessor are replaced; `None` if `count` is 0.
    fn sparse(
        &self,
        at: &At,
        claim: &Claim,
        warnings: &mut Warnings,
    ) -> Result<Option<Sparse>, ImportError> {
        let elements = claim.count;
        let count = at.required("count")?;
        let replaced = count.whole()?;
        if replaced > elements {
            return Err(count.error(format!("{replaced} sparse elements of {elements}")).into());
        }
        if replaced == 0 {
            warnings.add_at(
                &count,
                WarningCode::SparseCount0,
                "sparse count is 0, at least 1 is needed",
            );
            return Ok(None);
        }
        let at_indices = at.required("indices")?;
        let index_type = self::component(&at_indices.required("componentType")?)?;
        if !matches!(index_type, Component::U8 | Component::U16 | Component::U32) {
            let message = format!("sparse indices of type {}", index_type.name());
            return Err(at_indices.error(message).into());
        }
        let of_indices = Claim { component: index_type, size: index_type.size(), count: replaced };
        let place = self.place(&at_indices, &of_indices, warnings)?;
        let of_values = Claim { count: replaced, ..*claim };
        let values = self.place(&at.required("values")?, &of_values, warnings)?;
        let mut indices = Vec::new();
        self.elements(&place, index_type, replaced as usize).integers(|[i]| indices.push(i));
        if let Some(i) = indices.iter().find(|i| u64::from(**i) >= elements) {
            return Err(at_indices.error(format!("sparse index {i} of {elements}")).into());
        }
        if let Some(pair) = indices.windows(2).find(|w| w[0] >= w[1]) {
            let message = format!("sparse indices do not increase: {} after {}", pair[1], pair[0]);
            warnings.add_at(&at_indices, WarningCode::SparseUnsorted, message);
        }
        Ok(Some(Sparse { indices, values }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_elements_are_those_of_the_view_alone() {
        let accessor = |count| Accessor::zeros(7, count, Shape::Mat4, Component::F32);
        let values = Stride { source: AccessorBytes::View(0), offset: 0, stride: 64 };
        let sparse = Some(Sparse { indices: vec![0], values });
        let replaced = Accessor { sparse, ..accessor(5) };
        assert!(replaced.has_data());
        for (count, want) in [(0, 0), (3, 3), (9, 5)] {
            let first = replaced.first(count);
            assert_eq!((first.index, first.count, first.has_data()), (7, want, false));
        }
    }
}
