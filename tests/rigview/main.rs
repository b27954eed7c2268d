//! What is tested from outside, in one program.
//!
//! | module | holds |
//! |---|---|
//! | [`structure`] | the rules of the code that the compiler can't hold |
//! | [`bake`] | `bake`: files written again with a sampled clip |
//! | [`blocks`] | KTX2 pictures in the forms that adapters read |
//! | [`bones`] | animated nodes without a mesh: their bones, and how they are framed |
//! | [`broken`] | files with one defect each, and the warning that tells it |
//! | [`budget`] | products that a small file names: refused before they are made |
//! | [`borrowed`] | `--clips-from`: clips of one file on the rig of another |
//! | [`crowd`] | many of one model in one picture, and how long it takes |
//! | [`cli`] | the command line's contract: exit codes, messages, files, bytes |
//! | [`gpus`] | `gpus`: the adapters, and those that are not there |
//! | [`outputs`] | where `-o` leads: devices, FIFOs, links, inputs, and what must not stay behind |
//! | [`side_files`] | `--pose`, `--environment`, `--script`: types, sizes, warnings, pictures of poses |
//! | [`usage`] | mistyped commands and options, and the headings of help |
//! | [`gltf1`] | glTF 1.0: a small file, odd ones, and poses beside those of 2.0 |
//! | [`compression`] | smaller forms of clips: half floats, the bound of reduced keys, `info --compression` |
//! | [`curve`] | `rigview curve`: tracks as pictures and numbers |
//! | [`examples`] | the programs of `examples/`, and what they print and draw |
//! | [`compressed`] | compressed geometry, whole and broken |
//! | [`info`] | `info`: what it counts and names |
//! | [`import`] | the importer as a library: all shared models, and small files' numbers |
//! | [`instances`] | meshes that are drawn several times |
//! | [`pictures`] | which of a texture's pictures is shown, and KTX2 |
//! | [`poses`] | `pose` and `pose --gpu` against the numeric oracles |
//! | [`jpeg`] | JPEG pictures of every kind, by the colours that were written |
//! | [`layers`] | layers of materials that only a clip strengthens |
//! | [`properties`] | visibility, cameras and lights that animations drive |
//! | [`masks`] | `screenshot --pass mask` against the reference silhouettes |
//! | [`materials`] | materials by values worked out by hand, and against other renderers |
//! | [`furnace`] | light that is the same from everywhere: nothing gains any, white loses none |
//! | [`textures`] | textures that are missing, tiny, too large or too many |
//! | [`morphs`] | morph targets of every attribute, by values worked out by hand |
//! | [`posture`] | which models seem to lie on their back, and that they stand when stood up |
//! | [`passes`] | what each pass shows, in pixels that can be counted |
//! | [`names`] | joint names: fonts, direction, what is left of them, and that they keep off bones |
//! | [`normals`] | `--pass normal` against normals worked out by hand |
//! | [`light`] | lights, environments, shadows and tone maps against numbers worked out by hand |
//! | [`lines`] | lines a pixel wide, by how much of each pixel they cover |
//! | [`render`] | the renderer as a library: parts, palettes, posed vertices |
//! | [`sampling`] | the evaluator against plain ones: all shared clips, and a made-up rig |
//! | [`skins`] | skins by numbers worked out by hand, in every way that they can be written |
//! | [`tracks`] | keys as files write them: what is played, and what is told |
//! | `window` | the window on a display of its own: scripts, real drops and keys; Linux only |
//! | [`support`] | what they share: running the program, the shared files, small models |

mod bake;
mod blocks;
mod bones;
mod borrowed;
mod broken;
mod budget;
mod cli;
mod compressed;
mod compression;
mod crowd;
mod curve;
mod examples;
mod furnace;
mod gl;
mod gltf1;
mod gpus;
mod import;
mod info;
mod instances;
mod jpeg;
mod layers;
mod light;
mod lines;
mod masks;
mod materials;
mod morphs;
mod names;
mod normals;
mod outputs;
mod passes;
mod pictures;
mod poses;
mod posture;
mod properties;
mod render;
mod sampling;
mod side_files;
mod skins;
mod structure;
mod support;
mod surface;
mod textures;
mod tracks;
mod usage;
#[cfg(all(target_os = "linux", feature = "window"))]
mod window;
