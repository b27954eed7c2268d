//! The tests that only run the program. They name nothing of the library: this package is not compiled again when the
//! library changes, and the program is built when the first test runs it; see `support::program`.
//!
//! | module | holds |
//! |---|---|
//! | [`borrowed`] | `--clips-from`: clips of one file on the rig of another |
//! | [`check`] | `check`: contracts, the forms of output, and its use in pipelines |
//! | [`rules`] | `check`: each rule on a rig with the defect, and on one that just has it not |
//! | [`ci`] | the scripts of `docs/ci` and the action |
//! | [`cli`] | the contract of the command line: exit codes, messages, files, bytes |
//! | [`drivers`] | the same pictures through Vulkan, GL and SwiftShader |
//! | [`gpus`] | `gpus`: the adapters, and the choice of a missing one |
//! | [`occlusion`] | ambient occlusion compared with path-traced pictures, and the light that it darkens |
//! | [`outputs`] | targets of `-o`: devices, FIFOs, links, inputs, and temporary files |
//! | [`side_files`] | `--pose`, `--environment`, `--script`: types, sizes, warnings |
//! | [`usage`] | mistyped commands and options, and the headings of help texts |
//! | [`compare`] | `compare`, `screenshot --reference`: known differences of pictures, exit codes |
//! | [`curve`] | `rigview curve`: tracks as plots and numbers |
//! | [`default_look`] | the default look: its light on white, and the exposure that fits a file's lights |
//! | [`diff`] | `diff`: known differences of models, pairing, the picture |
//! | [`docs`] | the book: its pages, links, pictures, examples and the reference of all commands |
//! | [`examples`] | the programs of `examples/`, and what they print and draw |
//! | [`retarget`] | `--map` and `--align-rest`: clips on rigs of other names and rest poses |
//! | [`rest_to_bind`] | `--pass rest-to-bind`: joints away from their bind pose |
//! | [`info`] | `info`: its counts and names |
//! | [`jpeg`] | JPEG images of all kinds |
//! | [`manual`] | manual pages, completions, and plain text in pipes |
//! | [`many_pictures`] | `screenshot` of several files or of a list, and time limits |
//! | [`masks`] | `screenshot --pass mask` compared with reference silhouettes |
//! | [`materials`] | materials compared with values worked out by hand and with other renderers |
//! | [`furnace`] | the white furnace test |
//! | [`morphs`] | morph targets of every attribute |
//! | [`pose_formats`] | `pose --format csv`, and `pose --gpu --compare` |
//! | [`packaging`] | what packages are made of: desktop entry, icons, templates, the crate's files |
//! | [`passes`] | each pass, checked by counting pixels |
//! | [`names`] | joint names: fonts, direction, shortening, placement |
//! | [`normals`] | `--pass normal` compared with normals worked out by hand |
//! | [`light`] | lights, environments, shadows and tone maps compared with numbers worked out by hand |
//! | [`record`] | `record`: its pictures and videos, decoded and compared with screenshots |
//! | [`shadows`] | shadows on the ground: what casts them, and their edges |
//! | [`sheet`] | `sheet`: many files or clips on one picture |
//! | [`skins`] | skins, in all ways that files can write them |
//! | [`thumbnail`] | `thumbnail`: its PNG, its limits, and broken files |
//! | [`validation`] | the commands to Vulkan, judged by its validation layer |

mod borrowed;
mod check;
mod ci;
mod cli;
mod compare;
mod curve;
mod default_look;
mod diff;
mod docs;
mod drivers;
mod examples;
mod fix;
mod fix_meshes;
mod fix_safety;
mod furnace;
mod ghosts;
mod gpus;
mod humanoids;
mod info;
mod joints;
mod jpeg;
mod light;
mod looks;
mod manual;
mod many_pictures;
mod masks;
mod materials;
mod morphs;
mod names;
mod normals;
mod occlusion;
mod outputs;
mod packaging;
mod passes;
mod pipes;
mod pose_formats;
mod record;
mod rest_to_bind;
mod retarget;
mod rules;
mod shadows;
mod sheet;
mod side_files;
mod skins;
mod suite;
mod thumbnail;
mod usage;
mod validation;

use rigview_test_support as support;
