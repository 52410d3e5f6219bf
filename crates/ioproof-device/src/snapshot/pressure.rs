//! Pressure on the host: the time for which its tasks waited for CPU time, I/O and memory (PSI, Documentation/accounting/psi.rst).
//!
//! `snapshot` takes it before and after. A kernel without PSI, or with `psi=0`, has no such files, which is not the same as no waiting.

use ioproof_core::record::{HostLoad, Waiting};
use ioproof_target::System;

/// Waiting since boot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Pressure {
    cpu: Option<Waiting>,
    io: Option<Waiting>,
    memory: Option<Waiting>,
}

impl Pressure {
    pub(crate) fn take(system: &System) -> Self {
        let read = |name: &str| system.proc_text(&format!("pressure/{name}")).and_then(|text| waiting(&text));
        Self { cpu: read("cpu"), io: read("io"), memory: read("memory") }
    }

    /// Puts the waiting since `earlier` into the load.
    pub(crate) fn since(self, earlier: Self, load: &mut HostLoad) {
        load.cpu_waiting = since(self.cpu, earlier.cpu);
        load.io_waiting = since(self.io, earlier.io);
        load.memory_waiting = since(self.memory, earlier.memory);
    }
}

fn since(later: Option<Waiting>, earlier: Option<Waiting>) -> Option<Waiting> {
    let (later, earlier) = (later?, earlier?);
    let full_ns = later.full_ns.zip(earlier.full_ns).map(|(later, earlier)| later.saturating_sub(earlier));
    Some(Waiting { some_ns: later.some_ns.saturating_sub(earlier.some_ns), full_ns })
}

/// `some avg10=0.00 avg60=0.00 avg300=0.00 total=874871`, and a line `full` like it; totals are microseconds. Before Linux 5.13 that of CPU time has no `full`.
fn waiting(text: &str) -> Option<Waiting> {
    let total = |kind: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(kind)?.strip_prefix(' '))?;
        let us: u64 = line.split_whitespace().find_map(|word| word.strip_prefix("total="))?.parse().ok()?;
        us.checked_mul(1000)
    };
    Some(Waiting { some_ns: total("some")?, full_ns: total("full") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "some avg10=78.42 avg60=76.18 avg300=77.91 total=874871387\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=12\n";

    #[test]
    fn totals_of_both_kinds() {
        assert_eq!(waiting(TEXT), Some(Waiting { some_ns: 874_871_387_000, full_ns: Some(12_000) }));
        let old = TEXT.lines().next().unwrap();
        assert_eq!(waiting(old).unwrap().full_ns, None);
        assert_eq!([waiting(""), waiting("full total=1"), waiting("some total=x")], [None; 3]);
    }

    #[test]
    fn a_kernel_that_does_not_count_is_not_one_where_nobody_waited() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("proc/pressure")).unwrap();
        std::fs::write(dir.path().join("proc/pressure/io"), "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n").unwrap();
        let pressure = Pressure::take(&System::captured(dir.path()));
        let mut load = HostLoad::default();
        pressure.since(pressure, &mut load);
        assert_eq!((load.cpu_waiting, load.io_waiting), (None, Some(Waiting { some_ns: 0, full_ns: None })));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(some |full )?(avg10=[0-9.]{0,5} )?(total=[0-9]{0,22})?\\PC{0,20}") {
            let _ = waiting(&text);
        }
    }
}
