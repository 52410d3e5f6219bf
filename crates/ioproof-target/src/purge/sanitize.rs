//! A sanitize: begun by one command, and then followed in the drive's log until it has ended, failed or takes too long. It goes on in the drive without us, also over a
//! loss of power, and nothing ends it early.

use super::admin::{self, CommandError};
use super::command::{Command, SANITIZE_STATUS_BYTES};
use super::status::{SanitizeAction, SanitizeState, SanitizeStatus};
use super::{OpenDisk, PurgeProgress, abilities, timed_out};
use crate::error::TargetError;
use ioproof_core::units::percent;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::{Duration, Instant};

/// Time between two looks at the log.
const LOOK: Duration = Duration::from_millis(500);

const GOES_ON: &str = "it goes on in the drive, which answers no I/O until it has ended; the same command waits for it again";

/// Sanitizes the drive of a namespace, and gives the method in words.
pub(super) fn run(
    disk: &OpenDisk<'_>,
    action: Option<SanitizeAction>,
    at_most: Duration,
    tell: &mut PurgeProgress<'_>,
) -> Result<&'static str, TargetError> {
    let fd = disk.handle.as_fd();
    let action = action.ok_or_else(|| TargetError::unsuitable(&disk.path, "cannot be sanitized"))?;
    let expected = status(fd).ok().and_then(|status| status.expected_s_of(action));
    tell(action.words(), 0.0);
    admin::send(fd, Command::Sanitize(action), None, &mut []).map_err(|error| failed(&disk.path, &error))?;
    follow(&disk.path, Wait { at_most, pause: LOOK, expected_s: expected }, &mut || status(fd), tell)
}

/// Waits for one that is under way; `None` where none is.
pub(super) fn join(
    path: &Path,
    fd: BorrowedFd<'_>,
    at_most: Duration,
    tell: &mut PurgeProgress<'_>,
) -> Result<Option<&'static str>, TargetError> {
    let under_way = || {
        let can_sanitize = abilities::controller(fd).is_ok_and(|controller| controller.sanitizes());
        can_sanitize.then(|| status(fd).ok()).flatten().filter(|status| status.state == SanitizeState::InProgress)
    };
    let Some(found) = under_way() else { return Ok(None) };
    tell(found.method(), found.share);
    follow(path, Wait { at_most, pause: LOOK, expected_s: None }, &mut || status(fd), tell).map(Some)
}

/// The patience of who waits.
struct Wait {
    at_most: Duration,
    pause: Duration,
    /// Time that the drive expects. Seconds.
    expected_s: Option<u32>,
}

fn follow(
    path: &Path,
    wait: Wait,
    read: &mut dyn FnMut() -> Result<SanitizeStatus, CommandError>,
    tell: &mut PurgeProgress<'_>,
) -> Result<&'static str, TargetError> {
    let began = Instant::now();
    let mut known = String::new();
    loop {
        match read() {
            Ok(status) => match status.state {
                SanitizeState::Done => return Ok(status.method()),
                SanitizeState::InProgress => {
                    tell(status.method(), status.share);
                    known = format!(", at {}", percent(status.share));
                }
                SanitizeState::Failed => {
                    let hint = "try another method; `nvme sanitize-log` shows what the drive says of it";
                    return Err(TargetError::unsuitable_hint(path, "failed to sanitize itself, by its own account", hint));
                }
                SanitizeState::Never | SanitizeState::Other(_) => known = ", and the drive does not say that it began".to_owned(),
            },
            // The drive may be busy with itself; one that has gone is not.
            Err(CommandError::Status(_)) => {}
            Err(error) => return Err(failed(path, &error)),
        }
        if began.elapsed() >= wait.at_most {
            let expected = wait.expected_s.map(|seconds| format!(" (it expected {seconds} s)")).unwrap_or_default();
            return Err(timed_out(path, format!("has not ended its sanitize{known}{expected}"), GOES_ON, wait.at_most));
        }
        std::thread::sleep(wait.pause);
    }
}

fn failed(path: &Path, error: &CommandError) -> TargetError {
    TargetError::unsuitable(path, format!("was not sanitized: {error}"))
}

fn status(fd: BorrowedFd<'_>) -> Result<SanitizeStatus, CommandError> {
    let mut page = [0; SANITIZE_STATUS_BYTES];
    admin::send(fd, Command::SanitizeStatus, None, &mut page)?;
    Ok(SanitizeStatus::of(&page))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::purge::status::tests::page;

    /// A drive whose log reads so, the last answer again and again; what it comes to, and the shares that were told.
    fn follows(answers: &[Result<(u16, u16), u16>]) -> (Result<&'static str, String>, Vec<f64>) {
        let (mut at, mut shares) = (0, Vec::new());
        let mut read = || {
            let answer = answers[at.min(answers.len() - 1)];
            at += 1;
            answer.map(|(state, progress)| SanitizeStatus::of(&page(state, progress, 0xa))).map_err(CommandError::Status)
        };
        // Time is up at the first look at it where the last answer goes on for good.
        let at_most = if matches!(answers.last(), Some(Ok((1 | 3, _)))) { Duration::from_secs(3600) } else { Duration::ZERO };
        let wait = Wait { at_most, pause: Duration::ZERO, expected_s: Some(90) };
        let found = follow(Path::new("/dev/nvme0n1"), wait, &mut read, &mut |_, share| shares.push(share));
        (found.map_err(|error| format!("{error} {}", error.hint().unwrap_or_default())), shares)
    }

    #[test]
    fn it_is_followed_to_its_end() {
        let (found, shares) = follows(&[Ok((2, 0)), Ok((2, 0x8000)), Err(0x1d), Ok((1, 0xffff))]);
        assert_eq!((found, shares), (Ok("sanitize (block erase)"), vec![0.0, 0.5]));
    }

    #[test]
    fn one_that_fails_or_never_ends_is_told_with_all_that_is_known() {
        let failed = follows(&[Ok((2, 0)), Ok((3, 0xffff))]).0.unwrap_err();
        assert!(failed.contains("failed to sanitize itself"), "{failed}");
        let endless = follows(&[Ok((2, 0x4000))]).0.unwrap_err();
        assert!(
            endless.contains("has not ended its sanitize, at 25.0 % (it expected 90 s) after 0 s") && endless.contains("goes on"),
            "{endless}"
        );
        let silent = follows(&[Ok((0, 0xffff))]).0.unwrap_err();
        assert!(silent.contains("does not say that it began"), "{silent}");
    }
}
