//! EXT_meshopt_compression and KHR_meshopt_compression: which buffer views are compressed, which buffers only hold the
//! place of their decoded bytes, and the decoding of the streams.
//!
//! KHR adds a version of the attribute stream and a filter. Decoders and filters are called one by
//! one, since the codec's function for whole views supports only EXT.

use meshoptimizer_rs::codec::{self, Mode};
use meshoptimizer_rs::{Error, Limits, Workspace};

use super::buffer::Buffers;
use super::fault::ImportError;
use rigview_document::{At, COMPRESSED, Document};
use rigview_model::quoted;

/// The checked layout of the decoded elements.
struct Layout {
    mode: Mode,
    filter: Filter,
    count: usize,
    stride: usize,
}

/// The filter applied to elements after decoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filter {
    None,
    Octahedral,
    Quaternion,
    Exponential,
    Color,
}

/// Decodes the bytes of `view`.
pub(super) fn decode(
    compression: &Compression,
    view: &At,
    buffers: &Buffers,
) -> Result<Vec<u8>, ImportError> {
    let Layout { mode, filter, count, stride } = layout(compression, view)?;
    let stream = stream(compression, buffers)?;
    let limit = buffers.budget().limit();
    buffers
        .budget()
        .take(count, stride)
        .map_err(|e| ImportError::over_budget_at(&compression.at, e))?;
    let failed = |e: Error| compression.at.error(format!("the stream does not decode: {e}"));
    let version = codec::decode_vertex_version(stream);
    if mode == Mode::Attributes && compression.name == EXT && version.map_err(failed)? != 0 {
        return Err(compression
            .at
            .error("the stream has version 1, EXT_meshopt_compression allows only 0")
            .into());
    }
    let limits = Limits { max_bytes: limit as usize, max_work: 4 * limit };
    let mut workspace = Workspace::new(limits);
    let space = &mut workspace;
    let mut data = match mode {
        Mode::Attributes => codec::decode_vertex_buffer(count, stride, stream, space),
        Mode::Triangles => codec::decode_index_buffer(count, stride, stream, space),
        Mode::Indices => codec::decode_index_sequence(count, stride, stream, space),
    }
    .map_err(failed)?;
    match filter {
        Filter::None => Ok(()),
        Filter::Octahedral => octahedral(&mut data, count, stride, space),
        Filter::Quaternion => codec::decode_filter_quat(&mut data, count, stride, space),
        Filter::Exponential => codec::decode_filter_exp(&mut data, count, stride, space),
        Filter::Color => codec::decode_filter_color(&mut data, count, stride, space),
    }
    .map_err(failed)?;
    Ok(data)
}

/// Returns the compressed bytes.
fn stream<'b>(compression: &Compression, buffers: &'b Buffers) -> Result<&'b [u8], ImportError> {
    let at = &compression.at;
    let buffer = at.required("buffer")?.index_of("buffers")?;
    let offset = at.whole_at("byteOffset")?.unwrap_or(0);
    let length = at.required("byteLength")?.whole()?;
    let Some(bytes) = buffers.bytes(buffer) else {
        return Err(at
            .error(format!("its stream is in buffer {buffer}, which has no bytes"))
            .into());
    };
    let start = usize::try_from(offset).ok();
    let end = offset.checked_add(length).and_then(|end| usize::try_from(end).ok());
    start.zip(end).and_then(|(start, end)| bytes.get(start..end)).ok_or_else(|| {
        let there = bytes.len();
        at.error(format!("bytes {offset} + {length} of buffer {buffer}, which has {there}")).into()
    })
}

fn layout(compression: &Compression, view: &At) -> Result<Layout, ImportError> {
    let at = &compression.at;
    let at_mode = at.required("mode")?;
    let mode = Mode::parse(at_mode.text()?).map_err(|_| {
        at_mode.error(format!("mode {} is unknown", quoted(at_mode.text().unwrap_or_default())))
    })?;
    let filter = match at.get("filter") {
        Some(filter) => self::filter(compression, &filter)?,
        None => Filter::None,
    };
    let count = at.required("count")?.whole()?;
    let at_stride = at.required("byteStride")?;
    let stride = at_stride.whole()?;
    let is_odd = match (mode, filter) {
        (Mode::Attributes, Filter::None | Filter::Exponential) => {
            stride == 0 || stride > 256 || stride % 4 != 0
        }
        (Mode::Attributes, Filter::Quaternion) => stride != 8,
        (Mode::Attributes, Filter::Octahedral | Filter::Color) => stride != 4 && stride != 8,
        (Mode::Triangles | Mode::Indices, _) => stride != 2 && stride != 4,
    };
    if is_odd {
        let message = format!("stride {stride} does not fit {mode:?} with filter {filter:?}");
        return Err(at_stride.error(message).into());
    }
    if mode != Mode::Attributes && filter != Filter::None {
        return Err(at.error(format!("filter {filter:?} is not for {mode:?}")).into());
    }
    if mode == Mode::Triangles && count % 3 != 0 {
        return Err(at.error(format!("{count} indices are not a list of triangles")).into());
    }
    let length = view.required("byteLength")?.whole()?;
    if count == 0 || count.checked_mul(stride) != Some(length) {
        let message = format!("{count} elements of {stride} bytes for a view of {length}");
        return Err(at.error(message).into());
    }
    let of_view = view.whole_at("byteStride")?.filter(|n| *n != 0);
    if let Some(other) = of_view.filter(|n| compression.name == EXT && *n != stride) {
        return Err(at_stride.error(format!("stride {stride}, the view's is {other}")).into());
    }
    let count = usize::try_from(count).map_err(|_| at.error("too many elements"))?;
    // At most 256.
    Ok(Layout { mode, filter, count, stride: stride as usize })
}

fn filter(compression: &Compression, at: &At) -> Result<Filter, ImportError> {
    match at.text()? {
        "NONE" => Ok(Filter::None),
        "OCTAHEDRAL" => Ok(Filter::Octahedral),
        "QUATERNION" => Ok(Filter::Quaternion),
        "EXPONENTIAL" => Ok(Filter::Exponential),
        "COLOR" if compression.name == KHR => Ok(Filter::Color),
        other => Err(at
            .error(format!("filter {} is unknown to {}", quoted(other), compression.name))
            .into()),
    }
}

/// Decodes octahedral directions. A zero one, on which the codec would refuse the whole view, stays
/// zero.
fn octahedral(
    data: &mut [u8],
    count: usize,
    stride: usize,
    workspace: &mut Workspace,
) -> Result<(), Error> {
    // The fourth component is not part of the direction.
    let direction = stride / 4 * 3;
    let mut zeros = Vec::new();
    for (i, element) in data.chunks_exact_mut(stride).enumerate() {
        if element[..direction].iter().all(|byte| *byte == 0) {
            zeros.push(i);
            // The third component is the scale of the first two: 1 makes the direction +Z.
            element[stride / 2] = 1;
        }
    }
    codec::decode_filter_oct(data, count, stride, workspace)?;
    for i in zeros {
        data[i * stride..i * stride + direction].fill(0);
    }
    Ok(())
}

const EXT: &str = COMPRESSED[0];
const KHR: &str = COMPRESSED[1];

/// Whether a buffer is marked as the fallback of compressed views.
pub(super) fn is_fallback(buffer: &At) -> Result<bool, ImportError> {
    for name in [EXT, KHR] {
        if let Some(extension) = buffer.extension(name)?
            && extension.flag("fallback")?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the fallback buffers that compressed views name, sorted.
pub(super) fn replaced_buffers(document: &Document) -> Result<Vec<usize>, ImportError> {
    let mut replaced = Vec::new();
    for view in document.list("bufferViews")? {
        if Compression::of(&view)?.is_some() {
            replaced.extend(view.index("buffer", "buffers")?);
        }
    }
    replaced.sort_unstable();
    replaced.dedup();
    Ok(replaced)
}

/// The compression of a buffer view.
pub(super) struct Compression<'a> {
    /// The extension: [`EXT`] or [`KHR`].
    pub name: &'static str,
    /// The extension object.
    pub at: At<'a>,
}

impl<'a> Compression<'a> {
    /// Returns the compression of a view; `None` if it has none.
    pub fn of(view: &At<'a>) -> Result<Option<Self>, ImportError> {
        for name in [KHR, EXT] {
            if let Some(at) = view.extension(name)? {
                return Ok(Some(Self { name, at }));
            }
        }
        Ok(None)
    }

    /// Whether the file requires the extension.
    pub fn is_required(&self) -> bool {
        self.at.document.requires(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_normal_of_no_length_stays_one_and_spoils_no_other() {
        let mut workspace = Workspace::new(Limits::default());
        let mut bytes = [0, 0, 0, 5, 0, 0, 127, 6, 127, 0, 127, 7];
        octahedral(&mut bytes, 3, 4, &mut workspace).unwrap();
        assert_eq!(bytes, [0, 0, 0, 5, 0, 0, 127, 6, 127, 0, 0, 7]);
        let mut words = [0i16, 0, 0, 5, 0, 0, 511, 6];
        octahedral(bytemuck::cast_slice_mut(&mut words), 2, 8, &mut workspace).unwrap();
        assert_eq!(words, [0, 0, 0, 5, 0, 0, 32767, 6]);
    }
}
