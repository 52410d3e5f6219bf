//! Errors of ours as they are told: what failed, the cause, and a hint where one helps.

use crate::interrupt::INTERRUPTED;
use crate::messages;
use ioproof_engine::EngineError;
use ioproof_runner::Failure;
use ioproof_target::TargetError;
use ioproof_target::output_file::OutputError;

#[derive(Debug)]
pub struct HintedError {
    message: String,
    hint: String,
}

impl std::fmt::Display for HintedError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for HintedError {}

pub fn complaint(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
    HintedError { message: message.into(), hint: hint.into() }.into()
}

pub fn print(error: &anyhow::Error) {
    messages::error(&describe(error));
    hints(error).iter().for_each(|hint| messages::hint(hint));
}

/// An error, or where the user has ended the program by then its exit status: there is nothing to report, and the error is none of ours.
///
/// # Errors
/// The error itself, where nobody ended anything.
pub fn or_interrupted(error: anyhow::Error, is_interrupted: bool) -> anyhow::Result<u8> {
    if !is_interrupted {
        return Err(error);
    }
    interrupted(&error);
    Ok(INTERRUPTED)
}

fn interrupted(error: &anyhow::Error) {
    messages::say(&format!("interrupted before anything was measured: {}", describe(error)));
    hints(error).iter().for_each(|hint| messages::hint(hint));
}

/// Says on standard error what was left undone because of an error that ends nothing.
pub fn warn(what: &str, error: &anyhow::Error) {
    messages::warning(&format!("{what}: {}", describe(error)));
    hints(error).iter().for_each(|hint| messages::hint(hint));
}

/// The error and its causes in one line, without saying a cause twice.
pub fn describe(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() || cause.starts_with(&format!("{text}: ")) {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// The hints of an error and its causes.
#[must_use]
pub fn hints(error: &anyhow::Error) -> Vec<String> {
    let of = |cause: &(dyn std::error::Error + 'static)| {
        let target = cause.downcast_ref::<TargetError>().and_then(TargetError::hint);
        let engine = cause.downcast_ref::<EngineError>().and_then(EngineError::hint).map(str::to_owned);
        let output = cause.downcast_ref::<OutputError>().map(|error| error.hint().to_owned());
        let own = cause.downcast_ref::<HintedError>().map(|c| c.hint.clone());
        let runner = cause.downcast_ref::<Failure>().and_then(|failure| failure.hint.clone());
        target.or(engine).or(runner).or(output).or(own)
    };
    error.chain().filter_map(of).collect()
}
