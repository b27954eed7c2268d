//! The large rectangles of one colour behind the panels. They are drawn without egui, whose shader costs ten times as
//! much on software adapters: it has a second way to filter textures, and such adapters run all of a shader.

use egui::Rect;
use egui::emath::TSTransform;
use egui::epaint::{ClippedShape, RectShape, Shape};
use egui_wgpu::ScreenDescriptor;

use rigview_render::Fill;

/// The smallest area in square points. The rest is left to egui.
const LEAST: f32 = 2000.0;

/// Takes the large rectangles out of a frame's shapes, as far as no other shape lies below them: the picture is the same
/// if they are drawn first, except for soft edges of lines that end where a rectangle begins.
pub(super) fn take_fills(shapes: &mut [ClippedShape], screen: &ScreenDescriptor) -> Vec<Fill> {
    let mut below: Vec<Rect> = Vec::new();
    let mut fills = Vec::new();
    for ClippedShape { clip_rect, shape, transform_after_tessellation } in shapes {
        if *transform_after_tessellation != TSTransform::IDENTITY {
            below.push(Rect::EVERYTHING);
            continue;
        }
        let seen = clip_rect.intersect(shape.visual_bounding_rect());
        if !seen.is_positive() {
            continue;
        }
        let is_lowest = || !below.iter().any(|shape| shape.intersect(seen).is_positive());
        match shape {
            Shape::Rect(rect) if is_plain(rect) && seen.area() >= LEAST && is_lowest() => {
                fills.extend(fill(rect, *clip_rect, screen));
                *shape = Shape::Noop;
            }
            _ => below.push(seen),
        }
    }
    fills
}

/// Whether a rectangle is opaque and has no border, no round corners and no soft edges.
fn is_plain(rect: &RectShape) -> bool {
    rect.fill.is_opaque()
        && rect.stroke.is_empty()
        && rect.corner_radius == Default::default()
        && rect.blur_width == 0.0
        && rect.angle == 0.0
        && rect.brush.is_none()
        && rect.round_to_pixels.unwrap_or(true)
}

/// Returns the visible pixels of a rectangle, rounded as egui rounds rectangles and clips; `None` if there are none.
fn fill(rect: &RectShape, clip: Rect, screen: &ScreenDescriptor) -> Option<Fill> {
    let [width, height] = screen.size_in_pixels;
    let pixel = |points: f32, most: u32| {
        let at = (points * screen.pixels_per_point).round();
        (at as u32).min(most)
    };
    let both = |of: fn(&Rect) -> f32, most| [&rect.rect, &clip].map(|rect| pixel(of(rect), most));
    let [left, top] = [both(Rect::left, width), both(Rect::top, height)].map(|[a, b]| a.max(b));
    let [right, bottom] =
        [both(Rect::right, width), both(Rect::bottom, height)].map(|[a, b]| a.min(b));
    let [r, g, b, _] = rect.fill.to_array();
    let rect = [left, top, right.checked_sub(left)?, bottom.checked_sub(top)?];
    (rect[2] > 0 && rect[3] > 0).then_some(Fill { rect, color: [r, g, b] })
}

#[cfg(test)]
mod tests {
    use egui::{Color32, CornerRadius, Stroke, pos2, vec2};

    use super::*;

    const SCREEN: ScreenDescriptor =
        ScreenDescriptor { size_in_pixels: [400, 300], pixels_per_point: 1.0 };

    /// A rectangle at a place, as panels draw it, without a clip.
    fn plain([left, top, width, height]: [f32; 4]) -> RectShape {
        let rect = Rect::from_min_size(pos2(left, top), vec2(width, height));
        RectShape::filled(rect, CornerRadius::ZERO, Color32::from_rgb(51, 102, 255))
    }

    /// Returns the pixels of the fills, and the number of shapes that are left.
    fn taken(shapes: Vec<Shape>, screen: &ScreenDescriptor) -> (Vec<[u32; 4]>, usize) {
        let clip = Rect::from_min_max(pos2(0.0, 0.0), pos2(10_000.0, 250.0));
        let mut shapes: Vec<_> =
            shapes.into_iter().map(|shape| ClippedShape::new(clip, shape)).collect();
        let fills = take_fills(&mut shapes, screen);
        let left = shapes.iter().filter(|shape| shape.shape != Shape::Noop).count();
        (fills.iter().map(|fill| fill.rect).collect(), left)
    }

    #[test]
    fn large_plain_rectangles_are_taken_with_their_clip_and_rounded_to_pixels() {
        let rect = [10.4, 100.0, 500.0, 200.0];
        assert_eq!(taken(vec![plain(rect).into()], &SCREEN), (vec![[10, 100, 390, 150]], 0));
        let dense = ScreenDescriptor { size_in_pixels: [4000, 3000], pixels_per_point: 1.5 };
        assert_eq!(taken(vec![plain(rect).into()], &dense), (vec![[16, 150, 750, 225]], 0));
    }

    #[test]
    fn what_egui_blends_or_has_drawn_below_is_left() {
        let place = [0.0, 0.0, 100.0, 100.0];
        let edit = |edit: fn(&mut RectShape)| {
            let mut rect = plain(place);
            edit(&mut rect);
            taken(vec![rect.into()], &SCREEN)
        };
        assert_eq!(edit(|_| ()).1, 0);
        for change in [
            (|rect| rect.fill = Color32::from_black_alpha(120)) as fn(&mut RectShape),
            |rect| rect.stroke = Stroke::new(1.0, Color32::WHITE),
            |rect| rect.corner_radius = CornerRadius::same(2),
            |rect| rect.blur_width = 4.0,
            |rect| rect.rect = Rect::from_min_size(pos2(0.0, 0.0), vec2(40.0, 40.0)),
            |rect| rect.rect = rect.rect.translate(vec2(0.0, -200.0)),
        ] {
            assert_eq!(edit(change), (vec![], 1));
        }
        // A line below the second rectangle; the third one is beside it.
        let line = Shape::hline(0.0..=100.0, 50.0, Stroke::new(1.0, Color32::WHITE));
        let beside = plain([200.0, 0.0, 100.0, 100.0]);
        let shapes = vec![plain(place).into(), line, plain(place).into(), beside.into()];
        assert_eq!(taken(shapes, &SCREEN), (vec![[0, 0, 100, 100], [200, 0, 100, 100]], 2));
    }
}
