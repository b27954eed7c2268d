//! The layout of the window: the picture with the open parts around it, which can be dragged to other places.
//!
//! Where there is little room, the parts share one column beside the picture, with a tab for each.

use egui::{
    Color32, Context, Frame, Id, LayerId, Margin, Panel, Rect, Response, RichText, Stroke, Ui,
    UiBuilder, Vec2, WidgetText,
};
use egui_tiles::{
    Behavior, Container, ContainerKind, LinearDir, ResizeState, SimplificationOptions, TabState,
    Tabs, Tile, TileId, Tiles, Tree, UiResponse,
};

use super::arrangement::{Arrangement, BELOW, LEFT, Pane};
use super::icon::{Icon, icon_button_ui};
use super::theme;
use rigview_session::{OpenWindowParts, WindowPart};

/// Minimum width of the window in points for parts on all sides of the picture.
const ROOM_FOR_ALL: f32 = 1200.0;

/// The parts that are below the picture where there is little room.
const PARTS_BELOW: [WindowPart; 2] = [WindowPart::TimeLine, WindowPart::Curves];

/// The height of these parts there: the usual and the least in points, and the most as a share of the room.
const STRIP: f32 = 224.0;
const LEAST_STRIP: f32 = 110.0;
const MOST_STRIP: f32 = 0.4;

/// The height in points that some rows of the dope sheet need, for which these parts may take more of a low room.
const STRIP_FOR_ROWS: f32 = 180.0;
const MOST_LOW_STRIP: f32 = 0.55;

/// Minimum width and height of a tile in points.
const LEAST: f32 = 120.0;

/// Most of the width or height that parts may take from the picture.
const MOST: f32 = 0.5;

/// The width of the line between two tiles in points.
const GAP: f32 = 1.0;

/// How the tree of tiles is kept simple. Each part has a tab, to be dragged by.
const RULES: SimplificationOptions = SimplificationOptions {
    prune_empty_tabs: true,
    prune_single_child_tabs: true,
    prune_empty_containers: true,
    prune_single_child_containers: true,
    all_panes_must_have_tabs: true,
    join_nested_linear_containers: true,
    flatten_tabs_in_tabs: true,
};

/// The layout's state between frames.
#[derive(Debug)]
pub(super) struct Layout {
    tree: Tree<Pane>,
    /// The parts that were open in the last frame.
    open: OpenWindowParts,
    /// A part of the chosen tab, where there is one column.
    chosen: WindowPart,
    /// The part of the chosen tab below the picture there.
    chosen_below: WindowPart,
    /// The layer, the room and what is shown in it, as of the last frame.
    laid_out: Option<(LayerId, Rect, Vec<Rect>)>,
    /// The tabs and the buttons beside them.
    tabs: Vec<Id>,
}

/// A frame's layout, as shown.
pub(super) struct LaidOut {
    /// The room for the picture in points.
    pub picture: Rect,
    /// The part whose close button was pressed.
    pub closed: Option<WindowPart>,
}

/// Shows parts below each other in a column.
pub(super) type Contents<'a> = &'a mut dyn FnMut(&mut Ui, &[WindowPart]);

impl Default for Layout {
    fn default() -> Self {
        Self::new(&Arrangement::default())
    }
}

impl Layout {
    /// Returns the layout of an arrangement that [is complete](Arrangement::is_complete).
    pub fn new(arrangement: &Arrangement) -> Self {
        let mut tiles = Tiles::default();
        let root = arrangement.tile(&mut tiles);
        let tree = Tree::new(egui::Id::unique("layout"), root, tiles);
        Self {
            tree,
            open: OpenWindowParts::default(),
            chosen: WindowPart::Clips,
            chosen_below: WindowPart::TimeLine,
            laid_out: None,
            tabs: Vec::new(),
        }
    }

    /// Returns the arrangement of the tiles.
    pub fn arrangement(&self) -> Option<Arrangement> {
        Arrangement::of_tile(&self.tree.tiles, self.tree.root()?)
    }

    /// Makes a part the chosen one among tabs.
    pub fn choose(&mut self, part: WindowPart) {
        let below = PARTS_BELOW.contains(&part);
        *(if below { &mut self.chosen_below } else { &mut self.chosen }) = part;
        self.tree.make_active(|_, tile| *tile == Tile::Pane(Pane::Part(part)));
    }

    /// Shows the open parts, and leaves the rest of the room to the picture.
    pub fn show(&mut self, ui: &mut Ui, open: OpenWindowParts, contents: Contents<'_>) -> LaidOut {
        if let Some(opened) = open.iter().find(|part| !self.open.has(*part)) {
            self.choose(opened);
        }
        self.open = open;
        let room = ui.available_rect_before_wrap();
        if room.width() < ROOM_FOR_ALL {
            let parts = [self.strip_ui(ui, contents), self.column_ui(ui, contents)];
            let picture = ui.available_rect_before_wrap();
            let shown = parts.into_iter().flatten().chain([picture]).collect();
            self.laid_out = Some((ui.layer_id(), room, shown));
            return LaidOut { picture, closed: None };
        }
        let parts: Vec<(TileId, WindowPart)> = self.parts().collect();
        for (tile, part) in parts {
            self.tree.set_visible(tile, open.has(part));
        }
        self.uncover_picture();
        self.tree.simplify(&RULES);
        self.fit(ui.available_size());
        let path = self.path_to_picture();
        let (picture, shown, tabs) = (Rect::NOTHING, Vec::new(), Vec::new());
        let mut tiling = Tiling { contents, path, picture, shown, tabs, closed: None };
        self.tree.ui(&mut tiling, ui);
        self.laid_out = Some((ui.layer_id(), room, tiling.shown));
        self.tabs = tiling.tabs;
        LaidOut { picture: tiling.picture, closed: tiling.closed }
    }

    /// Whether a widget is a line between parts, or the bar behind their tabs: these are for the mouse, and have no name.
    pub fn is_nameless(&self, ctx: &Context, widget: Id) -> bool {
        let Some((layer, room, shown)) = &self.laid_out else { return false };
        let Some(widget) = ctx.read_response(widget).filter(|widget| widget.layer_id == *layer)
        else {
            return false;
        };
        // The lines reach over the edges of the parts.
        let at = widget.rect.center();
        let is_inside = shown.iter().any(|part| part.shrink(1.0).contains(at));
        room.contains(at) && !is_inside && !self.tabs.contains(&widget.id)
    }

    /// Shows the chosen one of the parts below the picture, where there is little room. Returns its place.
    fn strip_ui(&mut self, ui: &mut Ui, contents: Contents<'_>) -> Option<Rect> {
        let open = PARTS_BELOW.into_iter().filter(|part| self.open.has(*part));
        let pages: Vec<Vec<WindowPart>> = open.map(|part| vec![part]).collect();
        let first = pages.first()?;
        let page = pages.iter().find(|page| page.contains(&self.chosen_below)).unwrap_or(first);
        let height = ui.available_height();
        let for_rows = STRIP_FOR_ROWS.min(MOST_LOW_STRIP * height);
        let most = (MOST_STRIP * height).max(for_rows).max(LEAST_STRIP);
        let strip = Panel::bottom("strip")
            .frame(Frame::new().fill(theme::colors(ui).panel))
            .resizable(true)
            .default_size(STRIP.min(most))
            .size_range(LEAST_STRIP..=most);
        let chosen = strip.show(ui, |ui| {
            let chosen = (pages.len() > 1).then(|| {
                let chosen = tabs_ui(ui, &pages, page);
                // The room is small: no gap below the tabs.
                ui.add_space(-ui.spacing().item_spacing.y);
                chosen
            });
            contents(ui, page);
            chosen.flatten()
        });
        self.chosen_below = chosen.inner.unwrap_or(self.chosen_below);
        Some(chosen.response.rect)
    }

    /// Shows the chosen tab of a single column to the left of the picture. Clips and view share a tab. Returns the
    /// column's place.
    fn column_ui(&mut self, ui: &mut Ui, contents: Contents<'_>) -> Option<Rect> {
        let pages = [
            &[WindowPart::Scene][..],
            &[WindowPart::Clips, WindowPart::View],
            &[WindowPart::Inspector],
            &[WindowPart::Compared],
        ];
        let open =
            |page: &[WindowPart]| page.iter().copied().filter(|p| self.open.has(*p)).collect();
        let pages: Vec<Vec<WindowPart>> =
            pages.into_iter().map(open).filter(|p: &Vec<WindowPart>| !p.is_empty()).collect();
        let first = pages.first()?;
        let page = pages.iter().find(|page| page.contains(&self.chosen)).unwrap_or(first);
        let most = (MOST * ui.available_width()).clamp(180.0, 460.0);
        let column = Panel::left("side")
            .frame(Frame::new().fill(theme::colors(ui).panel))
            .default_size(LEFT)
            .size_range(180.0..=most);
        let chosen = column.show(ui, |ui| {
            let chosen = if pages.len() > 1 { tabs_ui(ui, &pages, page) } else { None };
            // Contents that are too high are clipped: they must not reach into the strip below.
            let room = ui.available_rect_before_wrap();
            let mut inside = ui.new_child(UiBuilder::new().max_rect(room));
            inside.shrink_clip_rect(room);
            contents(&mut inside, page);
            ui.advance_cursor_after_rect(room);
            chosen
        });
        self.chosen = chosen.inner.unwrap_or(self.chosen);
        Some(chosen.response.rect)
    }

    /// The tiles of parts.
    fn parts(&self) -> impl Iterator<Item = (TileId, WindowPart)> {
        self.tree.tiles.iter().filter_map(|(id, tile)| match tile {
            Tile::Pane(Pane::Part(part)) => Some((*id, *part)),
            _ => None,
        })
    }

    /// Returns the tiles that contain the picture, from the outermost one to the picture itself.
    fn path_to_picture(&self) -> Vec<TileId> {
        let tiles = &self.tree.tiles;
        let mut path = Vec::from_iter(tiles.find_pane(&Pane::Picture));
        while let Some(parent) = path.last().and_then(|tile| tiles.parent_of(*tile)) {
            path.push(parent);
        }
        path.reverse();
        path
    }

    /// Puts a part beside the picture if it was dropped on it as a tab, which would hide the picture.
    fn uncover_picture(&mut self) {
        for tile in self.path_to_picture() {
            if let Some(Tile::Container(container)) = self.tree.tiles.get_mut(tile)
                && container.kind() == ContainerKind::Tabs
                && container.num_children() > 1
            {
                container.set_kind(ContainerKind::Horizontal);
            }
        }
    }

    /// Sets the shares of the tiles around the picture to points. Parts keep their size while the window's size
    /// changes, up to half of it; the picture takes the rest.
    fn fit(&mut self, mut room: Vec2) {
        let path = self.path_to_picture();
        for (tile, inner) in path.iter().zip(path.iter().skip(1)) {
            let Some(Tile::Container(Container::Linear(linear))) = self.tree.tiles.get(*tile)
            else {
                continue;
            };
            let (length, first) = match linear.dir {
                LinearDir::Horizontal => (room.x, LEFT),
                LinearDir::Vertical => (room.y, BELOW),
            };
            let others = linear.children.iter().copied().filter(|child| child != inner);
            let others: Vec<TileId> =
                others.filter(|child| self.tree.is_visible_in_layout(*child)).collect();
            let length = (length - GAP * others.len() as f32).max(0.0);
            let points = |share: f32| if share < 0.5 * LEAST { first } else { share };
            let sizes: Vec<f32> =
                others.iter().map(|child| points(linear.shares[*child])).collect();
            let sum: f32 = sizes.iter().sum();
            let scale = (MOST * length / sum.max(1.0)).min(1.0);
            let rest = length - scale * sum;
            let dir = linear.dir;
            if let Some(Tile::Container(Container::Linear(linear))) = self.tree.tiles.get_mut(*tile)
            {
                for (child, size) in others.iter().zip(sizes) {
                    linear.shares.set_share(*child, scale * size);
                }
                linear.shares.set_share(*inner, rest);
            }
            match dir {
                LinearDir::Horizontal => room.x = rest,
                LinearDir::Vertical => room.y = rest,
            }
        }
    }
}

/// Shows a tab per page. Returns a part of the page that was chosen.
fn tabs_ui(ui: &mut Ui, pages: &[Vec<WindowPart>], shown: &[WindowPart]) -> Option<WindowPart> {
    let mut chosen = None;
    let bar = Frame::new().fill(theme::colors(ui).bar).inner_margin(Margin::symmetric(8, 4));
    bar.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            ui.spacing_mut().button_padding.x = 7.0;
            for page in pages {
                let titles: Vec<&str> = page.iter().map(|part| title(*part)).collect();
                if ui.selectable_label(page == shown, titles.join(", ")).clicked() {
                    chosen = page.first().copied();
                }
            }
        });
    });
    chosen
}

/// The part's title.
pub(super) fn title(part: WindowPart) -> &'static str {
    match part {
        WindowPart::Scene => "Scene",
        WindowPart::Clips => "Clips",
        WindowPart::View => "View",
        WindowPart::Inspector => "Inspector",
        WindowPart::TimeLine => "Time line",
        WindowPart::Curves => "Curves",
        WindowPart::Compared => "Compared",
    }
}

/// Shows the tiles of a frame.
struct Tiling<'a> {
    contents: Contents<'a>,
    /// The picture's tile and those that contain it.
    path: Vec<TileId>,
    picture: Rect,
    /// The picture and the parts.
    shown: Vec<Rect>,
    /// The tabs and the buttons beside them.
    tabs: Vec<Id>,
    closed: Option<WindowPart>,
}

impl Behavior<Pane> for Tiling<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, _: TileId, pane: &mut Pane) -> UiResponse {
        self.shown.push(ui.max_rect());
        match pane {
            Pane::Picture => self.picture = ui.max_rect(),
            Pane::Part(part) => {
                ui.painter().rect_filled(ui.max_rect(), 0.0, theme::colors(ui).panel);
                ui.set_clip_rect(ui.max_rect());
                (self.contents)(ui, &[*part]);
            }
        }
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, pane: &Pane) -> WidgetText {
        let title = match pane {
            Pane::Picture => "",
            Pane::Part(part) => title(*part),
        };
        RichText::new(title).size(12.5).into()
    }

    fn tab_title_for_tile(&mut self, tiles: &Tiles<Pane>, tile: TileId) -> WidgetText {
        let first = std::iter::successors(Some(tile), |tile| match tiles.get(*tile)? {
            Tile::Container(container) => container.children().next().copied(),
            Tile::Pane(_) => None,
        });
        match first.last().and_then(|tile| tiles.get_pane(&tile).copied()) {
            Some(pane) => self.tab_title_for_pane(&pane),
            None => WidgetText::default(),
        }
    }

    fn top_bar_right_ui(
        &mut self,
        tiles: &Tiles<Pane>,
        ui: &mut Ui,
        _: TileId,
        tabs: &Tabs,
        _: &mut f32,
    ) {
        let Some(Pane::Part(part)) = tabs.active.and_then(|tile| tiles.get_pane(&tile)) else {
            return;
        };
        ui.add_space(2.0);
        let name = format!("Close {}", title(*part).to_lowercase());
        let close = icon_button_ui(ui, Icon::Close, 20.0, &name, "Close");
        self.tabs.push(close.id);
        if close.clicked() {
            self.closed = Some(*part);
        }
    }

    fn on_tab_button(&mut self, _: &mut Tiles<Pane>, _: TileId, tab: Response) -> Response {
        self.tabs.push(tab.id);
        if tab.has_focus() {
            let painter = tab.ctx.layer_painter(tab.layer_id).with_clip_rect(tab.rect);
            theme::ring(&painter, tab.rect, 2.0);
        }
        tab
    }

    fn is_tab_bar_visible(&self, _: TileId, tabs: &Tabs) -> bool {
        // Only the picture's tile has no bar; a part has one to be dragged by.
        !tabs.children.iter().any(|child| self.path.contains(child))
    }

    fn is_tile_draggable(&self, tiles: &Tiles<Pane>, tile: TileId) -> bool {
        tiles.get_pane(&tile) != Some(&Pane::Picture)
    }

    fn simplification_options(&self) -> SimplificationOptions {
        RULES
    }

    fn gap_width(&self, _: &egui::Style) -> f32 {
        GAP
    }

    fn min_size(&self) -> f32 {
        LEAST
    }

    fn cycle_tabs_with_keyboard(&self) -> bool {
        false
    }

    fn tab_bar_color(&self, visuals: &egui::Visuals) -> Color32 {
        theme::in_visuals(visuals).bar
    }

    fn tab_outline_stroke(
        &self,
        _: &egui::Visuals,
        _: &Tiles<Pane>,
        _: TileId,
        _: &TabState,
    ) -> Stroke {
        Stroke::NONE
    }

    fn tab_text_color(
        &self,
        visuals: &egui::Visuals,
        _: &Tiles<Pane>,
        _: TileId,
        state: &TabState,
    ) -> Color32 {
        let colors = theme::in_visuals(visuals);
        if state.active { colors.text } else { colors.weak }
    }

    fn resize_stroke(&self, style: &egui::Style, state: ResizeState) -> Stroke {
        let colors = theme::in_visuals(&style.visuals);
        match state {
            ResizeState::Idle => Stroke::new(GAP, colors.line),
            ResizeState::Hovering => Stroke::new(2.0, colors.rail),
            ResizeState::Dragging => Stroke::new(2.0, colors.accent),
        }
    }
}
