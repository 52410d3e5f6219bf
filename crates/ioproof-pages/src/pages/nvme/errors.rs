//! Error Information (log page 01h): the commands that failed last, the newest first.

use super::BASE;
use super::status::STATUS;
use crate::pages::{
    ByteOrder, FieldKind, FieldRow, GroupCount, Page, PageTable, RepeatedGroup, Value, bits, decode, field, is_not, place, row, table,
};

pub const ERROR_ENTRY_BYTES: usize = 64;

const ENTRIES_MAX: usize = 256;

const ERROR_LOG: PageTable = PageTable {
    least: ERROR_ENTRY_BYTES,
    groups: &[RepeatedGroup {
        at: 0,
        stride: ERROR_ENTRY_BYTES,
        count: GroupCount::Fixed(ENTRIES_MAX),
        first: 0,
        used: Some(is_not(place(0, 8), 0)),
        rows: ENTRY,
    }],
    ..table(ByteOrder::Little, "error-log", "Error Information", BASE, "clause 5.16.1.2", ENTRIES_MAX * ERROR_ENTRY_BYTES)
}
.checked();

pub fn error_log(bytes: &[u8], source: impl Into<String>) -> Page {
    let mut page = decode(&ERROR_LOG, bytes, source);
    let (entries, rest) = bytes.as_chunks::<ERROR_ENTRY_BYTES>();
    if !entries.is_empty() && !rest.is_empty() {
        page.problems.push(format!("ends within entry {}", entries.len()));
    }
    let used = entries.iter().take(ENTRIES_MAX).filter(|entry| entry[..8] != [0; 8]).count();
    let source = format!("entries whose error count is not 0 ({BASE}, clause 5.16.1.2)");
    page.fields.insert(0, field("error_log_used_entries", "errors in the log", Value::Number(used as u64), "entries", source));
    page
}

const NO_COMMAND: u128 = 0xffff;

const ENTRY: &[FieldRow] = &[
    row("error_#_count", "error # was the drive's error number", place(0, 8), FieldKind::Unsigned),
    row("error_#_queue", "error # submission queue", place(8, 2), FieldKind::Unsigned).unless(NO_COMMAND),
    row("error_#_command", "error # command", place(10, 2), FieldKind::Unsigned).unless(NO_COMMAND),
    row("error_#_status", "error # status", place(12, 2).bits(1, 11), FieldKind::OneOf(STATUS)),
    row("error_#_status_field", "error # status field with its flags", place(12, 2), FieldKind::HexNumber),
    row("error_#_do_not_retry", "error # is not worth a retry", place(12, 2).bits(15, 1), FieldKind::Flag),
    row("error_#_parameter_byte", "error # lies in the command's byte", bits(14, 0, 8), FieldKind::Unsigned)
        .when(is_not(place(14, 2), 0xffff)),
    row("error_#_parameter_bit", "error # lies in bit", bits(15, 0, 3), FieldKind::Unsigned).when(is_not(place(14, 2), 0xffff)),
    row("error_#_block", "error # first block", place(16, 8), FieldKind::Unsigned),
    row("error_#_namespace", "error # namespace", place(24, 4), FieldKind::Unsigned).unless(0),
    row("error_#_vendor_log", "error # has more in log page", place(28, 1), FieldKind::HexNumber).unless(0),
    row("error_#_transport", "error # transport", place(29, 1), FieldKind::OneOf(TRANSPORTS)).unless(0),
    row("error_#_command_specific", "error # command specific information", place(32, 8), FieldKind::HexNumber).unless(0),
    row("error_#_transport_specific", "error # transport specific information", place(40, 2), FieldKind::HexNumber).unless(0),
];

const TRANSPORTS: &[(u128, &str)] = &[(1, "RDMA"), (2, "Fibre Channel"), (3, "TCP"), (254, "within the host")];
