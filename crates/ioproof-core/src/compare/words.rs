//! A comparison in the words and units in which it is printed, for all formats alike. Runs have letters, in the order in which they were named.

use super::beside::beside;
use super::{Against, Answer, ComparedRun, Comparison, Differing, Durable, MOST_RUNS, Row};
use crate::claim::{Metric, Statistic};
use crate::layers::{self, Placed};
use crate::results::{BarChart, ResultTable};
use crate::text::visible;
use crate::units::{percent, rate};

/// More workloads that not all runs have are counted only.
const MOST_ALONE: usize = 8;

/// Everything that is printed.
pub struct ComparisonWords<'a> {
    pub comparison: &'a Comparison,
    pub runs: Vec<RunLine>,
    /// Facts that make figures those of other conditions.
    pub conditions: Vec<DifferingWords>,
    /// Facts that differ beside the figures.
    pub facts: Vec<DifferingWords>,
    /// Shares of each layer in the one below it, of all runs on one scale; none of other runs than those of `layers`.
    pub shares: Vec<BarChart>,
    /// A sentence on the layers that have no bar.
    pub without_bar: Option<String>,
    /// Each run but the first against it.
    pub blocks: Vec<AgainstFirst<'a>>,
    /// Workloads that not all runs have, a sentence each.
    pub alone: Vec<String>,
}

pub struct RunLine {
    pub letter: String,
    pub id: String,
    /// `verify of /dev/nvme0n1 (T1 2TB), 2026-01-01T00:00:00Z`.
    pub about: String,
}

/// A fact that is not the same in all runs.
pub struct DifferingWords {
    pub name: String,
    pub values: Vec<String>,
}

impl DifferingWords {
    /// `A 6.1 | B 6.2`.
    pub fn words(&self) -> String {
        let words = self.values.iter().enumerate().map(|(at, value)| format!("{} {value}", letter(at)));
        words.collect::<Vec<_>>().join(" | ")
    }
}

/// One run against the first.
pub struct AgainstFirst<'a> {
    pub letter: String,
    /// `B against A: 3 worse, 12 cannot tell`.
    pub heading: String,
    /// Conditions that this run does not share with the first; its answers say nothing of the drive then.
    pub mark: Option<String>,
    /// Sentences on it and the first, of runs of `layers`.
    pub says: Vec<String>,
    /// The ways of making writes durable side by side, or layers; none of other runs than those of `sync` and `layers`.
    pub beside: Option<ResultTable>,
    /// A workload each.
    pub groups: Vec<WorkloadGroup<'a>>,
}

/// The figures of one workload.
pub struct WorkloadGroup<'a> {
    pub title: String,
    pub lines: Vec<ComparedLine<'a>>,
}

/// One figure of one run against that of the first.
pub struct ComparedLine<'a> {
    pub row: &'a Row,
    pub against: &'a Against,
    pub run: usize,
    pub figure: &'static str,
    pub first: String,
    pub this: String,
    /// `+12.3 %`.
    pub change: String,
    /// `+10.1 to +14 %`; none where there is none.
    pub interval: Option<String>,
    pub answer: Answer,
    /// Runs of each that would most likely tell: `24`, `>50`.
    pub needed: Option<String>,
    /// Rules that doubt one of both.
    pub doubts: Option<String>,
    /// `flushes at the drive for each: A 1.00, B 0.00`, of commits.
    pub flushes: Option<String>,
}

impl ComparedLine<'_> {
    /// The reason for which it cannot be told.
    pub fn why(&self) -> Option<String> {
        self.against.why.map(|why| why.title().to_owned())
    }

    /// `doubted: stalls`.
    pub fn doubted(&self) -> Option<String> {
        self.doubts.as_ref().map(|doubts| format!("doubted: {doubts}"))
    }

    /// Everything that is to be said beside the answer.
    pub fn remarks(&self) -> Vec<String> {
        let needed = self.needed.as_ref().map(|runs| format!("{} runs would tell", runs.replace('>', "more than ")));
        [self.flushes.clone(), self.why(), needed, self.doubted()].into_iter().flatten().collect()
    }
}

/// Words below a table.
pub const LEGEND: [&str; 8] = [
    "IOPS and throughput: median of runs. Latencies: of all I/Os together (merged histograms).",
    "Interval: of the ratio between runs, 95 %. Better or worse: the runs differ by more than chance (exact rank-sum test, corrected for the number of figures), and neither run's interval holds the other's figure.",
    "Taken in turns: runs right after each other are compared pair by pair (exact signed-rank test, 1 %), so that what changes from minute to minute falls out; the interval is that of their ratio, 99 %.",
    "Runs: so many of each workload (--runs) would most likely tell a difference of that size.",
    "Commits: writes, or groups of them, that were made durable; write and sync are timed apart, and without a sync it is writes that are counted. Flushes: those that the drive was sent for each commit, by its count, with those of others and of the filesystem's journal.",
    "Layers: a commit is a durable write of the filesystem, or a transaction of the database that writes. Of the layer below, in the same turn: reads of the file for reads of the same blocks past its filesystem, commits of the database for durable writes of the filesystem; the median of these shares, which need not be that of the medians.",
    "Flushes and KiB: at the drive for each commit, by its count, with those of others. Doubts of a filesystem's durable writes are those of its databases.",
    "Doubted: a finding about one of both figures, by the name of its rule (`ioproof rules NAME` explains it); the difference may be of the host, or of others.",
];

/// The name of a run: `A` to `Z`, then `R27`.
pub fn letter(at: usize) -> String {
    u8::try_from(at).ok().filter(|at| *at < 26).map_or_else(|| format!("R{}", at + 1), |at| char::from(b'A' + at).to_string())
}

impl<'a> ComparisonWords<'a> {
    pub fn new(comparison: &'a Comparison) -> Self {
        let accounts: Vec<Placed> = comparison.accounts.iter().map(|of| (letter(of.run), &of.account, of.verdict.as_ref())).collect();
        let of = |bears: bool| comparison.differing.iter().filter(move |one| one.bears == bears).map(differing).collect();
        Self {
            runs: runs(comparison),
            conditions: of(true),
            facts: of(false),
            shares: layers::shares(&accounts),
            without_bar: layers::without_bar(&accounts),
            blocks: (1..comparison.runs.len()).map(|run| block(comparison, run)).collect(),
            alone: alone(comparison),
            comparison,
        }
    }

    /// `A 20260101-000000-1, B 20260102-000000-2`.
    pub fn heading(&self) -> String {
        self.runs.iter().map(|run| format!("{} {}", run.letter, run.id)).collect::<Vec<_>>().join(", ")
    }

    /// The lines of all blocks.
    pub fn lines(&self) -> impl Iterator<Item = &ComparedLine<'a>> {
        self.blocks.iter().flat_map(|block| &block.groups).flat_map(|group| &group.lines)
    }

    /// True where a line of the block has such words, so that a table has a column or a remark for them.
    pub fn has(&self, of: impl Fn(&ComparedLine) -> bool) -> bool {
        self.lines().any(of)
    }

    /// The sentences that explain what is there.
    pub fn legend(&self) -> Vec<&'static str> {
        let is_paired = self.has(|line| line.against.is_paired);
        let is_unpaired = self.has(|line| !line.against.is_paired);
        let (needed, doubted) = (self.has(|line| line.needed.is_some()), self.has(|line| line.doubts.is_some()));
        let layers = self.has(|line| line.row.layer.is_some());
        let durable = !layers && self.has(|line| line.row.durable.is_some());
        let is_told = [true, is_unpaired, is_paired, needed, durable, layers, layers, doubted];
        LEGEND.into_iter().zip(is_told).filter(|(_, is_told)| *is_told).map(|(text, _)| text).collect()
    }
}

fn runs(comparison: &Comparison) -> Vec<RunLine> {
    let line = |(at, run): (usize, &ComparedRun)| {
        let targets = if run.targets.is_empty() { "no target".to_owned() } else { run.targets.join(", ") };
        let model = run.model.as_ref().map(|model| format!(" ({model})")).unwrap_or_default();
        let end = if run.ended_early { format!(", {}", run.end.as_deref().unwrap_or("ended early")) } else { String::new() };
        let about = visible(&format!("{} of {targets}{model}, {}{end}", run.verb, run.started_at));
        RunLine { letter: letter(at), id: visible(&run.id), about }
    };
    comparison.runs.iter().enumerate().map(line).collect()
}

fn differing(one: &Differing) -> DifferingWords {
    DifferingWords { name: one.name.clone(), values: one.values.iter().map(|value| visible(value)).collect() }
}

fn block(comparison: &Comparison, run: usize) -> AgainstFirst<'_> {
    let mut groups: Vec<WorkloadGroup> = Vec::new();
    for row in &comparison.rows {
        let Some(line) = line(row, run) else { continue };
        let title = visible(&row.title());
        match groups.last_mut().filter(|group| group.title == title) {
            Some(group) => group.lines.push(line),
            None => groups.push(WorkloadGroup { title, lines: vec![line] }),
        }
    }
    let others: Vec<&str> = comparison.other_conditions(run).map(|one| one.name.as_str()).collect();
    let mark = (!others.is_empty()).then(|| {
        format!("other conditions ({}): a difference may come of these, and is no sign of a better or worse drive", others.join(", "))
    });
    let heading = format!("{} against {}{}", letter(run), letter(0), tally(&groups));
    let says = comparison.says.iter().filter(|said| said.run == run).map(|said| visible(&said.text)).collect();
    AgainstFirst { letter: letter(run), heading, mark, says, beside: beside(&comparison.rows, run), groups }
}

/// `: 3 worse, 12 cannot tell`.
fn tally(groups: &[WorkloadGroup]) -> String {
    let count = |answer: Answer| groups.iter().flat_map(|group| &group.lines).filter(|line| line.answer == answer).count();
    let counts = [Answer::Better, Answer::Worse, Answer::CannotTell].map(|answer| (answer.title(), count(answer)));
    let words: Vec<String> = counts.iter().filter(|(_, n)| *n > 0).map(|(title, n)| format!("{n} {title}")).collect();
    if words.is_empty() { String::new() } else { format!(": {}", words.join(", ")) }
}

fn line(row: &Row, run: usize) -> Option<ComparedLine<'_>> {
    let against = row.against.get(run - 1)?.as_ref()?;
    let shown = |at: usize| row.measured[at].map_or_else(|| "-".to_owned(), |estimate| show(row, estimate.median));
    Some(ComparedLine {
        row,
        against,
        run,
        figure: figure(row),
        first: shown(0),
        this: shown(run),
        change: signed(against.change),
        interval: against.interval.map(|(low, high)| format!("{} to {}", signed(low).trim_end_matches(" %"), signed(high))),
        answer: against.answer,
        needed: needed(against),
        doubts: (!against.doubts.is_empty()).then(|| against.doubts.join(", ")),
        flushes: flushes(row, run),
    })
}

fn show(row: &Row, value: f64) -> String {
    if is_per_second(row) { rate(value) } else { row.metric.show(value) }
}

/// True of commits and transactions, which are no I/Os.
pub fn is_per_second(row: &Row) -> bool {
    row.durable == Some(Durable::Commits) || row.is_of_database() && row.metric != Metric::Latency
}

fn flushes(row: &Row, run: usize) -> Option<String> {
    let of = |at: usize| row.flushes_per_commit.get(at).copied().flatten();
    let told = |at: usize| format!("{} {}", letter(at), of(at).map_or_else(|| "not counted".into(), |n| format!("{n:.2}")));
    of(0).or(of(run)).map(|_| format!("flushes at the drive for each: {}, {}", told(0), told(run)))
}

/// `IOPS`, `p99`, `sync p99`.
pub fn figure(row: &Row) -> &'static str {
    match (row.metric, row.statistic) {
        _ if row.durable == Some(Durable::Commits) => "commits/s",
        (Metric::Iops, _) if row.is_of_database() => "transactions/s",
        (_, Some(Statistic::P50)) if row.is_of_database() && row.durable == Some(Durable::Sync) => "commit p50",
        (_, Some(Statistic::P50)) if row.durable == Some(Durable::Write) => "write p50",
        (_, Some(Statistic::P99)) if row.durable == Some(Durable::Write) => "write p99",
        (_, Some(Statistic::P50)) if row.durable == Some(Durable::Sync) => "sync p50",
        (_, Some(Statistic::P99)) if row.durable == Some(Durable::Sync) => "sync p99",
        (Metric::Iops, _) => "IOPS",
        (Metric::Throughput, _) => "throughput",
        (Metric::Latency, statistic) => statistic.unwrap_or(Statistic::Mean).title(),
    }
}

fn signed(share: f64) -> String {
    let size = percent(share.abs());
    let sign = if size == percent(0.0) { "" } else { ["+", "-"][usize::from(share < 0.0)] };
    format!("{sign}{size}")
}

fn needed(against: &Against) -> Option<String> {
    use super::Why::{FewIos, NotTheDrives};
    let is_answerable = !matches!(against.why, Some(FewIos | NotTheDrives));
    let is_open = against.answer == Answer::CannotTell && against.change != 0.0 && is_answerable;
    is_open.then(|| against.runs_needed.map_or_else(|| format!(">{MOST_RUNS}"), |runs| runs.to_string()))
}

fn alone(comparison: &Comparison) -> Vec<String> {
    let sentence = |one: &super::Alone| {
        let runs: Vec<String> = one.runs.iter().map(|run| letter(*run)).collect();
        format!("only in {}: {}", runs.join(", "), visible(&one.title))
    };
    let more = comparison.alone.len().saturating_sub(MOST_ALONE);
    let more = (more > 0).then(|| format!("and {more} more workloads that not all runs have"));
    comparison.alone.iter().take(MOST_ALONE).map(sentence).chain(more).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_have_letters_however_many_there_are() {
        assert_eq!([letter(0), letter(25), letter(26), letter(300)], ["A", "Z", "R27", "R301"]);
    }

    #[test]
    fn shares_have_their_sign() {
        assert_eq!([signed(0.123), signed(-0.05), signed(0.0), signed(-1e-9)], ["+12.3 %", "-5.0 %", "0.0 %", "0.0 %"]);
    }
}
