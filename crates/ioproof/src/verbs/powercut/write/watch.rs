//! Watching a session that is being written: says when the power may be cut, when the witness goes and comes back, and has a command cut the power.

use super::told::check_command;
use super::{LOOK, SharedWrites};
use crate::verbs::powercut::flags::CutWrite;
use anyhow::{Context, Result};
use ioproof_core::units::rate;
use ioproof_process::complaint::complaint;
use ioproof_session::observers::progress::ProgressLine;
use ioproof_witness::Progress as Link;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering::Relaxed;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Absence of the witness from which on it is said: a link that is lost for a moment is nothing to read.
const AWAY: Duration = Duration::from_secs(1);

/// Waits until it is to end: by the user, the time, the cut, or the streams themselves. True where a command was to cut the power.
pub(super) fn watch(
    args: &CutWrite,
    campaign: &str,
    shared: &SharedWrites,
    running: &[JoinHandle<io::Result<u64>>],
    began: Instant,
    progress: &mut ProgressLine,
) -> Result<bool> {
    let (mut cutter, mut sentences) = (CutCommand::default(), WatchSentences::default());
    let invitation = format!("cut the power now, or whenever you like; when it is back: {}", check_command(args, campaign));
    while !shared.stop.load(Relaxed) && running.iter().any(|stream| !stream.is_finished()) {
        if let Some(command) = args.cut_with.as_ref().filter(|_| began.elapsed() >= args.cut_after) {
            cutter.begin(command, shared)?;
        }
        if cutter.has_just_ended()? {
            progress.say("the command that is to cut the power has ended without an error; writing goes on until the power goes");
        }
        if args.time.is_some_and(|time| began.elapsed() >= time) {
            break;
        }
        let (durable, told) = (shared.durable.load(Relaxed), shared.client.progress());
        sentences.describe(&told, args.cut_with.is_none().then_some(&invitation)).iter().for_each(|text| progress.say(text));
        let why = told.why.map_or(String::new(), |why| format!(" ({why})"));
        let away = told.away.map_or(String::new(), |time| format!(", without the witness for {:.0} s{why}", time.as_secs_f64()));
        let per_s = durable as f64 / began.elapsed().as_secs_f64().max(0.001);
        progress.step(&format!("{durable} blocks durable, {} a second, {} with the witness{away}", rate(per_s), told.stored), None);
        std::thread::sleep(LOOK);
    }
    if cutter.is_running() {
        progress.say("the command that is to cut the power has not ended, and is ended");
    }
    Ok(cutter.has_ended)
}

/// Sentences that are said once, when it is so.
#[derive(Debug, Default)]
struct WatchSentences {
    is_invited: bool,
    is_away: bool,
}

impl WatchSentences {
    /// Those that are due. A cut is asked for when the witness has something by which it can be judged, and not before.
    fn describe(&mut self, told: &Link, invitation: Option<&String>) -> Vec<String> {
        let mut due = Vec::new();
        let is_away = told.away.is_some_and(|time| time >= AWAY);
        let waiting = told.acknowledged - told.stored;
        if is_away && !self.is_away {
            let why = told.why.as_deref().unwrap_or("it does not answer");
            due.push(format!(
                "the witness stores nothing ({why}): {waiting} blocks wait for it, and a check tells nothing of those that still wait when the power goes"
            ));
        } else if self.is_away && told.away.is_none() {
            due.push(format!("the witness stores again, and has {} blocks", told.stored));
        }
        self.is_away = is_away || self.is_away && told.away.is_some();
        if told.stored > 0 && !self.is_away && !self.is_invited {
            self.is_invited = true;
            due.extend(invitation.cloned());
        }
        due
    }
}

/// The user's command that cuts the power. It ends with the writing, with all that it started, since a cut that comes later proves nothing.
#[derive(Debug, Default)]
struct CutCommand {
    child: Option<Child>,
    has_ended: bool,
}

impl CutCommand {
    /// Starts it, once, behind everything that was acknowledged until then.
    fn begin(&mut self, command: &str, shared: &SharedWrites) -> Result<()> {
        if self.child.is_some() || self.has_ended {
            return Ok(());
        }
        let now = jiff::Timestamp::now().as_nanosecond() as i64;
        // What is not taken is only a note.
        drop(shared.client.event(now, b"cut asked"));
        let mut shell = Command::new("/bin/sh");
        let child = shell.args(["-c", command]).stdin(Stdio::null()).stdout(Stdio::null()).process_group(0).spawn();
        self.child = Some(child.context("the command that is to cut the power cannot be started")?);
        Ok(())
    }

    fn is_running(&self) -> bool {
        self.child.is_some()
    }

    /// True once, when it has ended well.
    fn has_just_ended(&mut self) -> Result<bool> {
        let Some(status) = self.child.as_mut().map(Child::try_wait).transpose()?.flatten() else { return Ok(false) };
        (self.child, self.has_ended) = (None, true);
        match status.success() {
            true => Ok(true),
            false => Err(complaint(format!("the command that is to cut the power ended with {status}"), "try it by itself first")),
        }
    }
}

impl Drop for CutCommand {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::TERM);
        }
        let _ = child.try_wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_asked_for_once_the_witness_has_something_and_its_absence_is_said_once() {
        let (mut sentences, invitation) = (WatchSentences::default(), "cut now".to_owned());
        let mut due = |stored, away_s: Option<u64>| {
            let (away, why) = (away_s.map(Duration::from_secs), away_s.map(|_| "no room".to_owned()));
            sentences.describe(&Link { acknowledged: 9, stored, away, why, error: None }, Some(&invitation))
        };
        assert!(due(0, None).is_empty() && due(0, Some(0)).is_empty());
        let away = due(0, Some(1));
        assert!(away.len() == 1 && away[0].contains("no room") && away[0].contains("9 blocks"), "{away:?}");
        assert!(due(0, Some(2)).is_empty());
        assert_eq!(due(5, None), ["the witness stores again, and has 5 blocks", "cut now"]);
        assert!(due(9, None).is_empty() && due(9, Some(1)).len() == 1 && due(9, None).len() == 1);
    }
}
