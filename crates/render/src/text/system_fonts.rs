//! System fonts, for characters that the built-in fonts lack. They are searched for when the first such
//! character is drawn.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ab_glyph::{Font, FontRef};
use fontdb::{Database, FaceInfo, ID, Source, Stretch, Style};

use super::fonts::SystemFont;

/// The environment variable that replaces the system's font folders: a list separated as in `PATH`.
const FOLDERS: &str = "RIGVIEW_FONTS";

/// Code points of Chinese, Japanese and Korean, whose fonts differ by region.
const CJK: [RangeInclusive<u32>; 6] = [
    0x1100..=0x11ff,
    0x2e80..=0x9fff,
    0xac00..=0xd7ff,
    0xf900..=0xfaff,
    0xfe30..=0xffef,
    0x1_f200..=0x3_ffff,
];

/// Number of characters whose coverage is looked up together.
const BLOCK: u32 = 256;

/// The fonts found so far.
struct Fonts {
    database: Database,
    /// The preferred ones first.
    order: Vec<ID>,
    /// Bit set of covered characters by face and block, so that a face is opened once per block.
    covered: BTreeMap<(ID, u32), [u64; (BLOCK / 64) as usize]>,
    read: BTreeMap<ID, Arc<SystemFont>>,
    /// Packages recommended so far.
    recommended: BTreeSet<&'static str>,
    /// A message that no window has shown yet.
    message: Option<String>,
}

static FONTS: OnceLock<Mutex<Fonts>> = OnceLock::new();

/// Returns a font with an outline for the character. If there is none, warns once per package that provides
/// one.
pub fn system_font(letter: char) -> Option<Arc<SystemFont>> {
    let fonts = FONTS.get_or_init(|| Mutex::new(Fonts::search()));
    let mut fonts = fonts.lock().unwrap_or_else(PoisonError::into_inner);
    let found = fonts.find(letter);
    if found.is_none() {
        fonts.recommend(letter);
    }
    found
}

/// Takes the pending message about characters without a font.
pub fn missing_font_message() -> Option<String> {
    // Before the first search no character can be missing, and this call must not start one.
    FONTS.get()?.lock().unwrap_or_else(PoisonError::into_inner).message.take()
}

impl Fonts {
    fn search() -> Self {
        let mut database = Database::new();
        match std::env::var_os(FOLDERS) {
            Some(folders) => {
                std::env::split_paths(&folders).for_each(|folder| database.load_fonts_dir(folder));
            }
            None => {
                database.load_system_fonts();
                more_folders().iter().for_each(|folder| database.load_fonts_dir(folder));
            }
        }
        log::debug!("{} font faces found on the system", database.len());
        let mut faces: Vec<&FaceInfo> = database.faces().collect();
        faces.sort_by_cached_key(|face| preference(face));
        let order = faces.into_iter().map(|face| face.id).collect();
        Self {
            database,
            order,
            covered: BTreeMap::new(),
            read: BTreeMap::new(),
            recommended: BTreeSet::new(),
            message: None,
        }
    }

    fn find(&mut self, letter: char) -> Option<Arc<SystemFont>> {
        let region = is_cjk(letter).then(|| region(letter));
        let is_regional = |id: &ID| {
            let families = self.database.face(*id).map(|face| &face.families[..]).unwrap_or(&[]);
            region.is_some_and(|region| families.iter().any(|(name, _)| name.ends_with(region)))
        };
        let (regional, others): (Vec<ID>, Vec<ID>) =
            self.order.iter().partition(|id| is_regional(id));
        let id = regional.into_iter().chain(others).find(|id| self.has(*id, letter))?;
        self.read(id)
    }

    /// Whether a face has an outline for the character. Bitmap emoji do not count.
    fn has(&mut self, id: ID, letter: char) -> bool {
        let database = &self.database;
        let block = u32::from(letter) / BLOCK;
        let covered = self.covered.entry((id, block)).or_insert_with(|| {
            let covered = database.with_face_data(id, |bytes, at| covered(bytes, at, block));
            covered.unwrap_or_default()
        });
        let bit = u32::from(letter) % BLOCK;
        covered[(bit / 64) as usize] >> (bit % 64) & 1 == 1
            && database.with_face_data(id, |bytes, index| {
                let font = FontRef::try_from_slice_and_index(bytes, index);
                font.is_ok_and(|font| font.outline(font.glyph_id(letter)).is_some())
            }) == Some(true)
    }

    fn read(&mut self, id: ID) -> Option<Arc<SystemFont>> {
        if let Some(font) = self.read.get(&id) {
            return Some(Arc::clone(font));
        }
        let face = self.database.face(id)?;
        let (Source::File(path) | Source::SharedFile(path, _)) = &face.source else { return None };
        let bytes = std::fs::read(path).ok()?;
        log::debug!("font {} of {}", face.post_script_name, path.display());
        let name = format!("{}:{}", path.display(), face.index);
        let font = Arc::new(SystemFont { name, bytes: Arc::new(bytes), index: face.index });
        self.read.insert(id, Arc::clone(&font));
        Some(font)
    }

    fn recommend(&mut self, letter: char) {
        // No package can be recommended for control, private-use and special characters.
        if letter.is_control()
            || matches!(letter, '\u{e000}'..='\u{f8ff}' | '\u{fff0}'..='\u{ffff}')
        {
            return;
        }
        let package = if is_cjk(letter) { "fonts-noto-cjk" } else { "fonts-noto-core" };
        if self.recommended.insert(package) {
            let code = u32::from(letter);
            let packages = self.recommended.iter().copied().collect::<Vec<_>>().join(", ");
            let message = format!(
                "no font on this system has letters such as U+{code:04X}, so they are shown as boxes; \
                 install one (Debian, Ubuntu: {packages}) and start rigview again"
            );
            log::warn!("{message}");
            self.message = Some(message);
        }
    }
}

/// Returns the font folders of the XDG Base Directory Specification that `fontdb` does not search.
fn more_folders() -> Vec<PathBuf> {
    const SEARCHED: [&str; 2] = ["/usr/share/fonts", "/usr/local/share/fonts"];
    let [home, shared] =
        ["XDG_DATA_HOME", "XDG_DATA_DIRS"].map(|name| std::env::var_os(name).unwrap_or_default());
    let folders = std::env::split_paths(&home).chain(std::env::split_paths(&shared));
    let folders = folders.filter(|folder| folder.is_absolute()).map(|folder| folder.join("fonts"));
    folders.filter(|folder| !SEARCHED.iter().any(|known| folder == Path::new(known))).collect()
}

/// Returns a sort key that puts upright, regular, proportional sans-serif faces first, and last-resort
/// fonts last.
fn preference(face: &FaceInfo) -> (bool, bool, u16, bool, bool, String) {
    let family = face.families.first().map_or("", |(name, _)| name);
    let last = ["Serif", "Mono", "Unifont", "Last", "Symbol", "Math"];
    (
        last.iter().any(|word| family.contains(word)),
        face.style != Style::Normal || face.stretch != Stretch::Normal,
        face.weight.0.abs_diff(400),
        face.monospaced,
        !family.starts_with("Noto Sans"),
        face.post_script_name.clone(),
    )
}

/// Returns a bit per character of a block that is set if the face has a glyph for it.
fn covered(bytes: &[u8], index: u32, block: u32) -> [u64; (BLOCK / 64) as usize] {
    let mut covered = [0; (BLOCK / 64) as usize];
    if let Ok(font) = FontRef::try_from_slice_and_index(bytes, index) {
        for bit in 0..BLOCK {
            let letter = char::from_u32(block * BLOCK + bit);
            if letter.is_some_and(|letter| font.glyph_id(letter).0 != 0) {
                covered[(bit / 64) as usize] |= 1 << (bit % 64);
            }
        }
    }
    covered
}

fn is_cjk(letter: char) -> bool {
    CJK.iter().any(|range| range.contains(&u32::from(letter)))
}

/// Returns the suffix of font names whose ideographs have the forms of the user's region.
fn region(letter: char) -> &'static str {
    match letter {
        '\u{3040}'..='\u{30ff}' => return " JP",
        '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7ff}' => return " KR",
        _ => {}
    }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(|name| std::env::var(name).unwrap_or_default());
    let locale = locale.iter().find(|text| !text.is_empty()).map_or("", String::as_str);
    match locale.get(..5).unwrap_or(locale) {
        "zh_TW" => " TC",
        "zh_HK" => " HK",
        locale if locale.starts_with("ja") => " JP",
        locale if locale.starts_with("ko") => " KR",
        _ => " SC",
    }
}
