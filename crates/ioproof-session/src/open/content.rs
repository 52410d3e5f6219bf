//! Content of targets before they are measured: written in full where the plan says so, then sampled. Nothing is read before it was written.

use super::found::OpenTarget;
use crate::request::PlanRequest;
use crate::sources::load::for_data;
use anyhow::Result;
use ioproof_core::job::Span;
use ioproof_core::record::{RunRecord, RunStatus};
use ioproof_runner::{Engine, Observer, ToFill, fill, look_at_content};
use ioproof_target::{Handle, System};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Blocks sampled for zeros, and the most time for that.
const SAMPLES: u64 = 256;
const LOOK: Duration = Duration::from_secs(5);

pub struct ContentMaker<'a> {
    pub system: &'a System,
    pub request: &'a PlanRequest,
    pub stop: &'a AtomicBool,
}

impl ContentMaker<'_> {
    /// Makes and looks at the content of all targets; without I/O nothing.
    ///
    /// # Errors
    /// When a target cannot be written.
    pub fn make(&self, targets: &[OpenTarget<'_>], engine: &Engine<'_>, record: &mut RunRecord, observer: &mut dyn Observer) -> Result<()> {
        let files = self.request.load.openings().files;
        let mut position = 0;
        for (at, target) in targets.iter().enumerate().filter(|_| !self.request.load.is_null()) {
            for (beyond, handle) in target.handles.iter().enumerate().take(files) {
                if !self.goes_on(record) {
                    return Ok(());
                }
                let span = Span { length_bytes: target.plan.span.length_bytes.min(handle.size_bytes()), ..target.plan.span };
                if target.plan.fill {
                    let left = Duration::from_nanos(target.plan.time_ns);
                    self.fill(handle, (position + beyond, at), span, left, engine, record, observer)?;
                }
                // By a standard the target is written in full by preconditioning, which comes later.
                if handle.may_read() && self.goes_on(record) && target.plan.standard.is_none() {
                    self.look(handle, at, span, record);
                }
            }
            position += target.handles.len();
        }
        Ok(())
    }

    fn goes_on(&self, record: &RunRecord) -> bool {
        record.status == RunStatus::Running && !self.stop.load(Relaxed)
    }

    #[expect(clippy::too_many_arguments, reason = "a handle, its place, and what the runner takes")]
    fn fill(
        &self,
        handle: &Handle,
        (position, at): (usize, usize),
        span: Span,
        left: Duration,
        engine: &Engine<'_>,
        record: &mut RunRecord,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let to_fill = ToFill {
            handle_position: position,
            handle,
            stack: record.targets[at].facts.stack.as_ref(),
            span,
            generate: for_data(self.request.load.generate),
            seed: self.request.seed.wrapping_add(u64::from(u32::MAX) << 16),
            io_timeout_ns: self.request.io_timeout_ns,
            left,
        };
        let (filled, status) = fill(self.system, engine, &to_fill, self.stop, observer)?;
        record.status = status;
        let target = &mut record.targets[at];
        target.content.filled_bytes = filled.bytes;
        target.fill = Some(target.fill.map_or(filled, |before| before.and(filled)));
        Ok(())
    }

    fn look(&self, handle: &Handle, at: usize, span: Span, record: &mut RunRecord) {
        let target = &mut record.targets[at];
        // Of a drive that takes a second for each, the time of the run is not for this.
        let began = Instant::now();
        let goes_on = &|| began.elapsed() < LOOK && !self.stop.load(Relaxed);
        let (content, note) = look_at_content(handle, span, (SAMPLES, self.request.seed), target.content.filled_bytes, goes_on);
        target.content = content;
        record.notes.extend(note);
    }
}
