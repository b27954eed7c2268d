//! The arrangement of the window: where the picture and each part are, as a value that settings can keep.

use egui_tiles::{Container, Linear, LinearDir, Tabs, Tile, TileId, Tiles};
use serde::{Deserialize, Serialize};

use rigview_session::WindowPart;

/// The width of the column with the scene and the clips, and that of the column with inspector and view, in points.
pub(super) const LEFT: f32 = 256.0;
const RIGHT: f32 = 280.0;

/// The height of the parts below the picture in points.
pub(super) const BELOW: f32 = 220.0;

/// The contents of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pane {
    /// The picture of the model. There is exactly one, and nothing covers it.
    Picture,
    /// A part of the window.
    Part(WindowPart),
}

/// Where the picture and each part are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Arrangement {
    /// The picture of the model.
    Picture,
    /// A part of the window.
    Part(WindowPart),
    /// Places behind each other, each with a tab.
    Tabs(Vec<Arrangement>),
    /// Places beside each other, each with its share of the width: points if the picture is in the row.
    Row(Vec<(f32, Arrangement)>),
    /// Places below each other, each with its share of the height: points if the picture is in the column.
    Column(Vec<(f32, Arrangement)>),
}

impl Default for Arrangement {
    fn default() -> Self {
        use Arrangement as A;
        let part = |part| A::Tabs(vec![A::Part(part)]);
        let left = A::Column(vec![(1.0, part(WindowPart::Scene)), (1.0, part(WindowPart::Clips))]);
        let numbers = A::Tabs(vec![A::Part(WindowPart::Inspector), A::Part(WindowPart::Compared)]);
        let right = A::Column(vec![(3.0, numbers), (2.0, part(WindowPart::View))]);
        let row = A::Row(vec![(LEFT, left), (1.0, A::Picture), (RIGHT, right)]);
        let below = A::Tabs(vec![A::Part(WindowPart::TimeLine), A::Part(WindowPart::Curves)]);
        A::Column(vec![(1.0, row), (BELOW, below)])
    }
}

impl Arrangement {
    /// Adds the arrangement's tiles and returns the outermost one.
    pub fn tile(&self, tiles: &mut Tiles<Pane>) -> TileId {
        let (dir, shares) = match self {
            Self::Picture => return tiles.insert_pane(Pane::Picture),
            Self::Part(part) => return tiles.insert_pane(Pane::Part(*part)),
            Self::Tabs(all) => {
                let children = all.iter().map(|one| one.tile(tiles)).collect();
                return tiles.insert_tab_tile(children);
            }
            Self::Row(shares) => (LinearDir::Horizontal, shares),
            Self::Column(shares) => (LinearDir::Vertical, shares),
        };
        let children = shares.iter().map(|(_, one)| one.tile(tiles)).collect();
        let mut linear = Linear::new(dir, children);
        for (child, (share, _)) in linear.children.clone().into_iter().zip(shares) {
            linear.shares.set_share(child, *share);
        }
        tiles.insert_container(linear)
    }

    /// Returns the arrangement of a tile and what it holds; `None` if a tile is missing.
    pub fn of_tile(tiles: &Tiles<Pane>, tile: TileId) -> Option<Self> {
        let all = |children: &[TileId]| {
            children.iter().map(|child| Self::of_tile(tiles, *child)).collect::<Option<Vec<_>>>()
        };
        Some(match tiles.get(tile)? {
            Tile::Pane(Pane::Picture) => Self::Picture,
            Tile::Pane(Pane::Part(part)) => Self::Part(*part),
            Tile::Container(Container::Tabs(Tabs { children, .. })) => Self::Tabs(all(children)?),
            Tile::Container(Container::Linear(Linear { children, dir, shares })) => {
                let shares = children.iter().map(|child| shares[*child]);
                let shares = shares.zip(all(children)?).collect();
                match dir {
                    LinearDir::Horizontal => Self::Row(shares),
                    LinearDir::Vertical => Self::Column(shares),
                }
            }
            Tile::Container(Container::Grid(_)) => return None,
        })
    }

    /// Adds the parts that are missing, as in an arrangement of an earlier version, at the sides where they are at
    /// first. Returns `None` if the picture is missing, something is there twice, or a share is no positive number.
    pub fn completed(mut self) -> Option<Self> {
        let mut panes = Vec::new();
        self.collect(&mut panes);
        for part in WindowPart::ALL {
            if !panes.contains(&Pane::Part(part)) {
                self = self.with(part);
            }
        }
        self.is_complete().then_some(self)
    }

    /// Adds a part: as a tab of the part that it shares a place with at first, or else at its side of everything.
    fn with(mut self, part: WindowPart) -> Self {
        let neighbour = match part {
            WindowPart::TimeLine => Some(WindowPart::Curves),
            WindowPart::Curves => Some(WindowPart::TimeLine),
            WindowPart::Compared => Some(WindowPart::Inspector),
            _ => None,
        };
        if neighbour.is_some_and(|neighbour| self.add_tab(neighbour, part)) {
            return self;
        }
        let tabs = Self::Tabs(vec![Self::Part(part)]);
        match part {
            WindowPart::TimeLine | WindowPart::Curves => {
                Self::Column(vec![(1.0, self), (BELOW, tabs)])
            }
            WindowPart::Scene | WindowPart::Clips => Self::Row(vec![(LEFT, tabs), (1.0, self)]),
            _ => Self::Row(vec![(1.0, self), (RIGHT, tabs)]),
        }
    }

    /// Adds a part to the tabs that hold another one. Returns whether there are such tabs.
    fn add_tab(&mut self, other: WindowPart, part: WindowPart) -> bool {
        match self {
            Self::Picture | Self::Part(_) => false,
            Self::Tabs(all) if all.contains(&Self::Part(other)) => {
                all.push(Self::Part(part));
                true
            }
            Self::Tabs(all) => all.iter_mut().any(|one| one.add_tab(other, part)),
            Self::Row(all) | Self::Column(all) => {
                all.iter_mut().any(|(_, one)| one.add_tab(other, part))
            }
        }
    }

    /// Whether the picture and each part are there exactly once, and all shares are positive numbers.
    pub fn is_complete(&self) -> bool {
        let mut panes = Vec::new();
        let sound = self.collect(&mut panes);
        let once = |pane: Pane| panes.iter().filter(|other| **other == pane).count() == 1;
        sound
            && once(Pane::Picture)
            && WindowPart::ALL.into_iter().all(|part| once(Pane::Part(part)))
    }

    /// Adds all panes to a list. Returns whether all shares are positive numbers.
    fn collect(&self, panes: &mut Vec<Pane>) -> bool {
        match self {
            Self::Picture => panes.push(Pane::Picture),
            Self::Part(part) => panes.push(Pane::Part(*part)),
            Self::Tabs(all) => return all.iter().all(|one| one.collect(panes)),
            Self::Row(shares) | Self::Column(shares) => {
                let sound = |share: f32| share.is_finite() && share > 0.0;
                return shares.iter().all(|(share, one)| sound(*share) && one.collect(panes));
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrangement_survives_its_tiles_and_its_text() {
        let first = Arrangement::default();
        let mut tiles = Tiles::default();
        let root = first.tile(&mut tiles);
        assert_eq!(Arrangement::of_tile(&tiles, root).as_ref(), Some(&first));
        let text = serde_json::to_string(&first).unwrap();
        assert_eq!(serde_json::from_str::<Arrangement>(&text).unwrap(), first);
        assert!(first.is_complete());
    }

    #[test]
    fn a_part_that_is_missing_or_there_twice_and_a_bad_share_are_noticed() {
        let part = |part| Arrangement::Part(part);
        let all = || WindowPart::ALL.into_iter().map(part).collect::<Vec<_>>();
        let row = |share: f32, parts: Vec<Arrangement>| {
            Arrangement::Row(vec![(share, Arrangement::Tabs(parts)), (1.0, Arrangement::Picture)])
        };
        assert!(row(1.0, all()).is_complete());
        assert!(!row(f32::NAN, all()).is_complete() && !row(0.0, all()).is_complete());
        assert!(!row(1.0, all()[1..].to_vec()).is_complete());
        assert!(!row(1.0, [all(), all()].concat()).is_complete());
        assert!(!Arrangement::Tabs(all()).is_complete());
    }

    #[test]
    fn an_arrangement_of_an_earlier_version_gets_the_parts_that_it_lacks() {
        use Arrangement as A;
        let tab = |part| A::Tabs(vec![A::Part(part)]);
        let first =
            vec![WindowPart::Scene, WindowPart::Clips, WindowPart::View, WindowPart::Inspector];
        let row = |parts: Vec<WindowPart>| {
            let tabs = A::Tabs(parts.into_iter().map(A::Part).collect());
            A::Row(vec![(300.0, tabs), (1.0, A::Picture)])
        };
        let below = A::Tabs(vec![A::Part(WindowPart::TimeLine), A::Part(WindowPart::Curves)]);
        let all = row([first.clone(), vec![WindowPart::Compared]].concat());
        let wanted = A::Column(vec![(1.0, all), (BELOW, below)]);
        assert_eq!(row(first).completed(), Some(wanted.clone()));
        assert_eq!(wanted.clone().completed(), Some(wanted));
        // Parts at the sides, and a picture alone.
        let all = A::Picture.completed().unwrap();
        assert!(all.is_complete(), "{all:?}");
        assert_eq!(A::Tabs(vec![]).completed(), None);
        assert_eq!(
            A::Row(vec![(1.0, tab(WindowPart::Scene)), (1.0, tab(WindowPart::Scene))]).completed(),
            None
        );
    }
}
