//! The matrix of causes against answers, as lines for the screen and as the page. Pure.

use super::cause::Cause;
use super::grade::Grade;
use super::trial::Trial;

pub struct Row<'a> {
    pub cause: &'a Cause,
    pub told: Told,
}

pub enum Told {
    Tried(Trial),
    Without(String),
    Failed(String),
}

impl Told {
    fn trial(&self) -> Option<&Trial> {
        if let Self::Tried(trial) = self { Some(trial) } else { None }
    }

    /// Letter of the grade, a small one beside a loaded host; and what was said.
    fn words(&self) -> (String, String) {
        match self {
            Self::Without(reason) => (String::new(), format!("not tried: {reason}")),
            Self::Failed(reason) => (String::new(), format!("could not be made: {reason}")),
            Self::Tried(trial) => {
                let letter = trial.graded.grade.letter();
                (String::from(if trial.loaded { letter.to_ascii_lowercase() } else { letter }), trial.said.line())
            }
        }
    }

    fn faults(&self) -> String {
        self.trial().map_or(String::new(), |trial| trial.graded.faults.join("; "))
    }
}

pub fn line(row: &Row) -> String {
    let (letter, text) = row.told.words();
    let mut line = format!("{letter:<2} {:<24} {text}", row.cause.name);
    if let Some(trial) = row.told.trial().filter(|trial| !trial.graded.faults.is_empty()) {
        line += &format!("\n      {}\n      {}", row.told.faults(), trial.command);
    }
    line
}

pub fn counts(rows: &[Row]) -> String {
    let trials = |is_wanted: &dyn Fn(&Row, &Trial) -> bool| {
        rows.iter().filter(|row| row.told.trial().is_some_and(|trial| is_wanted(row, trial))).count()
    };
    let graded = |healthy: bool, grade: Grade| trials(&|row, trial| is_control(row.cause) == healthy && trial.graded.grade == grade);
    let [right, partly, silent, wrong] = Grade::ALL.map(|grade| graded(false, grade));
    format!(
        "causes: right {right} of {}, partly {partly}, silent {silent}, wrong {wrong}; controls quiet {} of {}; false meets {}, false misses {}; the host a limit in {} of {} trials; not tried {}",
        right + partly + silent + wrong,
        graded(true, Grade::Right),
        trials(&|row, _| is_control(row.cause)),
        trials(&|_, trial| trial.graded.false_meets),
        trials(&|_, trial| trial.graded.false_misses),
        trials(&|_, trial| trial.said.blames_host()),
        trials(&|_, _| true),
        rows.len() - trials(&|_, _| true),
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
to know, what limits it, verdicts, exit status. R right: all that is true was said and nothing wrong; P partly; S silent: nothing of it; W wrong: something else, or a false verdict. A
small letter stands for a trial beside a host whose CPUs others used. A *served* drive is one of ours whose slots and times are known. What
it really does was measured with `fio` as well: each I/O takes 0.15 to 0.4 ms longer than it is told to, which promises allow for.
";

fn table_row(row: &Row) -> String {
    let cell = |text: &str| text.replace('|', "\\|");
    let (faults, (letter, text)) = (row.told.faults(), row.told.words());
    let remark = if faults.is_empty() { String::new() } else { format!("<br>*{}*", cell(&faults)) };
    format!("| {} | {} | {}{remark} | {} |\n", row.cause.name, cell(row.cause.made), cell(&text), letter)
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
