//! Thumbnails of files for file managers, in the form of the freedesktop.org specification: a PNG with eight bits
//! per channel and alpha, which names its file in tEXt chunks.

use std::io::{self, Write};

use rayon::prelude::*;

use super::Picture;
use super::picture::png_failed;
use rigview_model::{AlphaCoverage, Image, Model, Pixels};

/// Writes a picture as the thumbnail of a file. `texts` are pairs of a keyword, such as `Thumb::URI`, and an ASCII
/// value. Equal pictures and texts give equal bytes.
///
/// # Errors
/// If `out` can't be written, or a text is not Latin-1.
pub fn write_thumbnail(
    picture: &Picture,
    texts: &[(&str, String)],
    out: impl Write,
) -> io::Result<()> {
    let [width, height] = picture.size();
    let mut encoder = png::Encoder::new(out, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    let encoded = (|| {
        for (keyword, value) in texts {
            encoder.add_text_chunk((*keyword).to_owned(), value.clone())?;
        }
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&picture.rgba())?;
        writer.finish()
    })();
    encoded.map_err(png_failed)
}

/// Halves the images of a model until neither side is longer than `side` pixels, because a small picture shows no more
/// of them. Those of alpha masks keep the share that is drawn. Images of compressed blocks stay as they are.
pub fn shrink_pictures(model: &Model, images: &mut [Image], side: u32) {
    let least_alphas = model.least_alphas().into_iter().chain(std::iter::repeat(None));
    let with_least: Vec<(&mut Image, Option<u8>)> = images.iter_mut().zip(least_alphas).collect();
    with_least.into_par_iter().for_each(|(image, least_alpha)| {
        let coverage = match &image.pixels {
            Pixels::Rgba8(rgba) => least_alpha.map(|least| AlphaCoverage::measure(rgba, least)),
            _ => None,
        };
        let whole = image.width;
        while image.width.max(image.height) > side && image.width.min(image.height) > 1 {
            let Pixels::Rgba8(rgba) = &image.pixels else { break };
            let halved = halved(rgba, image.width as usize);
            image.pixels = Pixels::Rgba8(halved);
            (image.width, image.height) = (image.width / 2, image.height / 2);
        }
        if let (Some(coverage), Pixels::Rgba8(rgba)) = (coverage, &mut image.pixels)
            && image.width < whole
        {
            coverage.keep(rgba, image.width as usize);
        }
    });
}

/// Returns the mean of each two by two pixels of an RGBA image. An odd last row or column is left out.
fn halved(rgba: &[u8], width: usize) -> Vec<u8> {
    let rows = rgba.chunks_exact(8 * width);
    let mut small = Vec::with_capacity(rgba.len() / 4);
    for two in rows {
        let (upper, lower) = two.split_at(4 * width);
        for (above, below) in upper.chunks_exact(8).zip(lower.chunks_exact(8)) {
            small.extend((0..4).map(|channel| {
                let texels =
                    [above[channel], above[channel + 4], below[channel], below[channel + 4]];
                (texels.iter().map(|byte| u16::from(*byte)).sum::<u16>() / 4) as u8
            }));
        }
    }
    small
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_halved_until_they_fit() {
        // Columns of 0, 10, 20, 30, 40; the fifth has no partner.
        let row: Vec<u8> = (0..5).flat_map(|x| [x * 10, 0, 255, 100]).collect();
        let rgba = row.repeat(4);
        let image = Image {
            name: None,
            mime: "image/png".into(),
            width: 5,
            height: 4,
            pixels: Pixels::Rgba8(rgba),
            mean: None,
            digest: None,
        };
        let mut images = [image.clone(), image.clone(), Image { pixels: Pixels::Missing, ..image }];
        let model = Model::default();
        shrink_pictures(&model, &mut images[..1], 2);
        shrink_pictures(&model, &mut images[1..], 5);
        assert_eq!((images[0].width, images[0].height), (2, 2));
        assert_eq!(
            images[0].pixels,
            Pixels::Rgba8([[5, 0, 255, 100], [25, 0, 255, 100]].concat().repeat(2))
        );
        assert_eq!((images[1].width, images[2].width), (5, 5));
    }
}
