//! The way that I/O took to a drive, where that is not the kernel's block layer.

use crate::record::{OWN_DRIVER, Purpose, RunRecord};

/// Ways past the block layer, each by its backend.
const PAST: [(&str, &str); 3] = [
    ("io_uring_cmd", "NVMe passthrough (io_uring_cmd), past the kernel's block layer"),
    ("sg", "SCSI commands (sg), past the kernel's block layer"),
    (OWN_DRIVER, "ioproof's own driver (polled), past the kernel"),
];

/// Such ways in words; `None` where all measured I/O went through the block layer.
pub(super) fn brief(record: &RunRecord) -> Option<String> {
    let measured = || record.parts().filter(|part| part.stage.purpose == Purpose::Measure).map(|part| &part.round.engine.backend);
    let is_past = |backend: &String| PAST.iter().any(|(past, _)| past == backend);
    let ways: Vec<&str> = PAST.iter().filter(|(past, _)| measured().any(|backend| backend == past)).map(|(_, words)| *words).collect();
    let beside = if measured().all(is_past) { "" } else { "; the other workloads go through it" };
    (!ways.is_empty()).then(|| ways.join("; ") + beside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::record;

    #[test]
    fn the_path_is_told_where_it_is_not_the_block_layer() {
        let mut record = record();
        assert_eq!(brief(&record), None);
        passes(&mut record, 1);
        assert!(brief(&record).unwrap().ends_with("the other workloads go through it"));
        passes(&mut record, usize::MAX);
        assert_eq!(brief(&record).unwrap(), "NVMe passthrough (io_uring_cmd), past the kernel's block layer");
    }

    fn passes(record: &mut RunRecord, rounds: usize) {
        let measured = record.stages.iter_mut().filter(|stage| stage.purpose == Purpose::Measure);
        for round in measured.flat_map(|stage| &mut stage.rounds).take(rounds) {
            round.engine.backend = "io_uring_cmd".into();
        }
    }
}
