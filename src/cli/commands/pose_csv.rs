//! Prints poses as CSV (RFC 4180): a header, then a row per node, and per vertex where asked, of each time.

use std::io::{self, Write};

use rigview_import::escaped;
use rigview_report::{NodePose, PoseReport};

/// The columns that all rows have; those of a node follow.
const FIRST: [&str; 9] = ["time", "kind", "node", "name", "primitive", "vertex", "x", "y", "z"];
const LOCAL: [&str; 10] = [
    "translation_x",
    "translation_y",
    "translation_z",
    "rotation_x",
    "rotation_y",
    "rotation_z",
    "rotation_w",
    "scale_x",
    "scale_y",
    "scale_z",
];

/// Entries of the matrix to the scene.
const WORLD: usize = 16;

/// Writes the names of the columns.
pub fn write_header(out: &mut dyn Write) -> io::Result<()> {
    let world = (0..WORLD).map(|i| format!("world_{i}"));
    let names = FIRST.into_iter().chain(LOCAL).map(str::to_owned).chain(world);
    let names: Vec<String> = names.chain(["weights".to_owned()]).collect();
    write_row(out, &names)
}

/// Writes the rows of one time. Numbers that are not finite are empty.
pub fn write_rows(out: &mut dyn Write, time: f64, pose: &PoseReport) -> io::Result<()> {
    for node in &pose.nodes {
        write_row(out, &node_row(time, node))?;
    }
    let rest = LOCAL.len() + WORLD + 1;
    for sample in &pose.vertices {
        let node = pose.nodes.get(sample.node);
        let name = node.map(|node| escaped(&node.name)).unwrap_or_default();
        for (vertex, position) in sample.index.iter().zip(&sample.position) {
            let mut row = vec![time.to_string(), "vertex".into(), sample.node.to_string()];
            row.extend([name.clone(), sample.primitive.to_string(), vertex.to_string()]);
            match position {
                Some(position) => row.extend(position.iter().map(|x| number(*x))),
                None => row.extend([const { String::new() }; 3]),
            }
            row.resize(row.len() + rest, String::new());
            write_row(out, &row)?;
        }
    }
    Ok(())
}

fn node_row(time: f64, node: &NodePose) -> Vec<String> {
    let mut row = vec![time.to_string(), "node".into(), node.index.to_string()];
    row.extend([escaped(&node.name), String::new(), String::new()]);
    row.extend((12..15).map(|i| node.world.get(i).map_or(String::new(), |x| number(*x))));
    let part = |list: Option<&[f32]>, count: usize| {
        let list = list.unwrap_or_default();
        (0..count).map(|i| list.get(i).map_or(String::new(), |x| number(*x))).collect::<Vec<_>>()
    };
    row.extend(part(node.translation.as_ref().map(|t| &t[..]), 3));
    row.extend(part(node.rotation.as_ref().map(|r| &r[..]), 4));
    row.extend(part(node.scale.as_ref().map(|s| &s[..]), 3));
    row.extend(part(Some(&node.world), WORLD));
    let weights = node.weights.iter().flatten().map(|x| number(*x));
    row.push(weights.collect::<Vec<_>>().join(" "));
    row
}

fn number(x: f32) -> String {
    if x.is_finite() { x.to_string() } else { String::new() }
}

fn write_row(out: &mut dyn Write, row: &[String]) -> io::Result<()> {
    for (i, field) in row.iter().enumerate() {
        if i > 0 {
            out.write_all(b",")?;
        }
        match field.contains([',', '"', '\n', '\r']) {
            true => write!(out, "\"{}\"", field.replace('"', "\"\""))?,
            false => out.write_all(field.as_bytes())?,
        }
    }
    out.write_all(b"\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_commas_and_quotes_are_one_field() {
        let mut out = Vec::new();
        write_row(&mut out, &["a".into(), "b, \"c\"".into(), String::new()]).unwrap();
        assert_eq!(out, b"a,\"b, \"\"c\"\"\",\r\n");
    }
}
