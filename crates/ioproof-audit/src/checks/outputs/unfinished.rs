//! Runs that ended with an error, or are shown without their results.

use crate::checks::{Findings, Reading, Unfinished};

const NAME: &str = "unfinished-run";

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    for run in &reading.unfinished {
        let place = reading.at(run.first);
        match &run.error {
            Some((line, error)) => {
                let title = format!("this run of {} ended with an error: no figure was taken from it", run.tool);
                findings.doubt(NAME, place, title, format!("line {line}: {error}"));
            }
            None if has_results_below(reading, run) => {}
            None => {
                let title = format!("this run of {} is shown without its results: no figure was taken from it", run.tool);
                findings.note(NAME, place, title, format!("its head begins at line {}, and line {} is its last", run.first, run.last));
            }
        }
    }
}

/// True where words part a head from its results.
fn has_results_below(reading: &Reading, run: &Unfinished) -> bool {
    const REACH: u32 = 40;
    let near = run.last..=run.last.saturating_add(REACH);
    reading.measured.iter().any(|other| other.tool == run.tool && near.contains(&other.first) && other.load.word.is_empty())
}

#[cfg(test)]
mod tests {
    use crate::{Reading, Weight};

    const HEAD: &str =
        "Extra file open flags: directio\n2GiB total file size\nBlock size 16KiB\nDoing random read test\nThreads started!\n";

    fn said(text: &str) -> Vec<Weight> {
        let found = crate::audit(&[Reading::new("a", text.as_bytes())]).found;
        found.into_iter().filter(|found| found.check == super::NAME).map(|found| found.weight).collect()
    }

    #[test]
    fn a_run_that_failed_or_was_cut_is_named() {
        assert_eq!(said(&format!("{HEAD}FATAL: Failed to fsync file! file: 0 errno = 22 (Invalid argument)\n")), [Weight::Doubt]);
        assert_eq!(said(HEAD), [Weight::Note]);
        let results = "File operations:\n    reads/s:   1906.50\nThroughput:\n    read, MiB/s:    29.79\n";
        assert_eq!(said(&format!("{HEAD}{results}")), []);
        assert_eq!(said(&format!("```\n{HEAD}```\nIt then says:\n```\n{results}```\n")), [], "words in between");
    }
}
