//! The tests from outside, in one program.
//!
//! | module | holds |
//! |---|---|
//! | [`structure`] | the rules of the code that the compiler can't check |
//! | [`accessors`] | accessors: alignment, sparse elements, bounds, inverse bind matrices |
//! | [`bake`] | `bake`: files written again with a sampled clip |
//! | [`blocks`] | KTX2 images in block formats |
//! | [`bones`] | animated nodes without a mesh: their bones and their framing |
//! | [`boxes`] | exact boxes of posed models, and `--bounds` |
//! | [`broken`] | files with one defect each, and its warning |
//! | [`budget`] | small files that describe large products: refused before any allocation |
//! | [`borrowed`] | `--clips-from`: clips of one file on the rig of another |
//! | [`check`] | `check`: contracts, the forms of output, and its use in pipelines |
//! | [`rules`] | `check`: each rule on a rig with the defect, and on one that just has it not |
//! | [`ci`] | the scripts of `docs/ci` and the action |
//! | [`crowd`] | many instances of a model in one picture, and their timing |
//! | [`characters`] | FBX and BVH compared with the shared oracles; broken files |
//! | [`convert`] | `convert`: what it writes, and the distance that it prints |
//! | [`fbx`] | small FBX files whose numbers are worked out by hand |
//! | [`fbx_materials`] | their textures and transparency |
//! | [`fbx_text`] | their text: cut short, badly edited, or in several forms |
//! | [`fbx_takes`] | their takes: fast turns, spans, poses without keys, and what is interpolated otherwise |
//! | [`fbx_axes`] | their coordinate systems, right- and left-handed |
//! | [`fbx_chains`] | work that small files must not multiply |
//! | [`fbx_visibility`] | their nodes that appear, disappear and fade |
//! | [`bvh`] | small BVH files |
//! | [`cli`] | the contract of the command line: exit codes, messages, files, bytes |
//! | [`drivers`] | the same pictures through Vulkan, GL and SwiftShader |
//! | [`gpus`] | `gpus`: the adapters, and the choice of a missing one |
//! | [`occlusion`] | ambient occlusion compared with path-traced pictures, and the light that it darkens |
//! | [`outputs`] | targets of `-o`: devices, FIFOs, links, inputs, and temporary files |
//! | [`side_files`] | `--pose`, `--environment`, `--script`: types, sizes, warnings |
//! | [`usage`] | mistyped commands and options, and the headings of help texts |
//! | [`gltf1`] | glTF 1.0: a small file, invalid ones, and poses compared with those of 2.0 |
//! | [`compare`] | `compare`, `screenshot --reference`: known differences of pictures, exit codes |
//! | [`compression`] | smaller forms of clips: half floats, the error bound of reduced keys, `info --compression` |
//! | [`curve`] | `rigview curve`: tracks as plots and numbers |
//! | [`default_look`] | the default look: its light on white, and the exposure that fits a file's lights |
//! | [`diff`] | `diff`: known differences of models, pairing, the picture |
//! | [`docs`] | the book: its pages, links, pictures, examples and the reference of all commands |
//! | [`examples`] | the programs of `examples/`, and what they print and draw |
//! | [`compressed`] | compressed geometry, valid and broken |
//! | [`retarget`] | `--map` and `--align-rest`: clips on rigs of other names and rest poses |
//! | [`vrm`] | VRM: bones, expressions, springs, and VRM animations |
//! | [`rest_to_bind`] | `--pass rest-to-bind`: joints away from their bind pose |
//! | [`info`] | `info`: its counts and names |
//! | [`import`] | the importer as a library: all shared models, and the numbers of small files |
//! | [`instances`] | EXT_mesh_gpu_instancing |
//! | [`picking`] | picks of the GPU compared with ray casts of the exact pose |
//! | [`pictures`] | the choice between a texture's images, and KTX2 |
//! | [`poses`] | `pose` and `pose --gpu` compared with numeric oracles |
//! | [`jpeg`] | JPEG images of all kinds |
//! | [`joint_limit`] | skins with a limit of joints |
//! | [`keys`] | keys of every component type, and the warnings about unusual ones |
//! | [`layers`] | material layers that get their strength from a clip |
//! | [`properties`] | animated visibility, cameras, lights and materials |
//! | [`manual`] | manual pages, completions, and plain text in pipes |
//! | [`many_pictures`] | `screenshot` of several files or of a list, and time limits |
//! | [`masks`] | `screenshot --pass mask` compared with reference silhouettes |
//! | [`materials`] | materials compared with values worked out by hand and with other renderers |
//! | [`furnace`] | the white furnace test |
//! | [`textures`] | missing, tiny, too large and too many textures |
//! | [`morphs`] | morph targets of every attribute |
//! | [`pose_formats`] | `pose --format csv`, and `pose --gpu --compare` |
//! | [`posture`] | models that lie on their back |
//! | [`packaging`] | what packages are made of: desktop entry, icons, templates, the crate's files |
//! | [`passes`] | each pass, checked by counting pixels |
//! | [`names`] | joint names: fonts, direction, shortening, placement |
//! | [`normals`] | `--pass normal` compared with normals worked out by hand |
//! | [`light`] | lights, environments, shadows and tone maps compared with numbers worked out by hand |
//! | [`lines`] | lines one pixel wide, measured by the coverage of each pixel |
//! | [`record`] | `record`: its pictures and videos, decoded and compared with screenshots |
//! | [`render`] | the renderer as a library: parts, palettes, posed vertices |
//! | [`report`] | the page of a report in headless Chromium, and its motions as numbers |
//! | [`sampling`] | the evaluator compared with plain ones: all shared clips, and a generated rig |
//! | [`skin_motion`] | all vertices posed at many instants, compared with the plain way |
//! | [`shadows`] | shadows on the ground: what casts them, and their edges |
//! | [`sheet`] | `sheet`: many files or clips on one picture |
//! | [`skins`] | skins, in all ways that files can write them |
//! | [`thumbnail`] | `thumbnail`: its PNG, its limits, and broken files |
//! | [`tracks`] | keys as files write them: how they play, and their warnings |
//! | [`validation`] | the commands to Vulkan, judged by its validation layer |
//! | `window` | the window: its contents without a display, and on a virtual one with real drops and keys; Linux only |
//! | [`support`] | shared parts: running the program, the shared files, small models |

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod accessors;
mod bake;
mod bake_changes;
mod bake_valid;
mod blocks;
mod bones;
mod borrowed;
mod boxes;
mod broken;
mod budget;
mod bvh;
#[cfg(feature = "fbx")]
mod characters;
mod check;
mod ci;
mod cli;
mod compare;
mod compressed;
mod compression;
mod convert;
mod convert_valid;
mod crowd;
mod curve;
mod default_look;
mod diff;
mod docs;
mod drivers;
mod examples;
#[cfg(feature = "fbx")]
mod fbx;
#[cfg(feature = "fbx")]
mod fbx_axes;
#[cfg(feature = "fbx")]
mod fbx_chains;
#[cfg(feature = "fbx")]
mod fbx_lost;
mod fbx_materials;
#[cfg(feature = "fbx")]
mod fbx_takes;
#[cfg(feature = "fbx")]
mod fbx_text;
#[cfg(feature = "fbx")]
mod fbx_visibility;
mod fix;
mod fix_clips;
mod fix_meshes;
mod fix_names;
mod fix_safety;
mod framing;
mod furnace;
mod ghosts;
mod gltf1;
mod gpus;
mod humanoids;
mod import;
mod in_place;
mod info;
mod inspect;
mod instances;
mod joint_limit;
mod joints;
mod jpeg;
mod keys;
mod layers;
mod light;
mod lines;
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
mod picking;
mod pictures;
mod pipes;
mod pose_formats;
mod poses;
mod posture;
mod properties;
mod record;
mod render;
mod report;
mod rest_to_bind;
mod retarget;
mod rules;
mod sampling;
mod shadows;
mod sheet;
mod side_files;
mod skin_motion;
mod skins;
mod structure;
mod suite;
mod support;
mod surface;
mod textures;
mod thumbnail;
mod tracks;
mod usage;
mod validation;
mod vectors;
mod vrm;
#[cfg(all(target_os = "linux", feature = "window"))]
mod window;
