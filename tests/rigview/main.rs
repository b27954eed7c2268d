//! The tests of the library from outside, and those that compare the program with it, in one program.
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
//! | [`crowd`] | many instances of a model in one picture, and their timing |
//! | [`characters`] | FBX and BVH compared with the shared oracles; broken files |
//! | [`convert`] | `convert`: what it writes, and the distance that it prints |
//! | [`diff_bounds`] | the distances of `diff` compared with those of all vertices |
//! | [`fbx`] | small FBX files whose numbers are worked out by hand |
//! | [`fbx_materials`] | their textures and transparency |
//! | [`fbx_text`] | their text: cut short, badly edited, or in several forms |
//! | [`fbx_takes`] | their takes: fast turns, spans, poses without keys, and what is interpolated otherwise |
//! | [`fbx_axes`] | their coordinate systems, right- and left-handed |
//! | [`fbx_chains`] | work that small files must not multiply |
//! | [`fbx_visibility`] | their nodes that appear, disappear and fade |
//! | [`bvh`] | small BVH files |
//! | [`gltf1`] | glTF 1.0: a small file, invalid ones, and poses compared with those of 2.0 |
//! | [`compression`] | smaller forms of clips: half floats, the error bound of reduced keys, `info --compression` |
//! | [`compressed`] | compressed geometry, valid and broken |
//! | [`vrm`] | VRM: bones, expressions, springs, and VRM animations |
//! | [`import`] | the importer as a library: all shared models, and the numbers of small files |
//! | [`instances`] | EXT_mesh_gpu_instancing |
//! | [`picking`] | picks of the GPU compared with ray casts of the exact pose |
//! | [`pictures`] | the choice between a texture's images, and KTX2 |
//! | [`poses`] | `pose` and `pose --gpu` compared with numeric oracles |
//! | [`joint_limit`] | skins with a limit of joints |
//! | [`keys`] | keys of every component type, and the warnings about unusual ones |
//! | [`layers`] | material layers that get their strength from a clip |
//! | [`properties`] | animated visibility, cameras, lights and materials |
//! | [`textures`] | missing, tiny, too large and too many textures |
//! | [`posture`] | models that lie on their back |
//! | [`lines`] | lines one pixel wide, measured by the coverage of each pixel |
//! | [`render`] | the renderer as a library: parts, palettes, posed vertices |
//! | [`report`] | the page of a report in headless Chromium, and its motions as numbers |
//! | [`sampling`] | the evaluator compared with plain ones: all shared clips, and a generated rig |
//! | [`skin_motion`] | all vertices posed at many instants, compared with the plain way |
//! | [`tracks`] | keys as files write them: how they play, and their warnings |
//! | `window` | the window: its contents without a display, and on a virtual one with real drops and keys; Linux only |
//! | [`support`] | shared parts: running the program, the shared files, small models |

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod accessors;
mod bake;
mod bake_changes;
mod bake_valid;
mod blocks;
mod bones;
mod boxes;
mod broken;
mod budget;
mod bvh;
#[cfg(feature = "fbx")]
mod characters;
mod compressed;
mod compression;
mod convert;
mod convert_valid;
mod crowd;
mod diff_bounds;
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
mod fix_clips;
mod fix_names;
mod framing;
mod gltf1;
mod import;
mod in_place;
mod inspect;
mod instances;
mod joint_limit;
mod keys;
mod layers;
mod lines;
mod picking;
mod pictures;
mod poses;
mod posture;
mod properties;
mod render;
mod report;
mod sampling;
mod skin_motion;
mod structure;
mod support;
mod surface;
mod textures;
mod tracks;
mod vectors;
mod vrm;
#[cfg(all(target_os = "linux", feature = "window"))]
mod window;
