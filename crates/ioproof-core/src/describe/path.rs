//! The way that I/O took to a drive, where that is not the kernel's block layer.

use crate::record::{Purpose, RunRecord};

/// NVMe passthrough in words; `None` where all measured I/O went through the block layer.
pub(super) fn brief(record: &RunRecord) -> Option<String> {
    let measured = || record.parts().filter(|part| part.stage.purpose == Purpose::Measure).map(|part| &part.round.engine);
    let past = measured().find(|engine| engine.is_passthrough())?;
    let all = measured().all(|engine| engine.is_passthrough());
    let beside = if all { "" } else { "; the other workloads go through it" };
    Some(format!("NVMe passthrough ({}), past the kernel's block layer{beside}", past.backend))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::NVME_PASSTHROUGH;
    use crate::testing::record;

    #[test]
    fn the_path_is_told_where_it_is_not_the_block_layer() {
        let mut record = record();
        assert_eq!(brief(&record), None);
        let mut engines: Vec<_> = record.stages.iter_mut().flat_map(|stage| &mut stage.rounds).map(|round| &mut round.engine).collect();
        let passes = |engine: &mut &mut crate::record::EngineFacts| {
            engine.backend = "io_uring_cmd".into();
            engine.features.push(NVME_PASSTHROUGH.into());
        };
        passes(&mut engines[0]);
        assert!(brief(&record).unwrap().contains("io_uring_cmd") && brief(&record).unwrap().ends_with("the other workloads go through it"));
        record
            .stages
            .iter_mut()
            .flat_map(|stage| &mut stage.rounds)
            .map(|round| &mut round.engine)
            .for_each(|mut engine| passes(&mut engine));
        assert_eq!(brief(&record).unwrap(), "NVMe passthrough (io_uring_cmd), past the kernel's block layer");
    }
}
