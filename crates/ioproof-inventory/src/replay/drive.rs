//! One drive of a capture: the kernel's facts from the captured tree, and the drive's answers decoded again by the tables of today.

use crate::answers::{self, slug};
use crate::contents::DriveContents;
use crate::drives::KnownDrive;
use crate::replay::wire::KeptAnswers;
use ioproof_core::facts::{DriveKind, StackNode};
use ioproof_device::{nvme_pages_over, scsi_pages_over};
use ioproof_pages::field::Page;
use ioproof_target::System;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The drive, from the tree and `pages/NAME`. `told` is what `capture.json` says of it, where there is one.
pub fn drive(system: &System, folder: &Path, node: &StackNode, told: Option<&DriveContents>) -> KnownDrive {
    let mut drive = KnownDrive::by_the_stack(system, node);
    let told = told.cloned().unwrap_or_else(|| made_up(node));
    drive.missing.clone_from(&told.missing);
    drive.root_would_add = told.root_would_add;
    let mut files = AnswerFiles::read(folder, &told);
    drive.missing.append(&mut files.problems);
    if files.is_empty() {
        drive.missing.extend(nothing(&drive, &told));
    } else {
        drive.pages.extend(files.pages(drive.facts.kind, &mut drive.missing));
    }
    drive
}

/// Of a folder that somebody made by hand.
fn made_up(node: &StackNode) -> DriveContents {
    DriveContents { name: node.name.clone(), node: format!("/dev/{}", node.name.replace('!', "/")), ..DriveContents::default() }
}

/// A drive that takes commands and has no answers needs a line, unless there is one.
fn nothing(drive: &KnownDrive, told: &DriveContents) -> Option<String> {
    let takes = matches!(drive.facts.kind, DriveKind::Nvme | DriveKind::Sata | DriveKind::Scsi);
    (takes && told.missing.is_empty()).then(|| format!("the capture has no answers of {}", told.name))
}

struct AnswerFiles {
    kept: KeptAnswers,
    told: Vec<(String, Page)>,
    order: Vec<String>,
    /// Name of a file that ought to be there, with its slug.
    absent: Vec<(String, String)>,
    problems: Vec<String>,
}

impl AnswerFiles {
    fn read(folder: &Path, drive: &DriveContents) -> Self {
        let below = format!("pages/{}", drive.name.replace('/', "!"));
        let kept = KeptAnswers { node: drive.node.clone(), denied: drive.root_would_add, ..KeptAnswers::default() };
        let mut files = Self { kept, told: Vec::new(), order: Vec::new(), absent: Vec::new(), problems: Vec::new() };
        let entries = fs::read_dir(folder.join(&below)).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        for name in &names {
            if let Err(problem) = files.file(&folder.join(&below).join(name), name) {
                files.problems.push(format!("{below}/{name} is left out: {problem}"));
            }
        }
        for name in drive.answers.iter().filter(|name| !names.contains(name)) {
            files.problems.push(format!("the capture lacks {below}/{name}"));
            files.absent.extend(answers::parts(name).map(|(slug, _)| (format!("{below}/{name}"), slug.to_owned())));
        }
        files
    }

    fn file(&mut self, path: &Path, name: &str) -> Result<(), String> {
        let Some((slug, end)) = answers::parts(name) else { return Err("its name is not NUMBER-COMMAND.bin or .json".to_owned()) };
        let bytes = ioproof_target::read_own(path, 4 << 20).map_err(|error| error.to_string())?;
        match end {
            "bin" => self.kept.answers.push((slug.to_owned(), bytes)),
            "json" => {
                let page = serde_json::from_slice(&bytes).map_err(|error| format!("it holds no page: {error}"))?;
                self.kept.told.insert(slug.to_owned());
                self.told.push((slug.to_owned(), page));
            }
            _ => return Err("its name ends neither with .bin nor with .json".to_owned()),
        }
        self.order.push(slug.to_owned());
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Asks the folder as the drive was asked.
    fn pages(mut self, kind: DriveKind, missing: &mut Vec<String>) -> Vec<Page> {
        let is_nvme = kind == DriveKind::Nvme || self.order.iter().any(|slug| slug.starts_with("identify-cns-"));
        let asked = if is_nvme { nvme_pages_over(&mut self.kept) } else { scsi_pages_over(&mut self.kept) };
        let pages = asked.unwrap_or_else(|error| {
            missing.push(error.to_string());
            Vec::new()
        });
        missing.extend(self.unread());
        let pages = pages.into_iter().filter_map(|page| self.settled(page)).collect();
        self.with_others(pages)
    }

    fn unread(&self) -> Vec<String> {
        let known: BTreeSet<&str> = self.kept.asked.iter().map(String::as_str).collect();
        let left: Vec<&str> = self.kept.answers.iter().map(|(slug, _)| slug.as_str()).filter(|slug| !known.contains(slug)).collect();
        if left.is_empty() {
            return Vec::new();
        }
        vec![format!(
            "these answers of {} were not read, because what leads to them is missing or damaged: {}",
            self.kept.node,
            left.join(", ")
        )]
    }

    /// A page without an answer becomes the one that was captured, or says which file is missing; one that was never asked for is dropped.
    fn settled(&self, page: Page) -> Option<Page> {
        let slug = answers::asked(&page.source).map(|(command, _)| slug(command)).unwrap_or_default();
        let is_answered = !page.raw.is_empty() || self.kept.answers.iter().any(|(own, _)| *own == slug);
        if is_answered {
            return Some(page);
        }
        if let Some((_, told)) = self.told.iter().find(|(own, _)| *own == slug) {
            let denied = page.problems.into_iter().filter(|problem| problem.contains("root would add") && !told.problems.contains(problem));
            return Some(Page { problems: told.problems.iter().cloned().chain(denied).collect(), ..told.clone() });
        }
        let (file, _) = self.absent.iter().find(|(_, own)| *own == slug)?;
        Some(Page { problems: vec![format!("the capture lacks {file}")], ..page })
    }

    /// Adds pages that are no answers of the drive (smartctl), each before the answer that followed it.
    fn with_others(&self, mut pages: Vec<Page>) -> Vec<Page> {
        let of = |page: &Page| answers::asked(&page.source).map(|(command, _)| slug(command)).unwrap_or_default();
        for (own, page) in self.told.iter().filter(|(_, page)| answers::asked(&page.source).is_none()) {
            let at = self.order.iter().position(|slug| slug == own).unwrap_or(self.order.len());
            let followed = self.order[at..].iter().skip(1).find_map(|next| pages.iter().position(|page| of(page) == *next));
            pages.insert(followed.unwrap_or(pages.len()), page.clone());
        }
        pages
    }
}
