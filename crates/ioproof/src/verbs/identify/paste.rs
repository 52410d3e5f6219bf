//! `ioproof identify --from`: what another tool printed, on this machine or any other, read and judged as if the drive were here.

use crate::cli::Identify;
use crate::complaint::complaint;
use crate::drives::{health, pasted};
use crate::output::print_json;
use crate::verbs::identify::{learned, view};
use anyhow::{Context, Result};
use ioproof_core::record::SCHEMA_VERSION;
use serde_json::json;
use std::io::Read;
use std::path::Path;

/// More than any tool prints of one drive. Bytes.
const MOST_BYTES: u64 = 64 << 20;

/// Reads the file and shows what is in it.
///
/// # Errors
/// When it cannot be read or nothing in it is known.
pub fn run(file: &Path, args: &Identify) -> Result<u8> {
    let text = read(file)?;
    let pages = pasted(&text)?;
    let health = health(&pages);
    if args.json {
        let health = health.map(|h| json!({ "state": h.word, "reasons": h.reasons }));
        let pages = learned::pages(&pages, args.raw);
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "from": file, "health": health, "pages": pages }))?;
    } else {
        view::print_pasted(&pages, health.as_ref(), args.raw)?;
    }
    Ok(0)
}

fn read(file: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        std::io::stdin().take(MOST_BYTES + 1).read_to_end(&mut bytes).context("cannot read standard input")?;
    } else {
        let source = std::fs::File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
        source.take(MOST_BYTES + 1).read_to_end(&mut bytes).with_context(|| format!("cannot read {}", file.display()))?;
    }
    if bytes.len() as u64 > MOST_BYTES {
        return Err(complaint(format!("{} is larger than 64 MiB", file.display()), "give what one tool printed of one drive"));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
