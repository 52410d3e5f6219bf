//! State that a controller gives a drive: whether it uses the drive, gave it up, or examines it.

const FAULTS: &str = "controller_faults";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DriveState {
    /// Used, or ready to be.
    Fine,
    /// The controller saw an error that it could not get over.
    GivenUp,
    /// The controller does not use the drive. An error, a missing cable or an administrator may be why.
    NotUsed,
    /// The controller saw an error and examines the drive.
    UnderDiagnosis,
}

use crate::paste::page::{PageBuilder, PastedLine, Value};
use DriveState::{Fine, GivenUp, NotUsed, UnderDiagnosis};

/// Beginnings of states in lower case, the longer of two before the shorter.
#[rustfmt::skip]
const STATES: &[(&str, DriveState)] = &[
    // storcli, perccli; `Online`, `Good` and `Bad` are of their second version.
    ("onln", Fine), ("ugood", Fine), ("jbod", Fine), ("ghs", Fine), ("dhs", Fine), ("rbld", Fine), ("cpybck", Fine), ("ugunsp", Fine),
    ("sntze", Fine), ("good", Fine), ("ubad", NotUsed), ("ubunsp", NotUsed), ("bad", NotUsed), ("offln", NotUsed), ("msng", NotUsed),
    ("ugshld", UnderDiagnosis), ("hspshld", UnderDiagnosis), ("cfshld", UnderDiagnosis), ("cbshld", UnderDiagnosis),
    // MegaCli.
    ("unconfigured(good)", Fine), ("unconfigured(bad)", NotUsed), ("hotspare", Fine), ("rebuild", Fine), ("copyback", Fine),
    // arcconf, ssacli, promiseutil.
    ("online", Fine), ("ready", Fine), ("raw", Fine), ("hot spare", Fine), ("hot-spare", Fine), ("global hot-spare", Fine),
    ("dedicated hot-spare", Fine), ("rebuilding", Fine), ("optimal", Fine), ("ok", Fine), ("failed", GivenUp), ("failure", GivenUp),
    ("defunct", GivenUp), ("dead", GivenUp), ("offline", NotUsed), ("missing", NotUsed),
    ("not usable", NotUsed), ("not responding", NotUsed),
];

/// Takes the state; one that is not known counts as a line on health that could not be read.
pub(super) fn state(builder: &mut PageBuilder, word: &str, line: &PastedLine) {
    let word = word.trim();
    if matches!(word, "" | "-" | "N/A") {
        return;
    }
    let word_class = match known(word) {
        Some(Fine) => return builder.add_word(FAULTS, None, line.number),
        Some(GivenUp) => "given up",
        Some(NotUsed) => "not used",
        Some(UnderDiagnosis) => "under diagnosis",
        None => return builder.unread_health(line),
    };
    let fault = format!("{word} ({word_class})");
    let is_known = builder.field(FAULTS).is_some_and(|(field, _)| matches!(&field.value, Value::List(words) if words.contains(&fault)));
    builder.add_word(FAULTS, Some(fault.as_str()).filter(|_| !is_known), line.number);
}

fn known(word: &str) -> Option<DriveState> {
    let word = word.to_lowercase();
    let is_whole = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    let state = STATES.iter().find(|(state, _)| word.strip_prefix(state).is_some_and(is_whole)).map(|(_, state)| *state);
    match state {
        // A predicted failure stands behind a state that is fine.
        Some(Fine) if ["pfa", "predict", "fail"].iter().any(|part| word.contains(part)) => Some(GivenUp),
        _ if word.contains("shield") => Some(UnderDiagnosis),
        state => state,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_of_every_tool() {
        for (words, state) in [
            (&["Onln", "UGood", "JBOD", "GHS", "DHS", "Online, Spun Up", "Unconfigured(good), Spun down", "Hotspare, Spun Up"][..], Fine),
            (&["Online (JBOD)", "Raw (Pass Through)", "Global Hot-Spare", "OK", "OK (Rebuilding)", "Ready"][..], Fine),
            (&["Failed", "Failed (Removed)", "Defunct", "Dead", "OK, PFA"][..], GivenUp),
            (&["UBad", "UBUnsp", "Offln", "Unconfigured(bad)", "Offline, Spun down", "Missing"][..], NotUsed),
            (&["CFShld", "Unconfigured(Shielded)"][..], UnderDiagnosis),
        ] {
            words.iter().for_each(|word| assert_eq!(known(word), Some(state), "{word}"));
        }
        assert_eq!((known("Okay"), known("Onlnx"), known("perhaps")), (None, None, None));
    }
}
