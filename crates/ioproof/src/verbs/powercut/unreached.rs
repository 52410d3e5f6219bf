//! Errors of speaking to a witness, with the way out of each.

use ioproof_process::complaint::complaint;
use ioproof_witness::{Error, Reason, perhaps_meant};

pub fn unreached(witness: &str, error: &Error) -> anyhow::Error {
    let meant = perhaps_meant(witness).map(|meant| format!("if a port was meant: {meant}; else "));
    complaint(format!("the witness at {witness}: {error}"), meant.unwrap_or_default() + way_out(error))
}

fn way_out(error: &Error) -> &'static str {
    match error {
        Error::WrongKey => "copy the key file from the witness anew, or name the right one with --key-file",
        Error::OtherVersion { .. } | Error::Malformed(_) | Error::Refused { reason: Reason::Malformed, .. } => {
            "use the same version of ioproof on both machines"
        }
        Error::NoSuchName { .. } => "see how the name of the witness is spelled, or give its address: --witness 192.0.2.1",
        Error::NoWitness => "name the port of the witness (--witness HOST:PORT), which it says when it starts",
        Error::Lost { .. } => "records that the witness had stored are gone from its disk: begin a new campaign, and look after that disk",
        Error::Refused { reason: Reason::Storage, .. } => {
            "make room on the disk of the witness, or have it keep its records elsewhere: ioproof powercut witness --dir DIR"
        }
        Error::Refused { reason: Reason::InUse, .. } => {
            "wait until that writer has ended, or begin a campaign of your own without --campaign"
        }
        Error::Refused { reason: Reason::Taken, .. } => "another writer has taken this campaign over: begin a new one without --campaign",
        Error::Refused { reason: Reason::Unknown, .. } => "ioproof powercut list --witness HOST shows the campaigns",
        Error::Refused { reason: Reason::Limit, .. } => "have the witness begin a new folder: ioproof powercut witness --dir DIR",
        Error::Refused { reason: Reason::Busy, .. } => "try again in a moment",
        _ => "on the other machine: ioproof powercut witness; see that a firewall lets its port through",
    }
}
