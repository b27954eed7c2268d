//! The images that an upload reads: either borrowed from the model, or owned and freed one by one.

use rigview_model::Image;

/// Images by index.
pub enum Images<'a> {
    /// Borrowed from the model.
    Kept(&'a [Image]),
    /// Owned; each is freed after its last read.
    Taken(Vec<Taken>),
}

/// An owned image and the number of uploads that will still read it.
pub struct Taken {
    image: Image,
    readers: usize,
}

impl Images<'_> {
    /// Returns images that are freed after their last read.
    pub fn taken(images: Vec<Image>) -> Self {
        Self::Taken(images.into_iter().map(|image| Taken { image, readers: 0 }).collect())
    }

    /// Returns an image.
    ///
    /// # Panics
    /// If the index is out of range.
    pub fn get(&self, image: usize) -> &Image {
        match self {
            Self::Kept(images) => &images[image],
            Self::Taken(images) => &images[image].image,
        }
    }

    /// Announces an upload that will read an image.
    pub fn expect(&mut self, image: usize) {
        if let Self::Taken(images) = self {
            images[image].readers += 1;
        }
    }

    /// Ends an announced upload of an image. The last one frees the pixels.
    pub fn done(&mut self, image: usize) {
        if let Self::Taken(images) = self {
            let taken = &mut images[image];
            taken.readers = taken.readers.saturating_sub(1);
            if taken.readers == 0 {
                taken.image.pixels = rigview_model::Pixels::Header;
            }
        }
    }
}
