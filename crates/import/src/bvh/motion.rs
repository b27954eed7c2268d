//! Frames to keys: positions as they are, and rotations of neighbouring frames, which are interpolated
//! spherically.

use glam::{DQuat, DVec3};

use super::parse::{Channel, Joint, Parsed};

/// The keys of one joint, one per frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Keys {
    /// In the file's unit; empty without position channels.
    pub translations: Vec<DVec3>,
    /// Empty without rotation channels.
    pub rotations: Vec<DQuat>,
}

/// Returns the keys of a joint whose first number in a frame is `first`.
pub(super) fn keys(parsed: &Parsed, joint: &Joint, first: usize) -> Keys {
    let moves = joint.channels.iter().any(|channel| matches!(channel, Channel::Position(_)));
    let turns = joint.channels.iter().any(|channel| matches!(channel, Channel::Rotation(_)));
    let mut keys = Keys::default();
    for frame in 0..parsed.frames {
        let mut place = joint.offset;
        let mut rotation = DQuat::IDENTITY;
        let numbers = &parsed.numbers[frame * parsed.per_frame + first..];
        for (channel, number) in joint.channels.iter().zip(numbers) {
            match channel {
                Channel::Scale => {}
                Channel::Position(axis) => place[*axis] = *number,
                Channel::Rotation(axis) => {
                    let mut about = DVec3::ZERO;
                    about[*axis] = 1.0;
                    rotation *= DQuat::from_axis_angle(about, number.to_radians());
                }
            }
        }
        if moves {
            keys.translations.push(DVec3::from_array(place));
        }
        if turns {
            keys.rotations.push(rotation.normalize());
        }
    }
    keys
}
