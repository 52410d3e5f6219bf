//! A drive that is a script: it knows which commands are to come, in which order and with what in every field, and answers each as written down.

use super::command::{NvmeCommand, Wire};
use super::{NvmeAnswer, NvmeRefusal, NvmeTransport};
use std::collections::VecDeque;

/// One command that is to come, and what it is answered with.
#[derive(Debug)]
pub(crate) struct Step {
    opcode: u8,
    namespace: u32,
    cdw10: u32,
    cdw11: u32,
    length: u32,
    answer: Result<NvmeAnswer, NvmeRefusal>,
}

/// A step that is answered with the 32 bits of the completion and data.
pub(crate) fn step(opcode: u8, namespace: u32, [cdw10, cdw11]: [u32; 2], length: u32, result: u32, data: &[u8]) -> Step {
    Step { opcode, namespace, cdw10, cdw11, length, answer: Ok(NvmeAnswer { result, data: data.to_vec() }) }
}

impl Step {
    /// The same step, refused.
    pub(crate) fn refused(self, refusal: NvmeRefusal) -> Self {
        Self { answer: Err(refusal), ..self }
    }
}

/// The drive. A test that ends before its script has failed.
#[derive(Debug)]
pub(crate) struct Scripted {
    namespace: Option<u32>,
    steps: VecDeque<Step>,
}

impl Scripted {
    pub(crate) fn new(namespace: Option<u32>, steps: impl IntoIterator<Item = Step>) -> Self {
        Self { namespace, steps: steps.into_iter().collect() }
    }

    /// To be called at the end: every command of the script has come.
    pub(crate) fn is_over(&self) -> bool {
        self.steps.is_empty()
    }
}

impl NvmeTransport for Scripted {
    fn name(&self) -> String {
        "/dev/nvme7".to_owned()
    }

    fn namespace(&mut self) -> Option<u32> {
        self.namespace
    }

    fn ask(&mut self, command: NvmeCommand) -> Result<NvmeAnswer, NvmeRefusal> {
        let Wire { opcode, namespace, cdw10, cdw11, length } = command.wire();
        let Some(step) = self.steps.pop_front() else { panic!("{command} is not in the script") };
        let sent = (opcode as u8, namespace, cdw10, cdw11, length);
        assert_eq!(sent, (step.opcode, step.namespace, step.cdw10, step.cdw11, step.length), "{command}");
        step.answer
    }
}
