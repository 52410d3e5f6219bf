//! The output of pgbench and its log of transactions (PostgreSQL's manual, pgbench, "Per-Transaction Logging").

use crate::error::DatabaseError;
use crate::tally::{EndedTransaction, Tally};
use ioproof_core::database::DatabaseLoad;
use ioproof_core::record::DatabaseRound;
use std::path::Path;
use std::time::Duration;

/// A log that spans more is none of a round. Microseconds.
const LONGEST_US: u64 = 24 * 3600 * 1_000_000;

/// Figures that pgbench printed at its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PgbenchSummary {
    pub transactions: u64,
    /// Without the time for connecting.
    pub per_s: Option<f64>,
}

/// Reads what it printed.
pub(super) fn said(output: &str) -> Result<PgbenchSummary, DatabaseError> {
    let transactions = output.lines().find_map(|line| line.strip_prefix("number of transactions actually processed: "));
    // With a number of transactions to go a slash and that number follow.
    let transactions = transactions.and_then(|rest| rest.split(['/', ' ']).next()?.trim().parse().ok());
    let transactions = transactions.ok_or_else(|| DatabaseError::new("pgbench did not say how many transactions there were"))?;
    Ok(PgbenchSummary { transactions, per_s: printed(output) })
}

/// `tps = 1234.5 (without initial connection time)`, before version 14 `(excluding connections establishing)`.
fn printed(output: &str) -> Option<f64> {
    let lines = output.lines().filter_map(|line| line.strip_prefix("tps = "));
    let mut without = lines.filter(|line| line.contains("(without ") || line.contains("(excluding "));
    without.next()?.split_whitespace().next()?.parse().ok()
}

/// Transactions of a log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Logged {
    /// End since 1970, and latency, of each. Microseconds.
    done: Vec<(u64, u64)>,
    pub failed: u64,
}

/// Reads the logs of all threads, whose names begin with the prefix, and removes them.
pub(super) fn read_logs(folder: &Path, prefix: &Path) -> Result<Logged, DatabaseError> {
    let name = prefix.file_name().unwrap_or_default().to_string_lossy().into_owned() + ".";
    let mut all = Logged::default();
    let unread = |error: std::io::Error| DatabaseError::new(format!("the log of pgbench cannot be read: {error}"));
    for entry in std::fs::read_dir(folder).map_err(unread)? {
        let entry = entry.map_err(unread)?;
        // In a folder of somebody else a name may be anything.
        let is_log = entry.file_type().is_ok_and(|kind| kind.is_file()) && entry.file_name().to_string_lossy().starts_with(&name);
        if !is_log {
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).map_err(unread)?;
        all.read(&text).map_err(|error| DatabaseError::new(format!("{}: {error}", entry.file_name().to_string_lossy())))?;
        let _ = std::fs::remove_file(entry.path());
    }
    all.check().map_err(DatabaseError::new)?;
    Ok(all)
}

impl Logged {
    /// Adds the lines of one log. A last line without its end is one that was being written when pgbench was ended.
    fn read(&mut self, text: &str) -> Result<(), String> {
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        for (number, line) in (1_u64..).zip(whole.lines()) {
            let mut words = line.split_whitespace().skip(2);
            let (time, _script) = (words.next(), words.next());
            let mut number_of = || words.next().and_then(|word| word.parse::<u64>().ok());
            let end = number_of().zip(number_of()).and_then(|(s, us)| s.checked_mul(1_000_000)?.checked_add(us));
            match (time, end) {
                (Some("failed" | "skipped"), Some(_)) => self.failed += 1,
                (Some(time), Some(end)) => {
                    let latency = time.parse().map_err(|_| format!("line {number}: `{time}` is no time"))?;
                    self.done.push((end, latency));
                }
                _ => return Err(format!("line {number} is none of a transaction: `{line}`")),
            }
        }
        Ok(())
    }

    /// The first begin and the last end. Microseconds since 1970.
    fn span(&self) -> (u64, u64) {
        let begin = self.done.iter().map(|(end, latency)| end.saturating_sub(*latency)).min().unwrap_or(0);
        (begin, self.done.iter().map(|(end, _)| *end).max().unwrap_or(begin))
    }

    fn check(&self) -> Result<(), String> {
        let (begin, end) = self.span();
        if end - begin <= LONGEST_US { Ok(()) } else { Err("the log of pgbench spans more than a day".to_owned()) }
    }

    /// The round from the first begin to the last end.
    pub(super) fn round(&self, round: &DatabaseLoad) -> DatabaseRound {
        let (begin, last) = self.span();
        let elapsed_ns = (last - begin).saturating_mul(1000);
        // The last one ends at the very end.
        let whole = DatabaseLoad { warm_up: Duration::ZERO, measure: Duration::from_nanos(elapsed_ns + 1), ..*round };
        let mut tally = Tally::default();
        for (end, latency) in &self.done {
            tally.count(
                &whole,
                EndedTransaction { end_ns: (end - begin).saturating_mul(1000), latency_ns: latency.saturating_mul(1000), commit_ns: None },
            );
        }
        tally.round(&whole, elapsed_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "pgbench (15.14)\ntransaction type: <builtin: TPC-B (sort of)>\nnumber of transactions actually processed: 2087\n\
                           number of failed transactions: 0 (0.000%)\nlatency average = 0.959 ms\ninitial connection time = 3.1 ms\n\
                           tps = 1042.954 (without initial connection time)\n";

    #[test]
    fn the_figures_of_all_versions_are_read() {
        assert_eq!(said(PRINTED).unwrap(), PgbenchSummary { transactions: 2087, per_s: Some(1042.954) });
        let older = "number of transactions actually processed: 10/10\ntps = 85.1 (including connections establishing)\ntps = 85.2 (excluding connections establishing)\n";
        assert_eq!(said(older).unwrap(), PgbenchSummary { transactions: 10, per_s: Some(85.2) });
        assert!(said("").is_err() && said("number of transactions actually processed: many").is_err());
    }

    fn round() -> DatabaseLoad {
        DatabaseLoad { database: 0, clients: 2, warm_up: Duration::from_secs(1), measure: Duration::from_secs(2), seed: 1 }
    }

    #[test]
    fn a_log_is_a_round_from_its_first_begin_to_its_last_end() {
        let mut logged = Logged::default();
        logged.read("0 1 1000 0 1700000000 500000\n1 1 2000 0 1700000000 501000 0\n0 2 failed 0 1700000000 600000\n0 3 500 0 1700000002 499000\n0 4 50").unwrap();
        let ran = logged.round(&round());
        assert_eq!((ran.transactions, ran.elapsed_ns, logged.failed), (3, 2_000_000_000, 1));
        assert_eq!((ran.latency.max_ns(), ran.latency.min_ns(), ran.intervals.len()), (Some(2_000_000), Some(500_000), 2));
        assert_eq!(ran.total_transactions, 3);
        let none = Logged::default().round(&round());
        assert_eq!((none.transactions, none.elapsed_ns), (0, 0));
    }

    #[test]
    fn no_log_makes_it_panic() {
        const WORDS: [&str; 9] = ["0", "1", "failed", "18446744073709551615", "-1", "x", "\n", "1700000000", "é"];
        let mut state = 7;
        for _ in 0..5000 {
            let word = |state: &mut u64| WORDS[(ioproof_core::splitmix::next(state) % WORDS.len() as u64) as usize];
            let text: String = (0..24).map(|_| format!("{} ", word(&mut state))).collect();
            let mut logged = Logged::default();
            if logged.read(&text.replace(" \n", "\n")).is_ok() && logged.check().is_ok() {
                let _ = logged.round(&round());
            }
            let _ = said(&text);
        }
        let far = Logged { done: vec![(0, 0), (u64::MAX, 0)], failed: 0 };
        assert!(far.check().is_err());
    }

    #[test]
    fn a_line_that_is_none_is_named() {
        let error = |text: &str| Logged::default().read(text).unwrap_err();
        assert!(error("0 1 1000 0 1700000000 500000\nnonsense\n").contains("line 2"));
        assert!(error("0 1 soon 0 1700000000 500000\n").contains("`soon`"));
        assert!(error("0 1 5 0 18446744073709551615 0\n").contains("line 1"));
        assert_eq!(Logged::default().read(""), Ok(()));
    }
}
