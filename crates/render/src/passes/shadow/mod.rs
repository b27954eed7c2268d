//! The shadow map: the depth of the scene as seen from the light that casts the shadow.
//!
//! The shadow map has the faces that a camera would show: a single-sided surface casts a shadow only where its front
//! faces the light. An alpha mask cuts the shadow, and blended and transmissive surfaces stop a share of the
//! light.

mod view;

use glam::{Mat4, Vec2};

pub use self::view::ShadowView;

use self::view::MAP_SIZE;
use super::depth_pipelines::DepthUse;
use super::pass::{Drawing, FramePass, Setup};
use crate::scene::canvas::{Attachment, DEPTH_FORMAT, attachment};
use crate::scene::frame_recorder::FrameRecorder;
use crate::scene::frame_recorder::SplitPass;
use crate::scene::lights::ShadowLight;
use crate::scene::uniforms::FrameUniform;
use crate::scene::viewpoint::{LightMaps, Viewpoint};

/// The shadow of lit passes.
#[derive(Default)]
pub struct Shadow {
    /// `None` if no light casts a shadow.
    drawn: Option<Drawn>,
}

struct Drawn {
    view: ShadowView,
    map: wgpu::TextureView,
    viewpoint: Viewpoint,
}

impl Shadow {
    /// The light's view; `None` if no light casts a shadow.
    pub fn view(&self) -> Option<&ShadowView> {
        self.drawn.as_ref().map(|drawn| &drawn.view)
    }

    /// The map; `None` if no light casts a shadow.
    pub fn map(&self) -> Option<&wgpu::TextureView> {
        self.drawn.as_ref().map(|drawn| &drawn.map)
    }
}

impl FramePass for Shadow {
    /// The light that casts the shadow.
    type Needs<'a> = Option<ShadowLight>;

    fn prepare(&mut self, setup: &mut Setup<'_, '_>, light: Option<ShadowLight>) {
        let shared = &setup.shared;
        let floor = shared.frame.framed_box().min.y;
        let light = light.filter(|_| shared.frame.look.pass.is_shaded());
        let view = light.and_then(|light| ShadowView::new(&shared.standing, floor, light.towards));
        let Some(view) = view else {
            self.drawn = None;
            return;
        };
        let gpu = shared.gpu;
        let make = || Drawn {
            view,
            map: attachment(
                gpu,
                &Attachment {
                    label: "shadow map",
                    size: [MAP_SIZE; 2],
                    format: DEPTH_FORMAT,
                    samples: 1,
                    usage: wgpu::TextureUsages::RENDER_ATTACHMENT
                        | wgpu::TextureUsages::TEXTURE_BINDING,
                },
            ),
            viewpoint: Viewpoint::new(gpu, "key light"),
        };
        let drawn = self.drawn.get_or_insert_with(make);
        drawn.view = view;
        put_shadow(&mut setup.camera, &view);
        let projection_from_world = view.projection_from_world.to_cols_array_2d();
        let picture_size = Vec2::splat(MAP_SIZE as f32);
        let seen = FrameUniform { projection_from_world, picture_size, ..setup.camera };
        drawn.viewpoint.write(gpu, &seen);
        drawn.viewpoint.bind(gpu, shared.layouts, shared.bindings, LightMaps::default());
        setup.pipelines.depths.request(DepthUse::Shadow, shared);
    }

    fn record(&self, record: &mut FrameRecorder<'_>, drawing: &Drawing<'_>) {
        let Some(Drawn { map, viewpoint, .. }) = &self.drawn else { return };
        let Some(group) = viewpoint.group() else { return };
        let begin = |record: &mut FrameRecorder<'_>, start| record.depth_pass("shadow", map, start);
        let mut pass = SplitPass::new(record, &begin);
        pass.set_bind_group(0, group, &[]);
        drawing.pipelines.depths.draw(&mut pass, DepthUse::Shadow, &drawing.shared);
    }
}

/// Fills in the fields of the shadow map.
fn put_shadow(uniform: &mut FrameUniform, view: &ShadowView) {
    let map_from_eye = view.map_from_world * Mat4::from_translation(uniform.eye);
    uniform.shadow_from_eye = map_from_eye.to_cols_array_2d();
    uniform.shadow = view.map;
}
