//! A run of `pg_test_fsync` in a directory, as it printed its rates (PostgreSQL's manual, `pg_test_fsync`): one run of each method, without an interval.

use serde::{Deserialize, Serialize};

/// Most rates that are read; the program prints 16.
const MOST: usize = 64;
/// Beginnings of the lines above groups of rates, and their names here.
const GROUPS: [(&str, &str); 5] = [
    ("Compare file sync methods using one ", "one write"),
    ("Compare file sync methods using two ", "two writes"),
    ("Compare open_sync with different write sizes", "16 kB by open_sync"),
    ("Test if fsync on non-write file descriptor is honored", "write, fsync by another descriptor"),
    ("Non-sync'ed ", "not synced"),
];
/// Words behind a rate, and in place of one that the system does not have.
const UNIT: &str = " ops/sec";
const NONE: &str = "n/a";

/// One run of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PgTestFsync {
    /// Version of PostgreSQL that it is of.
    pub version: String,
    /// Time of each rate, as it was told. Seconds.
    pub seconds: u32,
    /// Its rates in their order.
    pub rates: Vec<SyncRate>,
}

/// A rate of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SyncRate {
    /// The group: `one write`.
    pub test: String,
    /// The method as it is printed: `fdatasync`.
    pub method: String,
    /// Operations a second; none where the system does not have the method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_s: Option<f64>,
}

impl PgTestFsync {
    /// Reads the rates that it printed; none where there are none.
    pub fn read(version: &str, seconds: u32, printed: &str) -> Option<Self> {
        let (mut test, mut rates) = ("", Vec::new());
        for line in printed.lines() {
            let group = GROUPS.iter().find(|(beginning, _)| line.starts_with(beginning));
            test = group.map_or(test, |(_, name)| name);
            if !test.is_empty() && group.is_none() && line.starts_with(char::is_whitespace) {
                rates.extend(rate(line.trim()).map(|(method, per_s)| SyncRate { test: test.to_owned(), method: method.to_owned(), per_s }));
            }
        }
        rates.truncate(MOST);
        (!rates.is_empty()).then(|| Self { version: version.to_owned(), seconds, rates })
    }
}

/// Method and rate of `fdatasync   1234.567 ops/sec   810 usecs/op`; none of any other line.
fn rate(line: &str) -> Option<(&str, Option<f64>)> {
    if let Some((method, _)) = line.split_once(NONE).filter(|(method, _)| method.ends_with(char::is_whitespace)) {
        return Some((method.trim_end(), None)).filter(|(method, _)| !method.is_empty());
    }
    let (method, number) = line.split_once(UNIT)?.0.trim_end().rsplit_once(char::is_whitespace)?;
    let per_s = number.parse().ok().filter(|per_s: &f64| per_s.is_finite() && *per_s >= 0.0)?;
    Some((method.trim_end(), Some(per_s))).filter(|(method, _)| !method.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "1 second per test\nO_DIRECT supported on this platform for open_datasync and open_sync.\n\n\
        Compare file sync methods using one 8kB write:\n(in wal_sync_method preference order, except fdatasync is Linux's default)\n\
        \x20       open_datasync                      9712.103 ops/sec     103 usecs/op\n\
        \x20       fdatasync                         10212.520 ops/sec      98 usecs/op\n\
        \x20       fsync_writethrough                              n/a\n\
        \nCompare file sync methods using two 8kB writes:\n\
        \x20       fsync                              4000.000 ops/sec     250 usecs/op\n\
        \nCompare open_sync with different write sizes:\n(This is designed to compare the cost of writing 16kB in different write\nopen_sync sizes.)\n\
        \x20        1 * 16kB open_sync write          8000.5 ops/sec     125 usecs/op\n\
        \nTest if fsync on non-write file descriptor is honored:\n(If the times are similar, fsync() can sync data written on a different\ndescriptor.)\n\
        \x20       write, fsync, close                 7000 ops/sec     143 usecs/op\n\
        \nNon-sync'ed 8kB writes:\n        write                             500000.000 ops/sec       2 usecs/op\n";

    #[test]
    fn rates_are_read_by_group_and_method() {
        let read = PgTestFsync::read("15.14", 1, PRINTED).unwrap();
        let all: Vec<(&str, &str, Option<f64>)> =
            read.rates.iter().map(|rate| (rate.test.as_str(), rate.method.as_str(), rate.per_s)).collect();
        assert_eq!(
            all,
            [
                ("one write", "open_datasync", Some(9712.103)),
                ("one write", "fdatasync", Some(10212.52)),
                ("one write", "fsync_writethrough", None),
                ("two writes", "fsync", Some(4000.0)),
                ("16 kB by open_sync", "1 * 16kB open_sync write", Some(8000.5)),
                ("write, fsync by another descriptor", "write, fsync, close", Some(7000.0)),
                ("not synced", "write", Some(500_000.0)),
            ]
        );
        assert_eq!((read.version.as_str(), read.seconds), ("15.14", 1));
    }

    #[test]
    fn what_has_no_rate_is_none() {
        let read = |text: &str| PgTestFsync::read("15", 1, text);
        assert_eq!([read(""), read("   fsync 1 ops/sec"), read("Non-sync'ed 8kB writes:\n")], [None, None, None]);
        for line in
            ["fsync ops/sec", " 5 ops/sec", "fsync NaN ops/sec", "fsync inf ops/sec", "fsync -1 ops/sec", "fsync 1 ops", "n/a", " n/a"]
        {
            assert_eq!(read(&format!("Non-sync'ed 8kB writes:\n  {line}\n")), None, "{line}");
        }
        let many = format!("Non-sync'ed 8kB writes:\n{}", "  write 1 ops/sec\n".repeat(1000));
        assert_eq!(read(&many).unwrap().rates.len(), MOST);
    }

    #[test]
    fn no_text_makes_it_panic() {
        const WORDS: [&str; 9] = ["Non-sync'ed 8kB", "\n", "  ", "fsync", "1e999", " ops/sec", "n/a", "é", "-0"];
        let mut state = 11;
        for _ in 0..5000 {
            let word = |state: &mut u64| WORDS[(crate::splitmix::next(state) % WORDS.len() as u64) as usize];
            let text: String = (0..16).map(|_| word(&mut state)).collect();
            let _ = PgTestFsync::read("", 0, &format!("Non-sync'ed 8kB writes:\n{text}"));
        }
    }
}
