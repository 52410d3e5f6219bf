//! Asks an ATA drive behind a SCSI translator (libata, a SAS adapter, a bridge) for all that it says of itself.
//!
//! Optional logs are asked for only where IDENTIFY DEVICE says that they are there. The pages come in the order in which their figures are to be believed: statistics in the
//! standard's units before SMART attributes, which are the maker's.

use super::page_reader::PageReader;
use crate::transport::scsi::{AtaCommand, ScsiCommand};
use ioproof_pages::field::{Page, Value};
use ioproof_pages::pages::ata::{device_statistics, identify_device, smart_data, smart_status, smart_thresholds, statistics_pages};

/// The pages of the drive, and whether it takes ATA commands; `identity` is what stands in for IDENTIFY DEVICE where it does not.
pub(crate) fn ata_pages(reader: &mut PageReader, identity: Option<Page>) -> bool {
    let asked = reader.data(ScsiCommand::Ata(AtaCommand::IdentifyDevice), identify_device).is_some();
    if !asked {
        reader.pages.extend(identity);
    }
    // Where this one does not come through the translator, the others do not either.
    if !asked || reader.last().is_some_and(|page| page.fields.is_empty()) {
        return false;
    }
    let is = |reader: &PageReader, key: &str| {
        reader.last().is_some_and(|page| page.field(key).is_some_and(|field| field.value == Value::Flag(true)))
    };
    let (has_logs, has_smart) = (is(reader, "general_purpose_logging_supported"), is(reader, "smart_enabled"));
    if has_logs {
        statistics(reader);
    }
    if has_smart {
        smart(reader);
    }
    true
}

fn statistics(reader: &mut PageReader) {
    let block_bytes = reader.number("logical_block_bytes");
    let mut listed = Vec::new();
    reader.data(ScsiCommand::Ata(AtaCommand::StatisticsPages), |bytes, source| {
        let (pages, page) = statistics_pages(bytes, source);
        listed = pages;
        page
    });
    for which in listed {
        let read = |bytes: &[u8], source| device_statistics(which, bytes, block_bytes, source);
        reader.data(ScsiCommand::Ata(AtaCommand::Statistics(which)), read);
    }
}

fn smart(reader: &mut PageReader) {
    reader.sense(ScsiCommand::Ata(AtaCommand::SmartStatus), smart_status);
    let data = reader.data(ScsiCommand::Ata(AtaCommand::SmartData), smart_data);
    reader.data(ScsiCommand::Ata(AtaCommand::SmartThresholds), |bytes, source| smart_thresholds(bytes, data.as_deref(), source));
}
