//! Options of an import.

use std::sync::OnceLock;

use rigview_model::{BlockFormats, Budget};

/// The options of an import.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImportOptions<'a> {
    /// How images are decoded.
    pub images: ImageDecoding,
    /// The block formats that the adapter supports, for KTX2 images; without it they are decoded to
    /// RGBA. The cell may be filled while the import runs, by the code that opens the adapter. Only
    /// KTX2 images wait for it.
    pub block_formats: Option<&'a OnceLock<BlockFormats>>,
    /// Joints per part: at most [`rigview_anim::MAX_PALETTE_JOINTS`], which is the default. A part
    /// with a single triangle that needs more (at most 48) exceeds the limit.
    pub joint_limit: usize,
    /// Limit in bytes for all data derived from a file; large files get a little more ([`Budget`]).
    /// Images beyond the limit are left out; anything else beyond it is an error. Defaults to 1
    /// GiB.
    pub decoded_limit: u64,
    /// Whether to keep the file's own bytes beside the model, so that it can be written again
    /// ([`rigview_model::Source::original`]).
    pub keep_original: bool,
    /// Whether to list all warnings of a code, as far as memory allows, instead of the first few and the number of the
    /// others.
    pub all_warnings: bool,
    /// Whether to keep what nothing draws: attributes ([`rigview_model::Primitive::undrawn`]) and chunks of a GLB
    /// ([`rigview_model::Source::chunks`], which `keep_original` keeps too).
    pub keep_undrawn: bool,
    /// Metres per unit of BVH files, which do not state it; without it the size of the skeleton decides.
    pub bvh_scale: Option<f32>,
    /// The largest error of keys that are made from the curves of FBX files, in metres at the skin.
    pub curve_bound: f64,
}

impl ImportOptions<'_> {
    /// The options that a viewer needs.
    pub const DEFAULT: Self = Self {
        images: ImageDecoding::Keep,
        block_formats: None,
        joint_limit: rigview_anim::MAX_PALETTE_JOINTS,
        decoded_limit: Budget::DEFAULT,
        keep_original: false,
        all_warnings: false,
        keep_undrawn: false,
        bvh_scale: None,
        curve_bound: 1e-5,
    };
}

impl Default for ImportOptions<'_> {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// How images are decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageDecoding {
    /// Decode and keep the images that drawing needs.
    Keep,
    /// Decode one image at a time to find defects, and drop the pixels.
    Check,
    /// Read the headers only.
    Headers,
    /// Read the headers, and all of each file once for its hash, by which a comparison tells pictures apart that were not
    /// decoded.
    Hash,
}

impl ImageDecoding {
    /// Whether no pixels are decoded.
    pub fn leaves_pixels(self) -> bool {
        matches!(self, Self::Headers | Self::Hash)
    }
}
