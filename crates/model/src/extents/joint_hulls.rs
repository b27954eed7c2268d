//! Hulls by joint, for the joints that move anything.

/// Hulls by joint index. The memory depends on the number of joints that occur, not on their indices.
#[derive(Clone, Debug)]
pub(super) struct JointHulls<H> {
    /// The place in `hulls` by joint; [`NONE`] for joints without a hull.
    places: Vec<u32>,
    hulls: Vec<H>,
}

const NONE: u32 = u32::MAX;

impl<H> Default for JointHulls<H> {
    fn default() -> Self {
        Self { places: Vec::new(), hulls: Vec::new() }
    }
}

impl<H: Default> JointHulls<H> {
    /// Returns the hull of a joint, which is empty at first.
    pub fn hull_mut(&mut self, joint: usize) -> &mut H {
        if self.places.len() <= joint {
            self.places.resize(joint + 1, NONE);
        }
        if self.places[joint] == NONE {
            self.places[joint] = self.hulls.len() as u32;
            self.hulls.push(H::default());
        }
        &mut self.hulls[self.places[joint] as usize]
    }

    /// Returns all hulls, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &H> {
        self.hulls.iter()
    }
}
