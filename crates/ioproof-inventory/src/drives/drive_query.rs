//! Asks a drive: the neighbour that reads the pages of each kind of drive, and the one that judges them.

use anyhow::Result;
use ioproof_core::facts::{DeviceFacts, DriveKind};
use ioproof_core::finding::Finding;
use ioproof_device::ReadError;
use ioproof_pages::field::Page;
use ioproof_pages::health as judge;
use ioproof_target::System;
use serde::Serialize;
use std::path::Path;

#[derive(Debug)]
pub enum DriveAnswer {
    Pages(Vec<Page>),
    /// This user may not ask it.
    Denied(String),
    /// It could not be asked.
    Failed(String),
    NoCommands,
}

/// Asks the drive itself. Nothing is opened for writing, and only commands that read are sent.
pub fn drive(system: &System, kind: DriveKind, node: &Path) -> DriveAnswer {
    match kind {
        DriveKind::Nvme => answer(ioproof_device::nvme_pages(system, node)),
        DriveKind::Sata | DriveKind::Scsi => answer(ioproof_device::scsi_pages(system, node)),
        _ if is_generic_scsi(node) => answer(ioproof_device::scsi_pages(system, node)),
        _ => DriveAnswer::NoCommands,
    }
}

/// A drive may have a generic node (`/dev/sg2`) and no block device.
fn is_generic_scsi(node: &Path) -> bool {
    let name = node.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.strip_prefix("sg").is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

fn answer(read: Result<Vec<Page>, ReadError>) -> DriveAnswer {
    match read {
        Ok(pages) => DriveAnswer::Pages(pages),
        Err(error @ ReadError::NotPermitted(_)) => DriveAnswer::Denied(error.to_string()),
        Err(error) => DriveAnswer::Failed(error.to_string()),
    }
}

/// The I/O path to a drive: its PCIe path, queues and interrupts.
pub fn io_path(system: &System, name: &str) -> Vec<Page> {
    ioproof_device::io_path_pages(system, name)
}

#[derive(Debug, Clone, Serialize)]
pub struct DriveHealth {
    /// `OK`, `OK as far as told`, `watch`, `worn`, `failing` or `unknown`.
    #[serde(rename = "state")]
    pub word: String,
    pub reasons: Vec<String>,
    pub findings: Vec<Finding>,
    /// The judgement as a table: each thing found, what the drive becomes by it, why, and who says so.
    pub table: Vec<judge::HealthRow>,
    /// Health figures that the drive reported, out of those that its kind reports.
    pub rests_on: Vec<String>,
    /// Health figures of its kind that it did not report.
    pub not_told: Vec<String>,
}

/// Judges the pages of a drive; its name may be empty.
pub fn health(drive: &str, pages: &[Page]) -> Option<DriveHealth> {
    let judged = judge::judge(drive, pages);
    let word = state_word(judged.state).to_owned();
    let reasons = judged.findings.iter().map(|finding| format!("{} [{}]", finding.title, finding.source())).collect();
    let table = judged.table();
    Some(DriveHealth { word, reasons, table, findings: judged.findings, rests_on: judged.rests_on, not_told: judged.not_told })
}

pub fn state_word(state: judge::HealthState) -> &'static str {
    match state {
        judge::HealthState::Ok => "OK",
        judge::HealthState::OkAsFarAsTold => "OK as far as told",
        judge::HealthState::Watch => "watch",
        judge::HealthState::Worn => "worn",
        judge::HealthState::Failing => "failing",
        judge::HealthState::Unknown => "unknown",
    }
}

/// Reasons for which a drive is not admitted; empty where it is.
pub fn admit(pages: &[Page], level: judge::Admission) -> Vec<String> {
    judge::admit(pages, level).err().unwrap_or_default()
}

/// The pages in text that another tool printed, of each drive in it.
pub fn pasted(text: &str) -> Result<Vec<Page>> {
    Ok(ioproof_pages::paste::read(text)?)
}

/// Pages that were read out of texts, sorted by drive.
pub fn by_drive(pages: &[Page]) -> Vec<Vec<Page>> {
    ioproof_pages::paste::drives(pages)
}

/// Facts in the pages of one drive; `None` where they do not name a model.
pub fn pasted_facts(pages: &[Page]) -> Option<DeviceFacts> {
    ioproof_pages::paste::facts(pages)
}
