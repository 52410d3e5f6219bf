//! Answers to `--cmdhelp` and `--enghelp`, from the table of options.

use ioproof_fio::options::{self, OptionRow};
use ioproof_fio::settings::EngineName;
use std::fmt::Write;

pub fn list() -> String {
    options::rows().fold(String::new(), |mut text, row| {
        let _ = writeln!(text, "{:<28} {:<13} {}", row.name, row.treatment.word(), row.help);
        text
    })
}

/// All about one option; `None` where there is none of this name.
pub fn page(name: &str) -> Option<String> {
    options::find(name).map(about)
}

fn about(row: &OptionRow) -> String {
    let mut text = format!("{}: {}\n  value: {}\n  {}", row.name, row.help, row.kind.describe(), row.treatment.word());
    let said = [(": ", row.treatment.text().to_owned()), ("\n  also: ", row.aliases.join(", ")), ("\n  engines: ", row.engines.join(", "))];
    for (before, words) in said.into_iter().filter(|(_, words)| !words.is_empty()) {
        let _ = write!(text, "{before}{words}");
    }
    text.push('\n');
    text
}

pub fn engines() -> String {
    EngineName::ALL.iter().map(|(word, _)| format!("{word}\n")).collect()
}
