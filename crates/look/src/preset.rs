//! Looks: presets of light, ground and tone map, each a few numbers in one table.

use glam::Vec3;

use super::{
    Aids, BoneStyle, EnvironmentSource, Highlight, KeyLight, Lighting, Look, Pass, ToneMap,
};

rigview_anim::named_enum! {
    /// A preset of a look.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Preset {
        /// A photographer's studio on a dark ground.
        #[default]
        Studio = "studio",
        /// Even light from above, as under a cloudy sky.
        Soft = "soft",
        /// Hard light from the side on black.
        Contrast = "contrast",
        /// The sun in a blue sky.
        Daylight = "daylight",
        /// The moon from behind.
        Night = "night",
        /// The shape alone, in a uniform grey.
        Clay = "clay",
        /// The edges of all triangles, white on blue.
        Blueprint = "blueprint",
    }
}

/// The numbers of a preset.
struct Numbers {
    pass: Pass,
    /// sRGB.
    background: [u8; 3],
    /// See [`Look::paint`].
    paint: [f32; 3],
    /// Factor of the studio's light.
    environment: [f32; 3],
    /// Towards the key light, of any length.
    key: [f32; 3],
    /// Its illuminance.
    lux: [f32; 3],
    tone_map: ToneMap,
}

const STUDIO: Numbers = Numbers {
    pass: Pass::Shaded,
    background: [0x2b, 0x2f, 0x36],
    paint: [0.115, 0.120, 0.130],
    environment: [1.0, 1.0, 1.0],
    key: [-0.30, 0.78, 0.62],
    lux: [0.98, 0.9506, 0.9016],
    tone_map: ToneMap::Neutral,
};

impl Preset {
    const fn numbers(self) -> Numbers {
        match self {
            Preset::Studio => STUDIO,
            Preset::Soft => Numbers {
                background: [0x55, 0x5a, 0x62],
                paint: [0.24, 0.25, 0.27],
                environment: [1.32, 1.33, 1.35],
                key: [-0.15, 0.95, 0.40],
                lux: [0.42, 0.42, 0.42],
                ..STUDIO
            },
            Preset::Contrast => Numbers {
                background: [0x12, 0x14, 0x17],
                paint: [0.055, 0.057, 0.062],
                environment: [0.34, 0.35, 0.38],
                key: [-0.80, 0.55, 0.35],
                lux: [2.5, 2.42, 2.3],
                tone_map: ToneMap::Aces,
                ..STUDIO
            },
            Preset::Daylight => Numbers {
                background: [0xa9, 0xbd, 0xd1],
                paint: [0.58, 0.62, 0.66],
                environment: [0.78, 0.93, 1.16],
                key: [0.45, 0.85, 0.45],
                lux: [1.85, 1.72, 1.50],
                ..STUDIO
            },
            Preset::Night => Numbers {
                background: [0x0b, 0x0f, 0x18],
                paint: [0.020, 0.027, 0.045],
                environment: [0.19, 0.25, 0.40],
                key: [-0.60, 0.62, -0.35],
                lux: [1.15, 1.45, 2.0],
                ..STUDIO
            },
            Preset::Clay => Numbers {
                pass: Pass::Clay,
                background: [0x3b, 0x38, 0x35],
                paint: [0.150, 0.142, 0.132],
                ..STUDIO
            },
            Preset::Blueprint => Numbers {
                pass: Pass::Wireframe,
                background: [0x12, 0x33, 0x5e],
                paint: [0.05, 0.155, 0.30],
                ..STUDIO
            },
        }
    }

    /// Returns the light of the preset.
    pub fn lighting(self) -> Lighting {
        let numbers = self.numbers();
        Lighting {
            tint: numbers.environment.into(),
            key: KeyLight {
                towards: Vec3::from(numbers.key).normalize(),
                illuminance: numbers.lux.into(),
            },
            ..Lighting::with(EnvironmentSource::studio())
        }
    }

    /// Changes a look to the preset: pass, background, floor, light, exposure and tone map. The rest stays.
    pub fn apply(self, look: &mut Look) {
        let numbers = self.numbers();
        let [r, g, b] = numbers.background;
        look.pass = numbers.pass;
        look.background = [r, g, b, 0xff];
        look.paint = numbers.paint.into();
        look.floor = true;
        look.lighting = self.lighting();
        look.tone_map = numbers.tone_map;
        (look.exposure, look.auto_exposure) = (0.0, true);
    }

    /// Returns the preset that a look has in all that presets change, if any.
    pub fn matching(look: &Look) -> Option<Self> {
        let is_it = |preset: &Preset| {
            let mut changed = look.clone();
            preset.apply(&mut changed);
            changed == *look
        };
        Self::ALL.into_iter().find(is_it)
    }
}

impl Default for Lighting {
    fn default() -> Self {
        Preset::default().lighting()
    }
}

impl Default for Look {
    fn default() -> Self {
        let mut look = Self {
            pass: Pass::Shaded,
            background: [0, 0, 0, 0xff],
            lighting: Lighting::with(EnvironmentSource::Uniform(Vec3::ZERO)),
            tone_map: ToneMap::Neutral,
            exposure: 0.0,
            auto_exposure: true,
            joint: None,
            bind: None,
            variant: None,
            samples: 4,
            skeleton: false,
            joint_names: false,
            floor: true,
            paint: Vec3::ZERO,
            grid: false,
            axes: false,
            bounds: false,
            legend: true,
            bones: BoneStyle::default(),
            trail: false,
            aids: Aids::default(),
            highlight: Highlight::default(),
            overlays_on_data: false,
            overlay_scale: 1.0,
            in_motion: false,
        };
        Preset::default().apply(&mut look);
        look
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_preset_is_recognised_and_the_default_look_is_the_first() {
        assert_eq!(Preset::matching(&Look::default()), Some(Preset::Studio));
        for preset in Preset::ALL {
            assert_eq!(Preset::from_name(preset.name()), Some(preset));
            let mut look = Look { grid: true, pass: Pass::Normal, ..Look::default() };
            assert_eq!(Preset::matching(&look), None);
            preset.apply(&mut look);
            assert!(look.grid);
            assert_eq!(Preset::matching(&look), Some(preset));
            look.exposure = 1.0;
            assert_eq!(Preset::matching(&look), None);
        }
    }
}
