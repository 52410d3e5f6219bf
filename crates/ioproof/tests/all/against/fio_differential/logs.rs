//! Logs of both programs: a line an I/O, or a time.

use std::collections::BTreeMap;
use std::path::Path;

/// A log, line by line.
pub struct IoLog {
    pub lines: Vec<Vec<u64>>,
}

/// One I/O of a log with offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Io {
    /// 0 read, 1 write, 2 trim.
    pub direction: u64,
    pub bytes: u64,
    pub offset: u64,
}

impl IoLog {
    /// Numbers of columns that occur.
    pub fn columns(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self.lines.iter().map(Vec::len).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Directions that occur.
    pub fn directions(&self) -> Vec<u64> {
        let mut all: Vec<u64> = self.lines.iter().map(|line| line[2]).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The I/Os, in order.
    pub fn ios(&self) -> Vec<Io> {
        let io = |line: &Vec<u64>| Io {
            direction: line[2],
            bytes: line[3],
            offset: line.get(4).copied().unwrap_or_else(|| panic!("no offsets")),
        };
        self.lines.iter().map(io).collect()
    }
}

/// The logs of a folder by name.
pub fn all(folder: &Path) -> BTreeMap<String, IoLog> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let log = |name: String| (name.clone(), read(&std::fs::read_to_string(folder.join(name)).unwrap()));
    names.filter(|name| name.ends_with(".log")).map(log).collect()
}

fn read(text: &str) -> IoLog {
    let number = |word: &str| {
        let word = word.trim();
        word.strip_prefix("0x").map_or_else(|| word.parse(), |hex| u64::from_str_radix(hex, 16)).unwrap_or_else(|e| panic!("`{word}`: {e}"))
    };
    IoLog { lines: text.lines().map(|line| line.split(',').map(number).collect()).collect() }
}

#[test]
fn a_log_is_read() {
    let log = read("4, 4780084, 1, 4096, 0, 0\n7, 2070816, 0, 8192, 4096, 0\n");
    assert_eq!((log.columns(), log.directions()), (vec![6], vec![0, 1]));
    assert_eq!(log.ios()[1], Io { direction: 0, bytes: 8192, offset: 4096 });
}
