//! FBX: ufbx parses the file and evaluates its properties; this folder converts the result to a glTF
//! document, which the rest of the importer reads.
//!
//! - `text` checks the sections of text files, whose end ufbx does not see.
//! - `scene` reads the file with ufbx under our limits. Units and axes are converted there: metres, Y up.
//! - `rig` makes nodes of translation, rotation and scale, with helper nodes where glTF's product of
//!   matrices can't express how an FBX node inherits scale.
//! - `mesh`, `skin` and `shapes` make meshes, `mesh_nodes` the nodes that show them; `material` and `texture` what they
//!   look like.
//! - `takes` turns each take into a clip of linear keys with a bounded error (`sampling`, `turns`), because FBX
//!   animates Euler angles and pivots with cubic curves.

#[cfg(test)]
mod accuracy_tests;
mod curves;
mod facts;
mod geometric;
mod light;
mod load;
mod material;
mod mesh;
mod mesh_nodes;
mod properties;
mod raster;
mod reach;
mod rig;
mod sampling;
mod scene;
mod shapes;
mod skin;
mod stack;
mod takes;
mod text;
mod texture;
mod turns;
mod unlike;
mod visibility;

pub(super) use load::load;
