//! The matrix of causes against answers, as lines for the screen and as the page. Pure.

use super::cause::Cause;
use super::grade::Grade;
use super::trial::Trial;

pub struct Row<'a> {
    pub cause: &'a Cause,
    pub told: Told,
}

pub enum Told {
    Tried(Vec<Trial>),
    Without(String),
    Failed(String),
}

impl Told {
    pub fn grade(&self) -> Option<Grade> {
        self.trials().iter().map(|trial| trial.graded.grade).max()
    }

    fn trials(&self) -> &[Trial] {
        if let Self::Tried(trials) = self { trials } else { &[] }
    }

    fn shown(&self) -> Option<&Trial> {
        self.trials().iter().find(|trial| Some(trial.graded.grade) == self.grade())
    }

    /// A letter a trial, a small one beside a loaded host.
    fn letters(&self) -> String {
        let letter = |trial: &Trial| {
            let letter = trial.graded.grade.letter();
            if trial.loaded { letter.to_ascii_lowercase() } else { letter }
        };
        self.trials().iter().map(letter).collect()
    }

    fn text(&self) -> String {
        match self {
            Self::Without(reason) => format!("not tried: {reason}"),
            Self::Failed(reason) => format!("could not be made: {reason}"),
            Self::Tried(_) => self.shown().map_or(String::new(), |trial| trial.said.line()),
        }
    }

    fn faults(&self) -> String {
        self.shown().map_or(String::new(), |trial| trial.graded.faults.join("; "))
    }
}

pub fn line(row: &Row) -> String {
    let letters = row.told.letters();
    let mut line = format!("{letters:<2} {:<24} {}", row.cause.name, row.told.text());
    if !row.told.faults().is_empty() {
        let command = row.told.shown().map_or("", |trial| &trial.command);
        line += &format!("\n      {}\n      {command}", row.told.faults());
    }
    line
}

/// Right ones of all, false verdicts, quiet controls.
pub fn counts(rows: &[Row]) -> String {
    let tried = |healthy: bool| rows.iter().filter(move |row| is_control(row.cause) == healthy && row.told.grade().is_some());
    let graded = |grade: Grade| tried(false).filter(|row| row.told.grade() == Some(grade)).count();
    let quiet = tried(true).filter(|row| row.told.grade() == Some(Grade::Right)).count();
    let trials = || rows.iter().flat_map(|row| row.told.trials());
    let [right, partly, silent, wrong] = Grade::ALL.map(graded);
    format!(
        "causes: right {right} of {}, partly {partly}, silent {silent}, wrong {wrong}; controls quiet {quiet} of {}; false meets {}, false misses {}; the host a limit in {} of {} trials; not tried {}",
        tried(false).count(),
        tried(true).count(),
        trials().filter(|trial| trial.graded.false_meets).count(),
        trials().filter(|trial| trial.graded.false_misses).count(),
        trials().filter(|trial| trial.said.blames_host()).count(),
        trials().count(),
        rows.iter().filter(|row| row.told.grade().is_none()).count(),
    )
}

pub fn page(rows: &[Row]) -> String {
    let mut page = format!("{HEAD}\nMade by `cargo xtask causes --full` on {}.\n\n{}\n", host(), counts(rows));
    for (title, controls) in [("Causes", false), ("Healthy controls", true)] {
        page += &format!("\n## {title}\n\n| cause | how it is made | what was said | |\n| --- | --- | --- | --- |\n");
        page.extend(rows.iter().filter(|row| is_control(row.cause) == controls).map(table_row));
    }
    page
}

const HEAD: &str = "# Known causes of bad numbers, and what ioproof says of them

Each cause is made on purpose, ioproof measures, and its answer is held against the truth. *What was said*: rules that doubt the number, in brackets those that are good
to know, what limits it, verdicts, exit status. R right: all that is true was said and nothing wrong; P partly; S silent: nothing of it; W wrong: something else, or a false verdict. Where a
cause was tried several times there is a letter for each, and the worst answer is shown; a small letter stands for a trial beside a host whose CPUs others used. A *served* drive is one of ours whose slots and times are known. What
it really does was measured with `fio` as well: each I/O takes 0.15 to 0.4 ms longer than it is told to, which promises allow for.
";

fn table_row(row: &Row) -> String {
    let cell = |text: &str| text.replace('|', "\\|");
    let faults = row.told.faults();
    let remark = if faults.is_empty() { String::new() } else { format!("<br>*{}*", cell(&faults)) };
    format!("| {} | {} | {}{remark} | {} |\n", row.cause.name, cell(row.cause.made), cell(&row.told.text()), row.told.letters())
}

fn is_control(cause: &Cause) -> bool {
    cause.answer.healthy.is_some()
}

/// Processors and kernel, without which the figures say nothing.
fn host() -> String {
    let cpus = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{cpus} CPUs, Linux {}", kernel.trim())
}
