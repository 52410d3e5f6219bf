//! A drive that is a script: it knows what it answers to each command, refuses every other, and keeps what it was asked.

use super::{ScsiAnswer, ScsiCommand, ScsiRefusal, ScsiTransport};
use ioproof_pages::pages::scsi::Sense;

/// The drive.
#[derive(Debug, Default)]
pub(crate) struct ScriptedScsi {
    answers: Vec<(ScsiCommand, Result<ScsiAnswer, ScsiRefusal>)>,
    /// All commands that came, in their order.
    pub(crate) asked: Vec<ScsiCommand>,
}

/// Answer of a drive to a command that it does not have.
pub(crate) const UNKNOWN: ScsiRefusal = ScsiRefusal::Sense(Sense { key: 5, asc: 0x20, ascq: 0, registers: None });

impl ScriptedScsi {
    /// The same, with data as the answer to one more command; the last that was said of a command counts.
    pub(crate) fn with(self, command: ScsiCommand, data: &[u8]) -> Self {
        self.answering(command, Ok(ScsiAnswer { data: data.to_vec(), sense: Vec::new() }))
    }

    /// The same, with any answer to one more command.
    pub(crate) fn answering(mut self, command: ScsiCommand, answer: Result<ScsiAnswer, ScsiRefusal>) -> Self {
        self.answers.insert(0, (command, answer));
        self
    }
}

impl ScsiTransport for ScriptedScsi {
    fn name(&self) -> String {
        "/dev/sdq".to_owned()
    }

    fn ask(&mut self, command: ScsiCommand) -> Result<ScsiAnswer, ScsiRefusal> {
        self.asked.push(command);
        let answer = self.answers.iter().find(|(known, _)| *known == command);
        answer.map_or(Err(UNKNOWN), |(_, answer)| answer.clone())
    }
}
