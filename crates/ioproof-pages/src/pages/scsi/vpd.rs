//! The vital product data: each page a table, and what follows from several places of it (SPC-5, SBC-4, SAT-4).

use super::designators::designators;
use super::{SPC, refused, text, two, within};
use crate::pages::ata::identify_device;
use crate::pages::{Field, FieldKind, Page, PageTable, Value, bit, bits, decode, field, is, place, row};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VpdPage {
    Supported,
    SerialNumber,
    Identification,
    ExtendedInquiry,
    AtaInformation,
    BlockLimits,
    BlockCharacteristics,
    Provisioning,
}

impl VpdPage {
    pub const ALL: [Self; 7] = [
        Self::SerialNumber,
        Self::Identification,
        Self::ExtendedInquiry,
        Self::AtaInformation,
        Self::BlockLimits,
        Self::BlockCharacteristics,
        Self::Provisioning,
    ];

    pub const fn code(self) -> u8 {
        self.code_and_table().0
    }

    pub const fn name(self) -> &'static str {
        self.code_and_table().1.name
    }

    const fn code_and_table(self) -> (u8, &'static PageTable) {
        match self {
            Self::Supported => (0x00, &SUPPORTED),
            Self::SerialNumber => (0x80, &SERIAL),
            Self::Identification => (0x83, &IDENTIFICATION),
            Self::ExtendedInquiry => (0x86, &EXTENDED),
            Self::AtaInformation => (0x89, &ATA),
            Self::BlockLimits => (0xb0, &LIMITS),
            Self::BlockCharacteristics => (0xb1, &CHARACTERISTICS),
            Self::Provisioning => (0xb2, &PROVISIONING),
        }
    }
}

const SBC: PageTable = PageTable { document: "SCSI Block Commands 4 (SBC-4)", ..SPC };

const SUPPORTED: PageTable = PageTable { name: "vpd-00", title: "VPD page 00h", clause: "Supported VPD Pages VPD page", ..SPC };
const SERIAL: PageTable = PageTable { name: "vpd-80", title: "VPD page 80h", clause: "Unit Serial Number VPD page", ..SPC };
const IDENTIFICATION: PageTable = PageTable { name: "vpd-83", title: "VPD page 83h", clause: "Device Identification VPD page", ..SPC };

const EXTENDED: PageTable = PageTable {
    name: "vpd-86",
    title: "VPD page 86h",
    clause: "Extended INQUIRY Data VPD page",
    least: 8,
    rows: &[
        row("volatile_write_cache", "volatile cache (V_SUP)", bit(6, 0), FieldKind::Flag),
        row("nonvolatile_cache", "cache that is not volatile (NV_SUP)", bit(6, 1), FieldKind::Flag),
        row("command_priority_supported", "command priority", bit(5, 3), FieldKind::Flag),
        row("protection_types_supported", "protection types (SPT)", bits(4, 3, 3), FieldKind::Unsigned),
        row("write_uncorrectable_supported", "WRITE LONG with uncorrectable error (WU_SUP)", bit(6, 3), FieldKind::Flag),
        row("extended_self_test_minutes", "time of an extended self-test", place(10, 2), FieldKind::Unsigned).unit("minutes").unless(0),
    ],
    ..SPC
}
.checked();

const ATA: PageTable = PageTable {
    name: "vpd-89",
    title: "VPD page 89h",
    document: "SCSI / ATA Translation 4 (SAT-4)",
    clause: "ATA Information VPD page",
    length: 572,
    least: 572,
    rows: &[
        row("translator_vendor", "maker of the translator", place(8, 8), FieldKind::Ascii),
        row("translator_model", "translator", place(16, 16), FieldKind::Ascii),
        row("translator_firmware", "firmware of the translator", place(32, 4), FieldKind::Ascii),
        row(
            "ata_command",
            "command that it was read with",
            place(56, 1),
            FieldKind::OneOf(&[(0xec, "IDENTIFY DEVICE"), (0xa1, "IDENTIFY PACKET DEVICE")]),
        ),
    ],
    ..SPC
}
.checked();

const fn blocks(key: &'static str, title: &'static str, at: usize, bytes: usize) -> crate::pages::table::FieldRow {
    row(key, title, place(at, bytes), FieldKind::Unsigned).unit("blocks").unless(0)
}

const LIMITS: PageTable = PageTable {
    name: "vpd-b0",
    title: "VPD page B0h",
    clause: "Block Limits VPD page",
    least: 16,
    rows: &[
        blocks("max_transfer_blocks", "longest transfer", 8, 4),
        blocks("optimal_transfer_blocks", "best transfer", 12, 4),
        blocks("optimal_transfer_granularity_blocks", "granularity of the best transfer", 6, 2),
        blocks("max_prefetch_blocks", "longest prefetch", 16, 4),
        blocks("max_compare_and_write_blocks", "longest COMPARE AND WRITE", 5, 1),
        // All ones is no limit, 0 is no UNMAP.
        blocks("max_unmap_blocks", "most blocks in one UNMAP", 20, 4).unless(0xffff_ffff),
        row("max_unmap_descriptors", "most ranges in one UNMAP", place(24, 4), FieldKind::Unsigned).unless(0xffff_ffff),
        blocks("unmap_granularity_blocks", "granularity of UNMAP", 28, 4),
        row("unmap_alignment_blocks", "alignment of UNMAP", place(32, 4).bits(0, 31), FieldKind::Unsigned)
            .unit("blocks")
            .when(is(bit(32, 7), 1)),
        blocks("max_write_same_blocks", "longest WRITE SAME", 36, 8),
        blocks("max_atomic_write_blocks", "longest atomic write", 44, 4),
        blocks("atomic_write_alignment_blocks", "alignment of atomic writes", 48, 4),
        blocks("atomic_write_granularity_blocks", "granularity of atomic writes", 52, 4),
        blocks("max_atomic_boundary_write_blocks", "longest atomic write with a boundary", 56, 4),
        blocks("max_atomic_boundary_blocks", "largest atomic boundary", 60, 4),
    ],
    ..SBC
}
.checked();

const FORM_FACTORS: &[(u128, &str)] = &[(1, "5.25 inch"), (2, "3.5 inch"), (3, "2.5 inch"), (4, "1.8 inch"), (5, "less than 1.8 inch")];

const CHARACTERISTICS: PageTable = PageTable {
    name: "vpd-b1",
    title: "VPD page B1h",
    clause: "Block Device Characteristics VPD page",
    least: 8,
    rows: &[
        row("form_factor", "form factor", bits(7, 0, 4), FieldKind::OneOf(FORM_FACTORS)).unless(0),
        row("zoned", "zoned", bits(8, 4, 2), FieldKind::OneOf(&[(1, "host-aware"), (2, "device-managed")])).unless(0),
        row("product_type", "product type", place(6, 1), FieldKind::HexNumber).unless(0),
    ],
    ..SBC
}
.checked();

const PROVISIONING: PageTable = PageTable {
    name: "vpd-b2",
    title: "VPD page B2h",
    clause: "Logical Block Provisioning VPD page",
    least: 8,
    rows: &[
        row("unmap_supported", "UNMAP (LBPU)", bit(5, 7), FieldKind::Flag),
        row("write_same_16_unmap_supported", "WRITE SAME (16) with unmap (LBPWS)", bit(5, 6), FieldKind::Flag),
        row("write_same_10_unmap_supported", "WRITE SAME (10) with unmap (LBPWS10)", bit(5, 5), FieldKind::Flag),
        row(
            "provisioning_type",
            "provisioning",
            bits(6, 0, 3),
            FieldKind::OneOf(&[(0, "not told, or full"), (1, "resource"), (2, "thin")]),
        ),
        row("anchor_supported", "anchored blocks", bit(5, 1), FieldKind::Flag),
        row("provisioning_threshold_exponent", "threshold exponent", place(4, 1), FieldKind::Unsigned).unless(0),
    ],
    ..SBC
}
.checked();

/// A page of vital product data, with its header of four bytes. With the size of a logical block the longest transfer is given in bytes too.
pub fn vpd(which: VpdPage, bytes: &[u8], logical_block_bytes: Option<u64>, source: impl Into<String>) -> Page {
    // A page that is cut behind all that is read of it is as good as whole.
    let (own, _) = two(bytes, 2).map_or((bytes, None), |length| within(bytes, 4 + length));
    let mut page = decode(which.code_and_table().1, own, source);
    if bytes.get(1).is_some_and(|code| *code != which.code()) {
        return refused(page, format!("answers with page {:02X}h", bytes[1]));
    }
    let (fields, problems) = derived(which, own, &page, logical_block_bytes);
    page.fields.extend(fields);
    page.problems.extend(problems);
    page
}

fn derived(which: VpdPage, bytes: &[u8], page: &Page, block_bytes: Option<u64>) -> (Vec<Field>, Vec<String>) {
    let body = bytes.get(4..).unwrap_or_default();
    match which {
        VpdPage::Supported => (vec![supported(body)], vec![]),
        VpdPage::SerialNumber => (serial(body).into_iter().collect(), vec![]),
        VpdPage::Identification => designators(body),
        VpdPage::BlockLimits => (max_transfer(page, block_bytes).into_iter().collect(), vec![]),
        VpdPage::BlockCharacteristics => (rotation(bytes).into_iter().collect(), vec![]),
        VpdPage::Provisioning => (trim(bytes), vec![]),
        VpdPage::ExtendedInquiry | VpdPage::AtaInformation => (vec![], vec![]),
    }
}

/// The IDENTIFY DEVICE data that the ATA Information page (89h) bears; `None` where it bears none.
pub fn identify_of_vpd(bytes: &[u8], source: impl Into<String>) -> Option<Page> {
    let is_identify = bytes.get(1) == Some(&0x89) && bytes.get(56) == Some(&0xec);
    let identify = bytes.get(60..572).filter(|_| is_identify)?;
    Some(identify_device(identify, source))
}

fn made(table: &PageTable, key: &str, title: &str, value: Value, unit: &str, place: &str) -> Field {
    field(key, title, value, unit, format!("{} {place} ({}, {})", table.title, table.document, table.clause))
}

fn supported(codes: &[u8]) -> Field {
    let names = codes.iter().map(|code| format!("{code:02X}h")).collect();
    made(&SUPPORTED, "vpd_pages", "pages of vital product data", Value::List(names), "", "from byte 4")
}

fn serial(body: &[u8]) -> Option<Field> {
    Some(made(&SERIAL, "serial", "serial number", Value::Text(text(body)?), "", "from byte 4"))
}

fn max_transfer(page: &Page, block_bytes: Option<u64>) -> Option<Field> {
    let bytes = page.number("max_transfer_blocks")?.checked_mul(block_bytes?)?;
    Some(made(&LIMITS, "max_transfer_bytes", "longest transfer", Value::Number(bytes), "bytes", "bytes 8-11, times the logical block"))
}

/// 1 is a medium that does not turn; 0 is not told, and what no motor turns at is reserved.
fn rotation(bytes: &[u8]) -> Option<Field> {
    let rpm = match two(bytes, 4)? {
        1 => 0,
        rate @ 0x401..=0xfffe => rate as u64,
        _ => return None,
    };
    Some(made(&CHARACTERISTICS, "rotation_rate_rpm", "rotation", Value::Number(rpm), "rpm", "bytes 4-5"))
}

fn trim(bytes: &[u8]) -> Vec<Field> {
    let Some(flags) = bytes.get(5) else { return Vec::new() };
    let is_supported = flags & 0xe0 != 0;
    let mut fields = vec![made(&PROVISIONING, "trim_supported", "TRIM", Value::Flag(is_supported), "", "byte 5 bits 5-7")];
    if is_supported {
        let kind = match flags >> 2 & 7 {
            0 => "reads anything",
            2 => "reads a pattern (LBPRZ 2)",
            zeros if zeros & 1 == 1 => "reads zeros (LBPRZ)",
            _ => "reads what is reserved",
        };
        fields.push(made(&PROVISIONING, "trim_kind", "after TRIM", Value::Text(kind.to_owned()), "", "byte 5 bits 2-4"));
    }
    fields
}
