//! `rigview gpus`: lists the GPU adapters and their capabilities.

use std::io::{self, Write};

use crate::cli::args::GpusArgs;
use crate::cli::choice::adapter;
use crate::cli::failure::Result;
use crate::cli::output::{print, write_json_line};
use rigview_import::escaped;
use rigview_render::{AdapterReport, adapters};

pub fn run(args: &GpusArgs) -> Result {
    let list = adapters(&adapter(&args.gpu))?;
    if args.json {
        return print(|out| write_json_line(out, &list));
    }
    print(|out| {
        list.adapters.iter().try_for_each(|adapter| write_text(out, adapter))?;
        list.left_out.iter().try_for_each(|what| writeln!(out, "{}", escaped(what)))
    })
}

fn write_text(out: &mut dyn Write, adapter: &AdapterReport) -> io::Result<()> {
    let AdapterReport { name, backend, kind, limits, .. } = adapter;
    let default = if adapter.default { ", used by default" } else { "" };
    writeln!(out, "{} ({backend}): {kind}{default}", escaped(name))?;
    let driver: Vec<String> = [&adapter.driver, &adapter.driver_info]
        .into_iter()
        .filter(|text| !text.is_empty())
        .map(|text| escaped(text))
        .collect();
    if !driver.is_empty() {
        writeln!(out, "  driver           {}", driver.join(", "))?;
    }
    let side = limits.max_texture_size;
    writeln!(out, "  largest picture  {side}x{side} pixels")?;
    writeln!(out, "  largest buffer   {}", bytes(limits.max_buffer_bytes))?;
    writeln!(out, "  largest binding  {}", bytes(limits.max_storage_binding_bytes))?;
    let features = if adapter.features.is_empty() {
        "no optional ones".to_owned()
    } else {
        adapter.features.join(", ")
    };
    writeln!(out, "  features         {features}")
}

/// Formats a number of bytes with a binary unit: `1.5 MiB`.
fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let text = format!("{value:.1}");
    format!("{} {}", text.trim_end_matches(".0"), UNITS[unit])
}
