//! The target of a frame.

/// A colour texture to draw a picture on: a swap chain's or any other.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The view of the texture.
    pub view: &'a wgpu::TextureView,
    /// Format of the view.
    pub format: wgpu::TextureFormat,
    /// Rectangle of the picture on the target: left, top, width and height in pixels. The rest is cleared
    /// to black.
    pub rect: [u32; 4],
    /// The part of a larger picture that the rectangle shows; `None` if it shows the whole picture.
    pub part: Option<Tile>,
}

/// A tile of a picture that is drawn by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Left and top of the tile, in pixels of the whole picture.
    pub corner: [u32; 2],
    /// Width and height of the whole picture.
    pub whole: [u32; 2],
}

impl Target<'_> {
    /// Width and height of the rectangle.
    pub fn size(&self) -> [u32; 2] {
        let [_, _, width, height] = self.rect;
        [width, height]
    }

    /// Width and height of the whole picture.
    pub fn whole(&self) -> [u32; 2] {
        self.part.map_or(self.size(), |part| part.whole)
    }

    /// Returns the attachment of a pass that clears the texture to black and draws on it.
    pub(super) fn cleared(&self) -> wgpu::RenderPassColorAttachment<'_> {
        wgpu::RenderPassColorAttachment {
            view: self.view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                store: wgpu::StoreOp::Store,
            },
        }
    }

    /// Clears the texture and draws a triangle that covers the rectangle.
    pub(super) fn fill(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        label: &str,
        pipeline: &wgpu::RenderPipeline,
        group: &wgpu::BindGroup,
    ) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some(label),
            color_attachments: &[Some(self.cleared())],
            ..Default::default()
        });
        self.limit(&mut pass);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, group, &[]);
        pass.draw(0..3, 0..1);
    }

    /// Limits a pass to the rectangle.
    pub(super) fn limit(&self, pass: &mut wgpu::RenderPass<'_>) {
        let [left, top, width, height] = self.rect;
        pass.set_viewport(left as f32, top as f32, width as f32, height as f32, 0.0, 1.0);
        pass.set_scissor_rect(left, top, width, height);
    }
}
