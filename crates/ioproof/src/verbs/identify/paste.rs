//! `ioproof identify --from`: what another tool printed, on this machine or any other, read and judged as if the drives were here.

use crate::cli::Identify;
use crate::complaint::complaint;
use crate::drives::{Health, by_drive, facts_json, health, pasted, pasted_facts};
use crate::output::print_json;
use crate::verbs::identify::{learned, view};
use anyhow::{Context, Result};
use ioproof_pages::field::Page;
use ioproof_core::record::SCHEMA_VERSION;
use serde_json::{Value, json};
use std::io::Read;
use std::path::{Path, PathBuf};

/// More than any tool prints of any number of drives. Bytes.
const MOST_BYTES: u64 = 64 << 20;

/// Reads the files and shows each drive that is in them.
///
/// # Errors
/// When one cannot be read or nothing in it is known.
pub fn run(files: &[PathBuf], args: &Identify) -> Result<u8> {
    let mut pages = Vec::new();
    for file in files {
        let read = pasted(&read(file)?);
        let read = if files.len() > 1 { read.with_context(|| format!("cannot use {}", file.display()))? } else { read? };
        pages.extend(read.into_iter().map(|page| if files.len() > 1 { of_file(page, file) } else { page }));
    }
    let drives = by_drive(&pages);
    if args.json {
        let drives: Vec<Value> = drives.iter().map(|pages| drive_json(pages, args.raw)).collect();
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "from": files, "drives": drives }))?;
    } else {
        view::print_pasted(&drives, args.raw)?;
    }
    Ok(0)
}

/// Lines are counted in each file, so the file belongs to every source.
fn of_file(mut page: Page, file: &Path) -> Page {
    let name = file.display();
    page.fields.iter_mut().for_each(|field| field.source = format!("{name}: {}", field.source));
    Page { source: format!("{name}: {}", page.source), ..page }
}

fn drive_json(pages: &[Page], raw: bool) -> Value {
    let facts = pasted_facts(pages);
    json!({
        "name": facts.as_ref().map(|facts| &facts.name),
        "facts": facts.as_ref().map(facts_json),
        "health": health(pages).as_ref().map(Health::json),
        "pages": learned::pages(pages, raw),
    })
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
        return Err(complaint(format!("{} is larger than 64 MiB", file.display()), "give what tools printed of drives"));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
