//! Says that data was lost when it is found, and has it decide the exit status from then on: whoever ends the program at once sees no report.

use ioproof_core::record::{CheckResult, RunRecord};
use ioproof_process::interrupt;
use ioproof_runner::{Event, LiveTask, StageTick};

/// Knows if it was said.
#[derive(Debug, Default)]
pub struct Lost {
    is_said: bool,
}

impl Lost {
    /// Takes an event; gives a line once, when data was lost by then.
    pub fn observe(&mut self, event: &Event<'_>) -> Option<String> {
        if self.is_said {
            return None;
        }
        let lost = match event {
            Event::Changed(record) | Event::StageEnded { record, .. } if record.bears_no_headers() => {
                return Some(
                    self.say("nothing that was read so far bears headers of ioproof: it is lost, or ioproof never wrote it".to_owned()),
                );
            }
            Event::Changed(record) | Event::StageEnded { record, .. } => lost(record),
            // Of jobs side by side one may have ended long before the others.
            Event::Tick(tick) => tick.live.iter().map(LiveTask::bad).fold(0, u64::saturating_add),
            _ => 0,
        };
        // Of what a job only reads it is known at its end whether any of it was ioproof's.
        let is_only_read =
            |tick: &StageTick<'_>| !tick.spec.tasks.iter().zip(tick.live).any(|(task, live)| live.bad() > 0 && task.spec.workload.writes());
        let unless = if matches!(event, Event::Tick(tick) if is_only_read(tick)) { ", unless ioproof never wrote it" } else { "" };
        let words = || CheckResult { corrupt: lost, ..CheckResult::default() }.bad_words();
        (lost > 0).then(|| self.say(format!("data was lost so far{unless}: {}", words())))
    }

    fn say(&mut self, text: String) -> String {
        self.is_said = true;
        interrupt::data_is_lost();
        text
    }
}

/// Pieces or I/Os of all rounds that were read back and are not what was written.
fn lost(record: &RunRecord) -> u64 {
    let checks = record.stages.iter().flat_map(|stage| &stage.rounds).filter_map(|round| round.check.as_ref());
    checks.map(CheckResult::bad).fold(0, u64::saturating_add)
}
