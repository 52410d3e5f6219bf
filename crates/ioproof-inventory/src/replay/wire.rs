//! A drive that is a folder: it answers each command with the file that is named after it, so that the very code that asks a drive asks the capture.

use crate::answers::slug;
use ioproof_device::{
    AtaCommand, NvmeAnswer, NvmeCommand, NvmeRefusal, NvmeTransport, ScsiAnswer, ScsiCommand, ScsiRefusal, ScsiTransport,
};
use ioproof_pages::pages::scsi::{ModeSense, Sense};
use std::collections::BTreeSet;

/// The files of one drive, and what was asked for.
#[derive(Debug, Default)]
pub struct KeptAnswers {
    pub node: String,
    /// Slug and bytes, in the order of the files.
    pub answers: Vec<(String, Vec<u8>)>,
    /// Slugs of commands that have a page instead of bytes.
    pub told: BTreeSet<String>,
    /// True when answers that are not here were not permitted.
    pub denied: bool,
    pub asked: BTreeSet<String>,
}

/// Reason for a missing answer. The page that was captured, or a line about the file that is missing, takes its place.
const ABSENT: &str = "the capture has no answer";

impl KeptAnswers {
    fn bytes(&mut self, slug: &str) -> Option<Vec<u8>> {
        self.asked.insert(slug.to_owned());
        self.answers.iter().find(|(own, _)| own == slug).map(|(_, bytes)| bytes.clone())
    }

    fn has(&self, slug: &str) -> bool {
        self.told.contains(slug) || self.answers.iter().any(|(own, _)| own == slug)
    }

    fn is_denied(&self, slug: &str) -> bool {
        self.denied && !self.told.contains(slug)
    }
}

impl NvmeTransport for KeptAnswers {
    fn name(&self) -> String {
        self.node.clone()
    }

    /// The namespace of the node was asked first.
    fn namespace(&mut self) -> Option<u32> {
        self.answers.iter().find_map(|(slug, _)| slug.strip_prefix("identify-cns-00h-namespace-")?.parse().ok())
    }

    fn ask(&mut self, command: NvmeCommand) -> Result<NvmeAnswer, NvmeRefusal> {
        let slug = slug(&command.to_string());
        match (self.bytes(&slug), command) {
            (Some(bytes), NvmeCommand::Feature(_)) => Ok(of_feature(&bytes)),
            (Some(data), _) => Ok(NvmeAnswer { result: 0, data }),
            (None, _) if self.is_denied(&slug) => Err(NvmeRefusal::NotPermitted),
            (None, _) => Err(NvmeRefusal::System(ABSENT.to_owned())),
        }
    }
}

/// The completion stands before the data.
fn of_feature(bytes: &[u8]) -> NvmeAnswer {
    let (result, data) = bytes.split_at(bytes.len().min(4));
    let mut whole = [0; 4];
    whole[..result.len()].copy_from_slice(result);
    NvmeAnswer { result: u32::from_le_bytes(whole), data: data.to_vec() }
}

/// The length of the shorter INQUIRY. Bytes.
const INQUIRY_BYTES: usize = 36;
const ILLEGAL_REQUEST: ScsiRefusal = ScsiRefusal::Sense(Sense { key: 5, asc: 0x20, ascq: 0, registers: None });

impl ScsiTransport for KeptAnswers {
    fn name(&self) -> String {
        self.node.clone()
    }

    fn ask(&mut self, command: ScsiCommand) -> Result<ScsiAnswer, ScsiRefusal> {
        let slug = slug(&command.to_string());
        let Some(mut data) = self.bytes(&slug) else { return Err(self.refusal(command, &slug)) };
        let answer = match command {
            ScsiCommand::Ata(AtaCommand::SmartStatus) => ScsiAnswer { data: Vec::new(), sense: data },
            ScsiCommand::InquiryWhole if data.len() <= INQUIRY_BYTES => return Err(ScsiRefusal::System(ABSENT.to_owned())),
            ScsiCommand::Inquiry => {
                data.truncate(INQUIRY_BYTES);
                ScsiAnswer { data, sense: Vec::new() }
            }
            _ => ScsiAnswer { data, sense: Vec::new() },
        };
        Ok(answer)
    }
}

impl KeptAnswers {
    /// MODE SENSE (6) was asked only because (10) was not known, of which no page is left.
    fn refusal(&self, command: ScsiCommand, slug_of_it: &str) -> ScsiRefusal {
        let six = slug(&ScsiCommand::Caching(ModeSense::Six).to_string());
        match command {
            ScsiCommand::Caching(ModeSense::Ten) if self.has(&six) => ILLEGAL_REQUEST,
            _ if self.is_denied(slug_of_it) => ScsiRefusal::NotPermitted,
            _ => ScsiRefusal::System(ABSENT.to_owned()),
        }
    }
}
