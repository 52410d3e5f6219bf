//! Sentences about a session that was written: its result, and the command that checks it.

use crate::verbs::powercut::flags::CutWrite;
use anyhow::Result;
use ioproof_core::text::shell_word;
use ioproof_process::output;
use serde::Serialize;

/// Document of `--json`.
#[derive(Debug, Serialize)]
pub(super) struct WriteDocument {
    pub campaign: String,
    pub session: u32,
    /// Steps that were acknowledged: writes, trims, operations on names.
    pub acknowledged: u64,
    pub stored: u64,
    /// Reason for which that is not all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_stored: Option<String>,
    pub seconds: f64,
    /// Reasons for which streams ended by themselves; the cut is one.
    pub ended: Vec<String>,
    /// Said where the command of `--cut-with` ended well, and writing went on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_cut: Option<&'static str>,
}

pub(super) const NOT_CUT: &str =
    "the command of --cut-with ended without an error, and no write stopped until the end: see that it cuts the power of the drive";

/// The command that checks this session after the cut, ready for a shell.
pub(super) fn check_command(args: &CutWrite, campaign: &str) -> String {
    let mut words = vec!["ioproof".into(), "powercut".into(), "check".into(), args.target.display().to_string()];
    words.extend(["--witness".into(), args.at.witness.clone()]);
    words.extend(args.at.key_file.iter().flat_map(|file| ["--key-file".into(), file.display().to_string()]));
    words.extend(["--campaign".into(), campaign.to_owned()]);
    words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
}

pub(super) fn tell(args: &CutWrite, document: &WriteDocument) -> Result<()> {
    if args.json {
        return output::print_document(document);
    }
    let WriteDocument { acknowledged, stored, seconds, .. } = document;
    let mut lines = vec![format!("{acknowledged} blocks were acknowledged in {seconds:.1} s, of which the witness has {stored}")];
    lines.extend(
        document.not_stored.iter().map(|why| format!("the witness has not stored the rest, of which a check tells nothing: {why}")),
    );
    lines.extend(document.ended.iter().map(|reason| format!("writing ended: {reason}")));
    lines.extend(document.not_cut.map(str::to_owned));
    lines.push(format!("when the power is back: {}", check_command(args, &document.campaign)));
    output::print_lines(lines)
}
