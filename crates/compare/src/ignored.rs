//! Differences that are left out of a comparison on request.

use super::change::{Change, Kind};
use super::model_difference::ModelDifference;

/// A sort of difference that does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// Nodes, meshes, skins, clips and images that were added, removed, renamed or connected in another way.
    Structure,
    /// New names of anything.
    Names,
    /// Materials: their properties and which there are.
    Materials,
    /// One kind of change.
    Kind(Kind),
}

impl Ignored {
    /// Returns the sort with a name: `structure`, `names`, `materials`, or the name of a [`Kind`].
    pub fn from_name(name: &str) -> Option<Self> {
        let kind = Kind::from_name(name).map(Self::Kind);
        match name {
            "structure" => Some(Self::Structure),
            "names" => Some(Self::Names),
            "materials" => Some(Self::Materials),
            _ => kind,
        }
    }

    /// Returns all names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ["structure", "names", "materials"].into_iter().chain(Kind::ALL.map(Kind::name))
    }

    fn covers(self, kind: Kind) -> bool {
        match self {
            Self::Structure => kind.is_structure(),
            Self::Names => false,
            Self::Materials => kind == Kind::Material,
            Self::Kind(other) => kind == other,
        }
    }
}

impl ModelDifference {
    /// Returns the difference without the changes that come to a distance of at most `tolerance` metres.
    pub fn beyond(mut self, tolerance: f64) -> Self {
        self.structure.retain(|change| !change.is_within(tolerance));
        self
    }

    /// Returns the difference without these sorts of changes. Distances stay.
    pub fn without(mut self, ignored: &[Ignored]) -> Self {
        let names = ignored.contains(&Ignored::Names);
        let counts = |change: Change| -> Option<Change> {
            let covered = ignored.iter().any(|ignored| ignored.covers(change.kind));
            let counted = (!covered).then_some(change)?;
            if names { counted.without_name() } else { Some(counted) }
        };
        self.structure = self.structure.into_iter().filter_map(counts).collect();
        self.materials = self.materials.into_iter().filter_map(counts).collect();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChangeKind, RestDifference};

    #[test]
    fn a_rename_is_left_out_and_the_rest_of_its_change_stays() {
        let change = |kind, what: &str, renamed: Option<&str>| Change {
            kind,
            name: "Arm".into(),
            change: ChangeKind::Changed,
            what: what.into(),
            renamed: renamed.map(str::to_owned),
            distance: None,
        };
        let difference = ModelDifference {
            structure: vec![
                change(Kind::Node, "renamed to \"arm\"", Some("renamed to \"arm\"")),
                change(Kind::Mesh, "without its name; vertices 3 -> 4", Some("without its name")),
                change(Kind::Normals, "3 of 4", None),
            ],
            rest: RestDifference { distance: Some(0.0), node: None },
            paired: None,
            clips: Vec::new(),
            materials: vec![change(Kind::Material, "ior 1 -> 2", None)],
            unmeasured: None,
            images: Default::default(),
        };
        let names = |list: &[&str]| -> Vec<Ignored> {
            list.iter().map(|name| Ignored::from_name(name).unwrap()).collect()
        };
        let left = |list: &[&str]| -> Vec<String> {
            let left = difference.clone().without(&names(list));
            left.structure.into_iter().chain(left.materials).map(|change| change.what).collect()
        };
        assert_eq!(left(&["names"]), ["vertices 3 -> 4", "3 of 4", "ior 1 -> 2"]);
        assert_eq!(left(&["structure", "materials"]), ["3 of 4"]);
        assert_eq!(left(&["normals", "names", "mesh"]), ["ior 1 -> 2"]);
        assert_eq!(Ignored::from_name("colors"), None);
        assert!(Ignored::names().all(|name| Ignored::from_name(name).is_some()));
    }
}
