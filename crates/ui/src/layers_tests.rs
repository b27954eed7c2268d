//! The table of clips that play at once.

use egui::vec2;
use egui_kittest::kittest::Queryable as _;

use super::tests::{apply, click, control, says, window_of_size};
use rigview_session::sample::session;
use rigview_session::{Blending, LayerSettings, PlaybackAction};

#[test]
fn the_shown_clip_is_the_first_row_and_each_layer_has_a_row_of_its_own() {
    let mut window = window_of_size(session(), vec2(1280.0, 900.0));
    window.get_by_label("Blending").click();
    window.run();
    assert!(says(&window, "Base") && says(&window, "1.00"));
    let [added] = &click(&mut window, "Add a clip")[..] else { panic!() };
    assert!(added.starts_with("SetLayers([LayerSettings { clip: 1, weight: 1.0"), "{added}");
    let layer = |clip| LayerSettings { clip, weight: 0.5, blending: Blending::Mean, joint: None };
    apply(&mut window, PlaybackAction::SetLayers(vec![layer(1), layer(2)]));
    let top = |window: &super::tests::Window, name: &str| control(window, name).rect().center().y;
    let base = window.get_by_label("Base").rect().center().y;
    let rows = [1, 2].map(|row| top(&window, &format!("Weight of layer {row}")));
    assert!(base < rows[0] && rows[0] < rows[1], "{base} {rows:?}");
    for row in 1..=2 {
        let [clip, blending, joint] = ["Clip", "Blending", "Joint"]
            .map(|cell| top(&window, &format!("{cell} of layer {row}")));
        assert!((clip - rows[row - 1]).abs() < 3.0, "row {row}: {clip}");
        // In a narrow column, the other two lists are below, where they have room for their texts.
        assert!((blending - joint).abs() < 3.0, "row {row}: {blending} {joint}");
        assert!(blending > clip && (row == 2 || joint < rows[1]), "row {row}: {blending}");
        let list = control(&window, &format!("Blending of layer {row}")).rect();
        assert!(list.width() >= 80.0, "row {row}: {list}");
    }
    let removed = click(&mut window, "Remove layer 1");
    assert_eq!(removed.len(), 1);
    assert!(removed[0].starts_with("SetLayers([LayerSettings { clip: 2"), "{removed:?}");
}
