//! `ioproof identify --from`: what another tool printed, on this machine or any other, read and judged as if the drives were here.

use crate::verbs::identify::datasheet::{self, DatasheetMatch};
use crate::verbs::identify::{IdentifyFlags, view};
use anyhow::{Context, Result};
use ioproof_core::datasheet::Catalogue;
use ioproof_core::facts::DeviceFacts;
use ioproof_inventory::drives::{DriveHealth, FactsJson, by_drive, health, pasted, pasted_facts};
use ioproof_inventory::inventory;
use ioproof_pages::field::Page;
use ioproof_process::complaint::complaint;
use ioproof_process::output::print_document;
use ioproof_session::datasheets;
use serde::Serialize;
use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Output of some five hundred drives. Bytes.
const MOST_BYTES: u64 = 8 << 20;

pub fn run(files: &[PathBuf], args: &IdentifyFlags) -> Result<u8> {
    let mut pages = Vec::new();
    for file in files {
        let read = pasted(&read(file)?);
        let read = if files.len() > 1 { read.with_context(|| format!("cannot use {}", file.display()))? } else { read? };
        pages.extend(read.into_iter().map(|page| if files.len() > 1 { of_file(page, file) } else { page }));
    }
    let drives = by_drive(&pages);
    if args.json {
        let facts: Vec<Option<DeviceFacts>> = drives.iter().map(|pages| pasted_facts(pages)).collect();
        let catalogue = datasheets::catalogue();
        let pairs = facts.iter().zip(&drives);
        let drives = pairs.map(|(facts, pages)| PastedDriveJson::new(facts.as_ref(), pages, args.raw, &catalogue)).collect();
        print_document(&PasteDocument { from: files.iter().map(|file| file.to_string_lossy()).collect(), drives })?;
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

#[derive(Serialize)]
struct PastedDriveJson<'a> {
    name: Option<&'a str>,
    facts: Option<FactsJson<'a>>,
    health: Option<DriveHealth>,
    datasheet: DatasheetMatch,
    pages: Vec<Page>,
}

impl<'a> PastedDriveJson<'a> {
    fn new(facts: Option<&'a DeviceFacts>, pages: &[Page], raw: bool, catalogue: &Catalogue) -> Self {
        Self {
            name: facts.map(|facts| facts.name.as_str()),
            facts: facts.map(FactsJson::new),
            health: health(facts.map_or("", |facts| &facts.name), pages),
            datasheet: datasheet::of(catalogue, facts),
            pages: inventory::pages(pages, raw),
        }
    }
}

/// The document of `identify --from FILE --json`.
#[derive(Serialize)]
struct PasteDocument<'a> {
    from: Vec<Cow<'a, str>>,
    drives: Vec<PastedDriveJson<'a>>,
}

fn read(file: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        std::io::stdin().take(MOST_BYTES + 1).read_to_end(&mut bytes).context("cannot read standard input")?;
    } else {
        bytes = ioproof_target::read_input(file, MOST_BYTES + 1).with_context(|| format!("cannot read {}", file.display()))?;
    }
    if bytes.len() as u64 > MOST_BYTES {
        let text = format!("{} is larger than {} MiB", file.display(), MOST_BYTES >> 20);
        return Err(complaint(text, "give what tools printed of fewer drives at a time"));
    }
    String::from_utf8(bytes).or_else(|wrong| Ok(String::from_utf8_lossy(wrong.as_bytes()).into_owned()))
}
