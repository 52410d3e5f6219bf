//! A load that was asked for, whatever asked for it.

use super::LatencyTarget;
use anyhow::Result;
use ioproof_core::job::{Placement, Recording, Span, Until};
use ioproof_core::units::binary_size;
use ioproof_core::workload::Workload;
use ioproof_engine::BackendChoice;
use ioproof_process::complaint::complaint;
use ioproof_process::memory_room::MemoryNeeds;
use ioproof_runner::Generate;

/// Workloads, and the way in which their I/O is made.
#[derive(Debug, Clone)]
pub struct LoadRequest {
    /// The workloads that were named; none: the usual ones.
    pub workloads: Vec<Workload>,
    /// The way in which I/O is made, of several backends by the first.
    pub generate: Generate,
    pub backends: Vec<BackendChoice>,
    /// Records beyond counts and latency.
    pub recording: Recording,
    /// End of a round other than after its time.
    pub until: Option<Until>,
    /// Places of its workers, of which their parts of the span follow.
    pub placement: Placement,
    /// Part of its own for each worker. Bytes.
    pub worker_span: Option<u64>,
    pub most_workers: u32,
    /// Each worker ends a run of writes with an fsync.
    pub end_fsync: bool,
    /// Latency that is to be kept, for which the highest rate is searched for.
    pub latency_target: Option<LatencyTarget>,
    /// Data is written with headers and read back.
    pub check: bool,
}

impl LoadRequest {
    /// The way in which I/O of a workload is made: by a backend of its own where there are several.
    pub fn generate_for(&self, workload: &Workload) -> Generate {
        let own = workload.backend.as_ref().and_then(|name| name.parse().ok());
        Generate { backend: own.unwrap_or(self.generate.backend), ..self.generate }
    }

    /// Memory and threads of a workload on so much of its targets.
    pub fn needs(&self, workload: &Workload, span_bytes: u64) -> MemoryNeeds {
        MemoryNeeds::new(workload, self.generate_for(workload).backend, span_bytes)
    }

    /// True where no I/O is done at all.
    pub fn is_null(&self) -> bool {
        !self.generate.backend.moves_data()
    }

    /// The part of the span that is used: all, or what the workers' own parts take together.
    ///
    /// # Errors
    /// When the parts do not fit.
    pub fn used_span(&self, whole: Span) -> Result<Span> {
        let Some(each) = self.worker_span else { return Ok(whole) };
        let needed = each.saturating_mul(self.most_workers.into());
        if needed > whole.length_bytes {
            let (each, whole) = (binary_size(each), binary_size(whole.length_bytes));
            let text = format!("{} parts of {each} do not fit into {whole}", self.most_workers);
            return Err(complaint(text, "make --worker-span smaller, or --size larger, or take fewer workers"));
        }
        Ok(Span { length_bytes: needed, ..whole })
    }

    /// Places of the workers of a workload, with their parts of the span.
    pub fn placement_on(&self, span: Span, workers: u32) -> Placement {
        let part = |each: u64| move |n: u32| Span { offset_bytes: span.offset_bytes + u64::from(n) * each, length_bytes: each };
        let spans = self.worker_span.map(|each| (0..workers).map(part(each)).collect()).unwrap_or_default();
        Placement { spans, ..self.placement.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::sources::testing::load as settled;

    #[test]
    fn workers_have_parts_of_their_own() {
        let whole = Span { offset_bytes: 4096, length_bytes: 1 << 20 };
        let load = settled("--rw read --worker-span 64KiB --workers 2,4");
        assert_eq!(load.used_span(whole).unwrap(), Span { offset_bytes: 4096, length_bytes: 256 << 10 });
        let spans = load.placement_on(whole, 2).spans;
        assert_eq!(spans.iter().map(|span| span.offset_bytes).collect::<Vec<_>>(), [4096, 4096 + (64 << 10)]);
        assert!(settled("--rw read --worker-span 1MiB").used_span(whole).is_err());
        assert!(settled("--rw read").placement_on(whole, 4).spans.is_empty());
    }
}
