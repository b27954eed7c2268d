//! The pictures that an upload reads: a model's own, which stay, or some that go one after the other.

use crate::model::Image;

/// Pictures by number.
pub enum Images<'a> {
    /// They stay.
    Kept(&'a [Image]),
    /// They go when nothing reads them any more.
    Taken(Vec<Taken>),
}

/// A picture, and how many uploads are still to read it.
pub struct Taken {
    image: Image,
    readers: usize,
}

impl Images<'_> {
    /// Pictures that go.
    pub fn taken(images: Vec<Image>) -> Self {
        Self::Taken(images.into_iter().map(|image| Taken { image, readers: 0 }).collect())
    }

    /// A picture.
    ///
    /// # Panics
    /// When there is no such picture.
    pub fn get(&self, image: usize) -> &Image {
        match self {
            Self::Kept(images) => &images[image],
            Self::Taken(images) => &images[image].image,
        }
    }

    /// Announces an upload that will read a picture.
    pub fn expect(&mut self, image: usize) {
        if let Self::Taken(images) = self {
            images[image].readers += 1;
        }
    }

    /// An upload has read a picture. With the last one its pixels go.
    pub fn done(&mut self, image: usize) {
        if let Self::Taken(images) = self {
            let taken = &mut images[image];
            taken.readers = taken.readers.saturating_sub(1);
            if taken.readers == 0 {
                taken.image.pixels = crate::model::Pixels::Header;
            }
        }
    }
}
