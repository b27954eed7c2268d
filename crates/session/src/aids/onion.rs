//! Onion skin: the poses of the playback before and after the present time, as ghosts.

use crate::{LoadId, Playback};
use rigview_anim::{Player, Repeat, looped};
use rigview_look::{Ghost, OnionSkin};

/// sRGB of past and of next poses.
const PAST: [f32; 3] = [0.24, 0.55, 1.0];
const NEXT: [f32; 3] = [1.0, 0.56, 0.16];

/// Opacity of the ghosts next to the present.
const NEAREST: f32 = 0.7;

/// The ghosts, and what their stages were made for.
#[derive(Debug, Default)]
pub(crate) struct Onion {
    of: Option<(LoadId, usize, bool)>,
    ghosts: Vec<Ghost>,
}

/// The instant of a ghost.
#[derive(Clone, Copy, Debug, PartialEq)]
struct GhostInstant {
    /// Seconds from the present; negative for past poses.
    offset_secs: f64,
    /// The clip's time; `None` beyond an end at which the clip does not continue.
    time_secs: Option<f64>,
    /// Number of the ghost on its side, from 1.
    rank: usize,
}

impl Onion {
    /// The ghosts, those that are far from the present first.
    pub fn ghosts(&self) -> &[Ghost] {
        &self.ghosts
    }

    /// Poses the ghosts of a posed playback. There are none without a clip that can play.
    pub fn show(&mut self, playback: &Playback, onion: Option<OnionSkin>) {
        let shown = playback.document().zip(playback.stage()).filter(|_| playback.can_play());
        let valid = onion.filter(|onion| onion.is_valid(playback.fps()));
        let Some((onion, (document, stage))) = valid.zip(shown) else {
            return self.ghosts.clear();
        };
        let of = Some((document.load, stage.scene, stage.stood_up()));
        if self.of != of {
            self.of = of;
            self.ghosts.clear();
        }
        let spacing_secs = onion.spacing_secs(playback.fps());
        let duration_secs = playback.duration_secs();
        let instants = instants(playback.player(), duration_secs, onion.count, spacing_secs);
        let make = || Ghost { stage: stage.clone(), color: PAST, opacity: 0.0 };
        self.ghosts.resize_with(instants.len(), make);
        for (ghost, instant) in self.ghosts.iter_mut().zip(instants) {
            ghost.color = if instant.offset_secs < 0.0 { PAST } else { NEXT };
            let share = 1.0 - (instant.rank - 1) as f32 / onion.count as f32;
            ghost.opacity = instant.time_secs.map_or(0.0, |_| NEAREST * share);
            if let Some(time_secs) = instant.time_secs {
                playback.pose_at(&mut ghost.stage, time_secs, instant.offset_secs);
                ghost.stage.hide_like(stage);
            }
        }
    }
}

/// Returns the instants of ghosts, those that are far from the present first. Where the player loops, they wrap at the
/// ends of its range, but not as far as the present.
fn instants(
    player: &Player,
    duration_secs: f64,
    count: usize,
    spacing_secs: f64,
) -> Vec<GhostInstant> {
    let [start, end] = player.range_secs(duration_secs);
    let wraps = player.repeat() == Repeat::Loop;
    let ranks = (1..=count).rev().flat_map(|rank| [(rank, -1.0), (rank, 1.0)]);
    let instant = |(rank, side): (usize, f64)| {
        let offset_secs = side * rank as f64 * spacing_secs;
        let time = player.time_secs() + offset_secs;
        let wrapped = looped(time, start, end);
        let is_there = wrapped == time || (wraps && offset_secs.abs() < end - start);
        GhostInstant { offset_secs, time_secs: is_there.then_some(wrapped), rank }
    };
    ranks.map(instant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Blending, HandValue, Item, LayerSettings, LookAction, PlaybackAction, PoseAction,
        SelectionAction, Session, sample,
    };
    use rigview_look::Spacing;

    fn times(session: &Session, count: usize, secs: f64) -> Vec<Option<f64>> {
        let playback = session.playback();
        let all = instants(playback.player(), playback.duration_secs(), count, secs);
        all.iter().map(|instant| instant.time_secs).collect()
    }

    #[test]
    fn ghosts_stand_at_even_times_and_wrap_only_where_the_clip_loops() {
        let mut session = sample::session();
        session.apply(PlaybackAction::Seek(0.25));
        assert_eq!(times(&session, 2, 0.25), [1.75, 0.75, 0.0, 0.5].map(Some));
        assert_eq!(times(&session, 1, 2.0), [None, None], "a whole loop away is the present");
        for repeat in [Repeat::Once, Repeat::PingPong] {
            session.apply(PlaybackAction::SetRepeat(repeat));
            assert_eq!(times(&session, 2, 0.25), [None, Some(0.75), Some(0.0), Some(0.5)]);
        }
    }

    #[test]
    fn ghosts_and_the_path_of_the_selection_have_the_values_that_were_set_by_hand() {
        let mut session = sample::session();
        session.apply(LookAction::SetOnionSkin(Some(OnionSkin::default())));
        session.apply(LookAction::ToggleTrail);
        session.apply(SelectionAction::Select(Some(Item::Node(1))));
        session.pose();
        let paths = |session: &Session| session.trail().unwrap().path.clone();
        assert!(paths(&session).iter().all(|at| at.y == 0.0), "{:?}", paths(&session));
        // The root is turned about Z, so that the clip's motion along X points up.
        let turn = glam::Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
        session.apply(PoseAction::Set(0, HandValue::Rotation(turn)));
        session.apply(PlaybackAction::Seek(1.0));
        session.pose();
        let places: Vec<_> = session.ghosts().iter().map(|g| g.stage.position(1)).collect();
        assert!(places.iter().all(|at| at.x.abs() < 1e-6 && at.y > 0.5), "{places:?}");
        let path = paths(&session);
        assert!(
            path.iter().all(|at| at.x.abs() < 1e-6) && path.last().unwrap().y > 1.9,
            "{path:?}"
        );
    }

    #[test]
    fn the_path_of_the_selection_is_held_with_the_root_and_moved_by_layers() {
        let mut session = sample::session();
        session.apply(LookAction::ToggleTrail);
        session.apply(SelectionAction::Select(Some(Item::Node(1))));
        let last = |session: &mut Session| {
            session.pose();
            session.trail().unwrap().path.last().unwrap().x
        };
        assert_eq!(last(&mut session), 2.0, "the clip moves by a metre per second");
        session.apply(PlaybackAction::ToggleInPlace);
        assert_eq!(last(&mut session), 0.0);
        session.apply(PlaybackAction::ToggleInPlace);
        assert_eq!(last(&mut session), 2.0);
        // The clip beside it ends after a second, at one metre.
        let layer = LayerSettings { clip: 1, weight: 1.0, blending: Blending::Mean, joint: None };
        session.apply(PlaybackAction::SetLayers(vec![layer]));
        let middle = |session: &Session| {
            let trail = session.trail().unwrap();
            trail.path[trail.path.len() * 3 / 4].x
        };
        last(&mut session);
        let secs = session.trail().unwrap().path.len() * 3 / 4;
        let secs = secs as f64 / 30.0;
        assert!((middle(&session) - 0.5 * (secs + secs.rem_euclid(1.0))).abs() < 1e-5);
        session.apply(PlaybackAction::Seek(secs));
        session.pose();
        let shown = f64::from(session.playback().stage().unwrap().position(1).x);
        assert!((middle(&session) - shown).abs() < 1e-5, "the path leads through the pose");
    }

    #[test]
    fn ghosts_have_the_poses_of_their_instants() {
        let mut session = sample::session();
        session.apply(PlaybackAction::Seek(1.0));
        let onion = OnionSkin { count: 2, spacing: Spacing::Frames(7.5) };
        session.apply(LookAction::SetOnionSkin(Some(onion)));
        session.pose();
        let at: Vec<f32> = session.ghosts().iter().map(|g| g.stage.position(1).x).collect();
        assert_eq!(at, [0.5, 1.5, 0.75, 1.25], "the clip moves by a metre per second");
        let opacities: Vec<f32> = session.ghosts().iter().map(|ghost| ghost.opacity).collect();
        assert_eq!(opacities, [0.35, 0.35, 0.7, 0.7]);
        assert_eq!(session.playback().stage().unwrap().position(1).x, 1.0);
        session.apply(LookAction::SetOnionSkin(None));
        session.pose();
        assert!(session.ghosts().is_empty());
        let too_many = OnionSkin { count: 9, ..onion };
        session.apply(LookAction::SetOnionSkin(Some(too_many)));
        assert_eq!(session.look().aids.onion, None);
    }
}
