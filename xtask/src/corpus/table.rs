//! The table: how many files came out how, reasons by frequency, and what is shown otherwise.

use super::fio::{Compared, Outcome};
use super::ran::{Ran, RanFile};
use std::collections::BTreeMap;
use std::path::Path;

pub fn table(folder: &Path, all: &[Compared]) -> String {
    let count = |is_so: fn(&Outcome) -> bool| all.iter().filter(|file| is_so(&file.outcome)).count();
    let (same, shown) = (count(|o| *o == Outcome::Same), count(|o| matches!(o, Outcome::Shown(..))));
    let rows = [
        ("files", all.len()),
        ("accepted by both", same + shown),
        ("  shown as the same command line", same),
        ("  shown otherwise", shown),
        ("refused by both", count(|o| matches!(o, Outcome::Neither(_)))),
        ("accepted by fio only", count(|o| matches!(o, Outcome::FioOnly(_)))),
        ("accepted by ioproof only", count(|o| matches!(o, Outcome::IoproofOnly(_)))),
    ];
    let mut text: String = rows.iter().map(|(title, number)| format!("{title:<34} {number:>6}\n")).collect();
    text.push_str(&by_frequency("Accepted by fio only; ioproof says", folder, all, |outcome| match outcome {
        Outcome::FioOnly(reasons) => reasons.clone(),
        _ => Vec::new(),
    }));
    text.push_str(&by_frequency("Accepted by ioproof only; fio says", folder, all, |outcome| match outcome {
        Outcome::IoproofOnly(reason) => vec![reason.clone()],
        _ => Vec::new(),
    }));
    text.push_str(&by_frequency("Refused by both; fio says", folder, all, |outcome| match outcome {
        Outcome::Neither(reason) => vec![reason.clone()],
        _ => Vec::new(),
    }));
    text.push_str(&by_frequency("Shown otherwise, by fio and by ioproof", folder, all, |outcome| match outcome {
        Outcome::Shown(theirs, ours) => vec![format!("{theirs}  {ours}")],
        _ => Vec::new(),
    }));
    text
}

/// Files that were run by their outcome, and each difference.
pub fn runs(folder: &Path, all: &[RanFile]) -> String {
    let count = |is_so: fn(&Ran) -> bool| all.iter().filter(|file| is_so(&file.ran)).count();
    let rows = [
        ("run", all.len()),
        ("  the same I/Os", count(|ran| *ran == Ran::Same)),
        ("  another share of reads", count(|ran| matches!(ran, Ran::Split(_)))),
        ("  another number of I/Os", count(|ran| matches!(ran, Ran::Ios(_)))),
        ("  only one ends with zero", count(|ran| matches!(ran, Ran::Exit(_)))),
        ("  none ends with zero", count(|ran| matches!(ran, Ran::Neither(_)))),
    ];
    let rows: String = rows.iter().map(|(title, number)| format!("{title:<34} {number:>6}\n")).collect();
    let difference = |file: &RanFile| match &file.ran {
        Ran::Same => None,
        Ran::Split(said) | Ran::Ios(said) | Ran::Exit(said) | Ran::Neither(said) => {
            Some(format!("{}\n        {said}\n", file.path.strip_prefix(folder).unwrap_or(&file.path).display()))
        }
    };
    let differences: String = all.iter().filter_map(difference).collect();
    format!("\n{rows}\nDifferences: reads/writes/trims/syncs of each job\n{differences}")
}

/// Reasons with the number of files that have them, most frequent first, each with the first of its files; empty without any.
fn by_frequency(title: &str, folder: &Path, all: &[Compared], reasons: impl Fn(&Outcome) -> Vec<String>) -> String {
    let mut files: BTreeMap<String, Vec<&Path>> = BTreeMap::new();
    for file in all {
        reasons(&file.outcome).into_iter().for_each(|reason| files.entry(reason).or_default().push(&file.path));
    }
    if files.is_empty() {
        return String::new();
    }
    let mut rows: Vec<_> = files.into_iter().collect();
    rows.sort_by_key(|(_, files)| std::cmp::Reverse(files.len()));
    let row = |(reason, files): &(String, Vec<&Path>)| {
        let first = files[0].strip_prefix(folder).unwrap_or(files[0]);
        format!("{:>6}  {reason}\n        {}\n", files.len(), first.display())
    };
    format!("\n{title}\n{}", rows.iter().map(row).collect::<String>())
}
