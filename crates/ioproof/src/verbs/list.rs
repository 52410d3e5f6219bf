//! `ioproof list`: one line a drive. Whoever may read a drive also learns what it holds by the signatures on it.

use crate::columns::{fitting, natural};
use crate::verbs::device;
use crate::verbs::doctor::scope::DoctorScope;
use anyhow::Result;
use clap::Args;
use ioproof_core::facts::DriveKind;
use ioproof_core::text::visible;
use ioproof_core::units::decimal_size;
use ioproof_inventory::drives::{self, DriveHealth, FactsJson, HolderJson, KnownDrive, add_traces, is_drive, is_root, short_uses, shown};
use ioproof_process::{messages, output};
use ioproof_target::{BoundDrive, Holder, System};
use serde::Serialize;
use std::path::PathBuf;

pub const EXAMPLES: &str = "Examples:
  ioproof list                            the drives of this machine; as root also their health
  ioproof list --all                      loop, zram, device-mapper and md as well
  ioproof list --json                     for programs";

/// Flags of `list`.
#[derive(Debug, Args)]
pub struct ListFlags {
    /// Only the drives that these are or lie on: devices, kernel names, files, directories
    #[arg(value_name = "TARGET")]
    pub targets: Vec<PathBuf>,
    /// Also loop, zram, device-mapper and md devices
    #[arg(long)]
    pub all: bool,
    /// Print JSON on standard output
    #[arg(long)]
    pub json: bool,
}

/// Runs the verb.
///
/// # Errors
/// When there is no such target, or standard output takes no more.
pub fn run(args: &ListFlags) -> Result<u8> {
    let system = System::host();
    let mut names = chosen(&system, args)?;
    names.sort_by_key(|name| natural(name));
    names.dedup();
    let drives: Vec<DriveLine> = names.iter().map(|name| DriveLine::look(&system, name)).collect();
    if args.json {
        return output::print_field("drives", &drives.iter().map(DriveLine::json).collect::<Vec<_>>()).map(|()| 0);
    }
    print(&drives)?;
    explain(&drives);
    ioproof_target::bound_drives(&system).iter().filter(|_| args.targets.is_empty()).for_each(tell_bound);
    Ok(0)
}

/// Says that the kernel does not have a drive at the moment.
fn tell_bound(drive: &BoundDrive) {
    let targets = drive.names().into_iter().map(|target| format!("'{target}'")).collect::<Vec<_>>().join(", ");
    let (shown, serial) = (device::shown(drive), visible(&drive.serial));
    let iommu = if drive.is_confined() { "" } else { ", behind no IOMMU" };
    messages::note(&format!("{shown} is bound to ioproof's own driver{iommu}: {targets}; `ioproof device unbind {serial}` gives it back"));
}

/// All drives, or those of the targets; with `--all` also what lies between, and what was named itself.
fn chosen(system: &System, args: &ListFlags) -> Result<Vec<String>> {
    if args.targets.is_empty() {
        let mut names = ioproof_target::disks(system);
        names.retain(|name| args.all || is_drive(system, name));
        return Ok(names);
    }
    let mut names = Vec::new();
    for target in &args.targets {
        let scope = DoctorScope::under(system, target)?;
        scope.note.iter().for_each(|note| messages::note(note));
        let layers = if args.all || scope.drives.is_empty() { scope.layers } else { scope.named };
        names.extend(scope.drives.into_iter().chain(layers));
    }
    Ok(names)
}

struct DriveLine {
    drive: KnownDrive,
    above: Option<Holder>,
    problems: Vec<String>,
}

impl DriveLine {
    fn look(system: &System, name: &str) -> Self {
        let (mut above, problems) = drives::above(system, name);
        let mut drive = KnownDrive::look(system, name, None);
        if let Some(unread) = above.as_mut().and_then(|above| add_traces(system, above)) {
            drive.root_would_add |= !is_root();
            drive.missing.push(unread);
        }
        Self { drive, above, problems }
    }

    fn cells(&self) -> [String; 8] {
        let facts = &self.drive.facts;
        let model = match facts.kind {
            DriveKind::Virtio if facts.model.is_none() => "(virtio)".to_owned(),
            DriveKind::Loop => {
                let file = self.above.as_ref().and_then(|above| above.label.as_deref());
                file.map_or_else(|| "(loop)".to_owned(), |file| format!("(loop) {}", visible(file)))
            }
            DriveKind::Zram => "(zram, memory)".to_owned(),
            _ => shown(facts.model.as_ref()),
        };
        let uses: Vec<String> = self.above.as_ref().map(short_uses).unwrap_or_default();
        [
            facts.name.clone(),
            model,
            shown(facts.serial.as_ref()),
            decimal_size(facts.capacity_bytes.value),
            shown(facts.firmware.as_ref()),
            self.drive.health().map_or_else(|| "-".to_owned(), |health| health.word),
            facts.link.as_ref().map_or_else(|| "-".to_owned(), |link| link.title.clone()),
            if uses.is_empty() { "-".to_owned() } else { visible(&uses.join(", ")) },
        ]
    }

    fn json(&self) -> LineJson<'_> {
        LineJson {
            name: &self.drive.facts.name,
            facts: FactsJson::new(&self.drive.facts),
            health: self.drive.health(),
            stands_on_it: self.above.as_ref().map(HolderJson::new),
            missing: &self.drive.missing,
            problems: &self.problems,
            root_would_add: self.drive.root_would_add,
        }
    }
}

#[derive(Serialize)]
struct LineJson<'a> {
    name: &'a str,
    facts: FactsJson<'a>,
    health: Option<DriveHealth>,
    stands_on_it: Option<HolderJson<'a>>,
    missing: &'a [String],
    problems: &'a [String],
    root_would_add: bool,
}

/// Columns that may be left out where the terminal is narrow, the least important first: firmware, link, serial, model, health.
const SPARE: [usize; 5] = [4, 6, 2, 1, 5];

const HEADER: [&str; 8] = ["name", "model", "serial", "size", "firmware", "health", "link", "used by"];

fn print(drives: &[DriveLine]) -> Result<()> {
    if drives.is_empty() {
        messages::say("no drives here; `ioproof list --all` also shows loop, zram, device-mapper and md devices");
        return Ok(());
    }
    let mut rows = vec![HEADER.map(str::to_owned)];
    rows.extend(drives.iter().map(DriveLine::cells));
    output::print_lines(fitting(&rows, output::columns(), &SPARE))
}

fn explain(drives: &[DriveLine]) {
    for problem in drives.iter().flat_map(|line| &line.problems).take(1) {
        messages::note(&format!("what uses the drives could not be told in full: {problem}"));
    }
    if !is_root() && drives.iter().any(|line| line.drive.root_would_add) {
        messages::say("root would add: health, what each drive says of itself, and what it holds");
    }
}
