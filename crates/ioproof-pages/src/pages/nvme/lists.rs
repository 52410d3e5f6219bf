//! Structures without fixed places: the list of active namespaces, the identifiers of one, and the log pages that a controller has.

use super::BASE;
use crate::pages::{ByteOrder, Field, Page, PageTable, Value, decode, field};

/// A list that is code has a table without rows: it makes the page, its hexadecimal digits, and the complaint where it is cut.
const fn list(name: &'static str, title: &'static str, clause: &'static str, length: usize) -> PageTable {
    PageTable { name, title, document: BASE, clause, order: ByteOrder::Little, length, least: length, rows: &[], groups: &[] }.checked()
}

const NAMESPACES: PageTable = list("active-namespaces", "Active Namespace ID list", "clause 5.17.2.2", 4096);
const DESCRIPTORS: PageTable = list("namespace-descriptors", "Namespace Identification Descriptors", "clause 5.17.2.3", 4096);
const SUPPORTED_LOGS: PageTable = list("supported-logs", "Supported Log Pages", "clause 5.16.1.1", 1024);

fn listed(table: &PageTable, key: &str, title: &str, place: &str, value: Value) -> Field {
    field(key, title, value, "", format!("{} {place} ({}, {})", table.title, table.document, table.clause))
}

/// The namespaces of an Active Namespace ID list; it ends with the first 0.
pub fn namespace_ids(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.as_chunks::<4>().0.iter().map(|id| u32::from_le_bytes(*id)).take_while(|id| *id != 0)
}

pub fn namespace_list(bytes: &[u8], source: impl Into<String>) -> Page {
    let mut page = decode(&NAMESPACES, bytes, source);
    let ids: Vec<String> = namespace_ids(bytes).map(|id| id.to_string()).collect();
    page.fields.push(listed(&NAMESPACES, "namespaces", "active namespaces", "entries before the first 0", Value::Number(ids.len() as u64)));
    page.fields.push(listed(&NAMESPACES, "namespace_ids", "their numbers", "entries before the first 0", Value::List(ids)));
    page
}

/// The Namespace Identification Descriptors: `eui64`, `nguid`, `uuid` and `command_set`. Types that are not known are left out.
pub fn descriptors(bytes: &[u8], source: impl Into<String>) -> Page {
    const HEADER: usize = 4;
    let mut page = decode(&DESCRIPTORS, bytes, source);
    let mut at = 0;
    while let Some([kind, length, _, _]) = bytes.get(at..at + HEADER).filter(|header| header[1] != 0) {
        let Some(identifier) = bytes.get(at + HEADER..at + HEADER + usize::from(*length)) else {
            page.problems.push(format!("the descriptor at byte {at} reaches beyond the end"));
            break;
        };
        match descriptor(*kind, identifier) {
            Ok(None) => {}
            Ok(Some((key, ..))) if page.field(key).is_some() => page.problems.push(format!("{key} is there twice, again at byte {at}")),
            Ok(Some((key, title, value))) => page.fields.push(listed(&DESCRIPTORS, key, title, &format!("descriptor at byte {at}"), value)),
            Err(expected) => page.problems.push(format!("the descriptor at byte {at} has {length} bytes instead of {expected}")),
        }
        at += HEADER + usize::from(*length);
    }
    page
}

const COMMAND_SETS: [&str; 3] = ["NVM", "key value", "zoned namespaces"];

type NamedIdentifier = (&'static str, &'static str, Value);

fn descriptor(kind: u8, identifier: &[u8]) -> Result<Option<NamedIdentifier>, usize> {
    let of_length = |length: usize| if identifier.len() == length { Ok(hex(identifier)) } else { Err(length) };
    Ok(Some(match kind {
        1 => ("eui64", "EUI-64", Value::Text(of_length(8)?)),
        2 => ("nguid", "NGUID", Value::Text(of_length(16)?)),
        3 => ("uuid", "UUID", Value::Text(uuid(&of_length(16)?))),
        4 => match identifier {
            [set] => ("command_set", "command set", Value::Text(command_set(*set))),
            _ => return Err(1),
        },
        _ => return Ok(None),
    }))
}

fn command_set(set: u8) -> String {
    COMMAND_SETS.get(usize::from(set)).map_or_else(|| format!("reserved ({set})"), |name| (*name).to_owned())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn uuid(digits: &str) -> String {
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

pub fn supported_log_ids(bytes: &[u8]) -> impl Iterator<Item = u8> {
    const IS_SUPPORTED: u8 = 1;
    let entries = bytes.as_chunks::<4>().0.iter();
    (0_u8..=255).zip(entries).filter(|(_, entry)| entry[0] & IS_SUPPORTED != 0).map(|(id, _)| id)
}

#[rustfmt::skip]
const LOGS: &[(u8, &str)] = &[
    (0x00, "supported log pages"), (0x01, "errors"), (0x02, "SMART"), (0x03, "firmware slots"), (0x04, "changed namespaces"),
    (0x05, "commands supported and effects"), (0x06, "self-tests"), (0x07, "telemetry by the host"),
    (0x08, "telemetry by the controller"), (0x09, "endurance group"), (0x0a, "predictable latency of an NVM set"),
    (0x0b, "predictable latency events"), (0x0c, "asymmetric namespace access"), (0x0d, "persistent events"), (0x0e, "LBA status"),
    (0x0f, "endurance group events"), (0x10, "media unit status"), (0x11, "capacity configurations"),
    (0x12, "features supported and effects"), (0x13, "NVMe-MI commands supported and effects"), (0x14, "command and feature lockdown"),
    (0x15, "boot partition"), (0x16, "rotational media"), (0x70, "discovery"), (0x80, "reservations"), (0x81, "sanitize status"),
];

/// Supported Log Pages (log page 00h): `supported_logs`, each as `02h SMART`.
pub fn supported_logs(bytes: &[u8], source: impl Into<String>) -> Page {
    let mut page = decode(&SUPPORTED_LOGS, bytes, source);
    let name = |id: u8| LOGS.iter().find(|(known, _)| *known == id).map_or("", |(_, name)| name);
    let names = supported_log_ids(bytes).map(|id| format!("{id:02X}h {}", name(id)).trim_end().to_owned()).collect();
    page.fields.push(listed(&SUPPORTED_LOGS, "supported_logs", "log pages", "entries with bit 0 set", Value::List(names)));
    page
}
