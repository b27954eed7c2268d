//! Pictures that are put together from channels of others: FBX has a texture per property, glTF has roughness and metalness
//! in one, and opacity with the base colour.

use crate::image_codec;
use rigview_model::Budget;

/// Largest width and height in texels.
const LARGEST_SIDE: u32 = 16_384;

/// A decoded picture: four bytes per texel, rows from the top.
#[derive(Debug)]
pub(super) struct Raster {
    width: u32,
    height: u32,
    rgba: Vec<u8>,
}

impl Raster {
    /// Decodes a picture. The error is the reason in words.
    pub fn decode(bytes: &[u8], budget: &Budget) -> Result<Self, String> {
        let format = image_codec::format(bytes)?;
        let header = image_codec::header(bytes, format)?;
        if header.width > LARGEST_SIDE || header.height > LARGEST_SIDE || header.pixels() == 0 {
            return Err(format!("{} x {} texels", header.width, header.height));
        }
        // This picture, another one, and what is made of them.
        let texels = usize::try_from(header.pixels()).unwrap_or(usize::MAX);
        budget.holds(texels, 16).map_err(|over| over.to_string())?;
        let rgba = image_codec::decode(bytes, format, header)?.rgba;
        Ok(Self { width: header.width, height: header.height, rgba })
    }

    /// Whether some texels are not opaque.
    pub fn has_alpha(&self) -> bool {
        self.texels().any(|texel| texel[3] < 255)
    }

    fn texels(&self) -> impl Iterator<Item = [u8; 4]> + '_ {
        self.rgba.as_chunks::<4>().0.iter().copied()
    }

    /// Returns the texel at a place of another raster, which covers the same area.
    fn at(&self, x: u32, y: u32, [width, height]: [u32; 2]) -> [u8; 4] {
        let scaled = |x: u32, own: u32, other: u32| {
            (u64::from(2 * x + 1) * u64::from(own) / u64::from(2 * other)) as usize
        };
        let (x, y) = (scaled(x, self.width, width), scaled(y, self.height, height));
        self.rgba.as_chunks::<4>().0[y * self.width as usize + x]
    }
}

/// Returns the mean of a texel's colours.
pub(super) fn grey([r, g, b, _]: [u8; 4]) -> u8 {
    ((u32::from(r) + u32::from(g) + u32::from(b) + 1) / 3) as u8
}

/// Makes a PNG picture of two, as large as the larger one. A missing one is white.
pub(super) fn combined(
    pictures: [Option<&Raster>; 2],
    texel: impl Fn([u8; 4], [u8; 4]) -> [u8; 4],
) -> Result<Vec<u8>, String> {
    let given = || pictures.into_iter().flatten();
    let width = given().map(|picture| picture.width).max().unwrap_or(1);
    let height = given().map(|picture| picture.height).max().unwrap_or(1);
    let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
    for y in 0..height {
        for x in 0..width {
            let [a, b] =
                pictures.map(|p| p.map_or([255; 4], |picture| picture.at(x, y, [width, height])));
            rgba.extend_from_slice(&texel(a, b));
        }
    }
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().map_err(|error| error.to_string())?;
    writer.write_image_data(&rgba).map_err(|error| error.to_string())?;
    drop(writer);
    Ok(out)
}
