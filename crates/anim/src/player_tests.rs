//! Tests of `player`.

use super::player::*;
use crate::TimeBase;
use proptest::prelude::*;

fn with_speed(speed: f64) -> Player {
    let player = &mut Player::default();
    player.speed = speed;
    *player
}

fn at(repeat: Repeat, steps: &[f64]) -> (f64, bool) {
    let mut player = Player::default();
    player.set_repeat(repeat);
    for step in steps {
        player.advance(*step, 2.0);
    }
    (player.time_secs(), player.playing)
}

#[test]
fn a_loop_wraps_past_its_end_and_not_at_it() {
    assert_eq!(at(Repeat::Loop, &[2.0]), (2.0, true));
    assert_eq!(at(Repeat::Loop, &[2.5]), (0.5, true));
    assert_eq!(at(Repeat::Loop, &[-0.5]), (1.5, true));
    assert_eq!(at(Repeat::Loop, &[1e9 * 2.0 + 0.5]), (0.5, true));
}

#[test]
fn a_clip_that_repeats_beside_another_one_shows_its_end_at_every_multiple() {
    let cases =
        [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (1.25, 0.25), (2.0, 1.0), (7.0, 1.0), (-0.25, 0.75)];
    for (time, wanted) in cases {
        assert_eq!(repeated(time, 1.0), wanted, "{time}");
    }
    let tenth = f64::from(0.1_f32);
    assert_eq!((repeated(1.0, tenth), repeated(0.05, tenth)), (tenth, 0.05));
    let none = [repeated(1.0, 0.0), repeated(0.0, 0.0), repeated(f64::NAN, 1.0)];
    assert_eq!((none, repeated(f64::INFINITY, 1.0)), ([0.0; 3], 0.0));
}

#[test]
fn once_stops_at_the_end_and_starts_again_when_played() {
    assert_eq!(at(Repeat::Once, &[1.5, 1.5]), (2.0, false));
    let mut player = Player::default();
    player.set_repeat(Repeat::Once);
    player.advance(5.0, 2.0);
    player.toggle(2.0);
    assert_eq!((player.time_secs(), player.playing), (0.0, true));
}

#[test]
fn only_once_starts_again_and_only_from_its_end() {
    let toggled = |repeat, speed, time| {
        let mut player = with_speed(speed);
        player.set_repeat(repeat);
        player.seek(time, 2.0);
        player.toggle(2.0);
        (player.time_secs(), player.playing)
    };
    assert_eq!(toggled(Repeat::Once, 1.0, 1.5), (1.5, true));
    assert_eq!(toggled(Repeat::Once, 1.0, 2.0), (0.0, true));
    assert_eq!(toggled(Repeat::Once, 0.0, 2.0), (0.0, true));
    assert_eq!(toggled(Repeat::Once, -1.0, 1.5), (1.5, true));
    assert_eq!(toggled(Repeat::Once, -1.0, 2.0), (2.0, true));
    assert_eq!(toggled(Repeat::Once, -1.0, 0.0), (2.0, true));
    assert_eq!(toggled(Repeat::Loop, 1.0, 2.0), (2.0, true));
    let mut player = Player::default();
    player.set_repeat(Repeat::Once);
    player.advance(2.0, 2.0);
    player.toggle(2.0);
    assert_eq!((player.time_secs(), player.playing), (2.0, false), "paused at the end");
}

#[test]
fn rewinding_goes_to_the_start_and_plays_on_from_there() {
    let mut player = Player::default();
    player.set_repeat(Repeat::PingPong);
    player.advance(3.5, 2.0);
    player.rewind(2.0);
    assert_eq!((player.time_secs(), player.playing), (0.0, true));
    assert_eq!(player.repeat(), Repeat::PingPong);
    player.advance(0.5, 2.0);
    assert_eq!(player.time_secs(), 0.5, "forwards again");
}

#[test]
fn what_plays_backwards_once_begins_at_the_end() {
    let mut player = Player::default();
    player.speed = -1.0;
    player.rewind(2.0);
    assert_eq!(player.time_secs(), 0.0, "a loop begins at the start");
    player.set_repeat(Repeat::Once);
    player.rewind(2.0);
    assert_eq!((player.time_secs(), player.has_ended()), (2.0, false));
    player.advance(0.5, 2.0);
    assert_eq!((player.time_secs(), player.has_ended()), (1.5, false));
    player.advance(5.0, 2.0);
    assert_eq!((player.time_secs(), player.has_ended(), player.playing), (0.0, true, false));
    player.seek(0.0, 2.0);
    assert!(!player.has_ended(), "the person went there");
}

#[test]
fn ping_pong_turns_round_at_both_points_of_a_range() {
    let mut player = Player::default();
    player.set_repeat(Repeat::PingPong);
    player.set_in(0.5);
    player.set_out(1.5);
    let mut times = Vec::new();
    for _ in 0..6 {
        player.advance(0.75, 4.0);
        times.push(player.time_secs());
    }
    assert_eq!(times, [1.25, 1.0, 0.75, 1.5, 0.75, 1.0]);
    player.speed = -1.0;
    assert_eq!(player.advance(4.25, 4.0), Some(PlayerEvent::Looped(4)));
    assert_eq!(player.time_secs(), 0.75);
}

#[test]
fn a_range_of_which_nothing_is_left_is_the_whole_clip() {
    let mut player = Player::default();
    player.set_out(1.0);
    player.set_in(1.0);
    assert_eq!((player.range_secs(2.0), player.is_collapsed(2.0)), ([0.0, 2.0], true));
    player.set_out(1.5);
    assert_eq!((player.range_secs(2.0), player.is_collapsed(2.0)), ([1.0, 1.5], false));
    assert_eq!(
        player.range_secs(0.5),
        [0.0, 0.5],
        "both points are past the end of a shorter clip"
    );
    player.advance(0.25, 0.5);
    assert_eq!(player.time_secs(), 0.25);
}

#[test]
fn a_loop_starts_again_from_a_time_that_is_no_number() {
    for time in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(looped(time, 1.0, 3.0), 1.0, "{time}");
    }
    assert_eq!(looped(5.0, 1.0, 1.0), 1.0);
}

#[test]
fn ping_pong_turns_round_at_both_ends() {
    assert_eq!(at(Repeat::PingPong, &[1.5, 1.0]), (1.5, true));
    assert_eq!(at(Repeat::PingPong, &[1.5, 1.0, 1.0, 1.0]), (0.5, true));
    assert_eq!(at(Repeat::PingPong, &[4.5]), (0.5, true));
}

#[test]
fn seeking_clamps_and_pauses() {
    let mut player = Player::default();
    player.seek(9.0, 2.0);
    assert_eq!((player.time_secs(), player.playing), (2.0, false));
    player.seek(f64::NAN, 2.0);
    assert_eq!(player.time_secs(), 0.0);
}

#[test]
fn no_duration_divides_by_nothing() {
    for repeat in [Repeat::Loop, Repeat::Once, Repeat::PingPong] {
        let mut player = Player::default();
        player.set_repeat(repeat);
        player.advance(0.5, 0.0);
        assert_eq!(player.time_secs(), 0.0);
    }
}

#[test]
fn ten_hours_at_60_hertz_drift_less_than_a_millisecond() {
    let (mut player, duration) = (Player::default(), 1.25);
    for _ in 0..10 * 3600 * 60 {
        player.advance(1.0 / 60.0, duration);
    }
    let want = (36_000.0f64).rem_euclid(duration);
    let off = (player.time_secs() - want).rem_euclid(duration);
    assert!(off.min(duration - off) < 1e-3, "{off}");
}

#[test]
fn playing_keeps_to_the_range_and_seeking_to_the_clip() {
    let mut player = Player::default();
    player.set_in(0.5);
    player.set_out(1.5);
    assert_eq!((player.range_secs(2.0), player.has_range()), ([0.5, 1.5], true));
    player.advance(0.25, 2.0);
    assert_eq!(player.time_secs(), 0.75);
    assert_eq!(player.advance(1.0, 2.0), Some(PlayerEvent::Looped(1)));
    assert_eq!(player.time_secs(), 0.75);
    player.seek(1.9, 2.0);
    assert_eq!(player.time_secs(), 1.9);
    player.toggle(2.0);
    player.advance(0.125, 2.0);
    assert_eq!(player.time_secs(), 0.625);
    // A shorter clip clamps the range, and a point past the other one clears that.
    assert_eq!(player.range_secs(1.0), [0.5, 1.0]);
    player.set_out(0.25);
    assert_eq!(player.range_secs(2.0), [0.0, 0.25]);
    player.set_in(1.0);
    assert_eq!(player.range_secs(2.0), [1.0, 2.0]);
    player.clear_range();
    assert_eq!((player.range_secs(2.0), player.has_range()), ([0.0, 2.0], false));
}

#[test]
fn backwards_everything_is_the_other_way_round() {
    let mut player = with_speed(-1.0);
    assert_eq!(player.advance(0.5, 2.0), Some(PlayerEvent::Looped(1)));
    assert_eq!(player.time_secs(), 1.5);
    player.set_repeat(Repeat::Once);
    assert_eq!(player.advance(5.0, 2.0), Some(PlayerEvent::Ended));
    assert_eq!((player.time_secs(), player.playing), (0.0, false));
    player.toggle(2.0);
    assert_eq!(player.time_secs(), 2.0);
    player.set_repeat(Repeat::PingPong);
    assert_eq!(player.advance(2.5, 2.0), Some(PlayerEvent::Looped(1)));
    assert_eq!(player.time_secs(), 0.5);
    player.advance(0.5, 2.0);
    assert_eq!(player.time_secs(), 1.0);
}

#[test]
fn events_say_how_often_it_went_round() {
    let events = |repeat, steps: &[f64]| {
        let mut player = Player::default();
        player.set_repeat(repeat);
        steps.iter().map(|s| player.advance(*s, 2.0)).collect::<Vec<_>>()
    };
    let looped = |n| Some(PlayerEvent::Looped(n));
    assert_eq!(events(Repeat::Loop, &[2.0, 0.5, 7.0]), [None, looped(1), looped(3)]);
    assert_eq!(events(Repeat::PingPong, &[1.5, 1.0, 1.0, 1.0, 8.0]), {
        [None, looped(1), None, looped(1), looped(4)]
    });
    assert_eq!(events(Repeat::Once, &[1.0, 1.0, 1.0, 1.0]), {
        [None, None, Some(PlayerEvent::Ended), None]
    });
}

#[test]
fn frames_and_ticks_tell_the_same_time() {
    let mut player = Player::default();
    player.seek(1.5, 2.0);
    assert_eq!(TimeBase::per_sec(24.0).ticks(player.time_secs()), 36.0);
    assert_eq!(TimeBase::per_sec(0.0).ticks(player.time_secs()), 37.5);
    player.step_frames(-1, TimeBase::per_sec(0.0), 2.0);
    assert_eq!(player.time_secs(), 37.0 / 25.0);
    player.step_frames(1000, TimeBase::per_sec(24.0), 2.0);
    assert_eq!((player.time_secs(), player.playing), (2.0, false));
}

#[test]
fn ten_hours_of_a_range_at_odd_speeds_drift_less_than_a_millisecond() {
    for speed in [-1.0, 0.3, 1.7] {
        let mut player = with_speed(speed);
        player.set_in(0.2);
        player.set_out(1.0);
        player.seek(0.2, 1.25);
        player.playing = true;
        for _ in 0..10 * 3600 * 60 {
            player.advance(1.0 / 60.0, 1.25);
        }
        let want = (36_000.0 * speed).rem_euclid(0.8);
        let off = (player.time_secs() - 0.2 - want).rem_euclid(0.8);
        assert!(off.min(0.8 - off) < 1e-3, "{speed}: {off}");
    }
}

proptest! {
    #[test]
    fn a_loop_holds_any_time_in_either_direction(
        time in prop_oneof![-1e6f64..1e6, -1e-12f64..1e-12, prop::num::f64::ANY],
        (start, length) in (0.0f64..10.0, 0.0f64..10.0),
    ) {
        let at = looped(time, start, start + length);
        prop_assert!(at >= start && at <= start + length, "{}", at);
        if time.abs() < 1e6 && length > 1e-3 {
            // The difference is a whole number of lengths.
            let laps = (time - at) / length;
            prop_assert!((laps - laps.round()).abs() * length < 1e-6, "{}", laps);
        }
    }

    #[test]
    fn no_sequence_of_orders_leaves_the_clip(
        orders in prop::collection::vec((0usize..8, -5.0f64..5.0), 1..60),
        duration in prop_oneof![Just(0.0), 0.01f64..4.0],
    ) {
        let mut player = Player::default();
        for (order, x) in orders {
            match order {
                0 => player.seek(x, duration),
                1 => player.set_in(x),
                2 => player.set_out(x),
                3 => player.speed = x,
                4 => player.set_repeat([Repeat::Loop, Repeat::Once, Repeat::PingPong][x.abs() as usize % 3]),
                5 => player.toggle(duration),
                _ => {
                    player.advance(x, duration);
                }
            }
            let time = player.time_secs();
            prop_assert!((0.0..=duration).contains(&time), "{} of {}", time, duration);
        }
    }
}
