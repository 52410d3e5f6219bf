//! Flags by which a verb compares.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ioproof_session::compared::FailIf;

/// Flags by which a verb that measures compares as it ends.
#[derive(Debug, Clone, Args)]
pub struct BaselineFlags {
    /// When it ends, hold it against this stored run, which has ended: its id, the beginning of one, short id, name, `last`, or a path
    #[arg(long, value_name = "RUN")]
    pub baseline: Option<String>,
    /// End with status 1 where that is so against the baseline, or of the second of two targets in turns
    #[arg(long, value_parser = answers(), value_name = "ANSWER")]
    pub fail_if: Option<FailIf>,
}

/// Reads the answer of `--fail-if`.
pub fn answers() -> impl TypedValueParser<Value = FailIf> {
    let worse = PossibleValue::new("worse").help("A figure of any run is worse than the first run's");
    PossibleValuesParser::new([worse]).map(|_| FailIf::Worse)
}
