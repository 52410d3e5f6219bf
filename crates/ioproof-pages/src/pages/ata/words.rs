//! The words of IDENTIFY DEVICE that say something by themselves (ACS-4, IDENTIFY DEVICE data).
//!
//! Many words mean something only where another says so: bits 15 and 14 of words 83 and 87 must be 01b for the words beside them, a word of its own has them in itself.

use crate::pages::{ByteOrder, BytePlace, FieldKind, FieldRow, PageTable, PlaceCondition, is, place, row, table};

pub(super) const LENGTH: usize = 512;

pub(super) const TABLE: PageTable = PageTable { name: "identify-device", rows: ROWS, ..BASE }.checked();

/// Words of serial ATA drives only; to be read where word 76 is neither all zeros nor all ones.
pub(super) const SERIAL: PageTable = PageTable { name: "identify-device", rows: SERIAL_ROWS, ..BASE }.checked();

pub(super) const BASE: PageTable =
    table(ByteOrder::Little, "", "IDENTIFY DEVICE", "ATA Command Set 4 (ACS-4)", "IDENTIFY DEVICE data", LENGTH);

pub(super) const fn word(number: usize, low: u32, count: u32) -> BytePlace {
    place(2 * number, 2).bits(low, count)
}

pub(super) const fn whole(number: usize) -> BytePlace {
    place(2 * number, 2)
}

const fn word_range(first: usize, last: usize) -> BytePlace {
    place(2 * first, 2 * (last - first + 1))
}

const fn flag(key: &'static str, title: &'static str, number: usize, bit: u32) -> FieldRow {
    row(key, title, word(number, bit, 1), FieldKind::Flag)
}

/// A word bears 01b in bits 15 and 14 where it means something.
pub(super) const fn valid(number: usize) -> PlaceCondition {
    is(word(number, 14, 2), 1)
}

const SUPPORTED: PlaceCondition = valid(83);
const ENABLED: PlaceCondition = valid(87);

#[rustfmt::skip]
const FORM_FACTORS: &[(u128, &str)] = &[
    (1, "5.25 inch"), (2, "3.5 inch"), (3, "2.5 inch"), (4, "1.8 inch"), (5, "less than 1.8 inch"), (6, "mSATA"), (7, "M.2"),
    (8, "MicroSSD"), (9, "CFast"),
];

const SANITIZE: &[(u32, &str)] = &[(0, "CRYPTO SCRAMBLE"), (1, "OVERWRITE"), (2, "BLOCK ERASE")];

const SCT: &[(u32, &str)] = &[(0, "SCT"), (2, "WRITE SAME"), (3, "error recovery control"), (4, "feature control"), (5, "data tables")];

const ROWS: &[FieldRow] = &[
    row("model", "model", word_range(27, 46), FieldKind::AsciiSwapped).clause("words 27 to 46"),
    row("serial", "serial number", word_range(10, 19), FieldKind::AsciiSwapped).clause("words 10 to 19"),
    row("firmware", "firmware", word_range(23, 26), FieldKind::AsciiSwapped).clause("words 23 to 26"),
    row("form_factor", "form factor", word(168, 0, 4), FieldKind::OneOf(FORM_FACTORS)).unless(0).clause("word 168"),
    row("zoned", "zoned", word(69, 0, 2), FieldKind::OneOf(&[(1, "host-aware"), (2, "device-managed")])).unless(0).clause("word 69"),
    row("logical_block_alignment_blocks", "first logical block within its physical block", word(209, 0, 14), FieldKind::Unsigned)
        .unit("blocks")
        .when(valid(209))
        .clause("word 209"),
    flag("write_cache_enabled", "write cache on", 85, 5).when(ENABLED).clause("word 85"),
    flag("write_cache_nonvolatile", "all of the write cache is not volatile", 69, 2).clause("word 69"),
    flag("look_ahead_supported", "read look-ahead", 82, 6).when(SUPPORTED).clause("word 82"),
    flag("look_ahead_enabled", "read look-ahead on", 85, 6).when(ENABLED).clause("word 85"),
    flag("fua_supported", "forced unit access", 84, 6).when(valid(84)).clause("word 84, WRITE DMA FUA EXT"),
    flag("trim_supported", "TRIM", 169, 0).clause("word 169"),
    row("trim_max_blocks", "most blocks of ranges in one TRIM", whole(105), FieldKind::Unsigned)
        .unit("blocks_of_512_bytes")
        .unless(0)
        .when(is(word(169, 0, 1), 1))
        .clause("word 105"),
    flag("smart_supported", "SMART", 82, 0).when(SUPPORTED).clause("word 82"),
    flag("smart_enabled", "SMART on", 85, 0).when(ENABLED).clause("word 85"),
    flag("smart_error_log_supported", "SMART error log", 84, 0).when(valid(84)).clause("word 84"),
    flag("smart_self_test_supported", "SMART self-test", 84, 1).when(valid(84)).clause("word 84"),
    flag("general_purpose_logging_supported", "general purpose logging", 84, 5).when(valid(84)).clause("word 84"),
    row("sct_features", "SMART command transport", word(206, 0, 6), FieldKind::Bits(SCT)).clause("word 206"),
    row("apm_level", "advanced power management level", word(91, 0, 8), FieldKind::Unsigned).when(is(word(86, 3, 1), 1)).clause("word 91"),
    flag("security_supported", "security", 128, 0).clause("word 128"),
    flag("security_enabled", "security: password set", 128, 1).clause("word 128"),
    flag("security_locked", "security: locked", 128, 2).clause("word 128"),
    flag("security_frozen", "security: frozen", 128, 3).clause("word 128"),
    flag("security_count_expired", "security: attempts used up", 128, 4).clause("word 128"),
    flag("security_enhanced_erase_supported", "security: enhanced erase", 128, 5).clause("word 128"),
    erase("security_erase_minutes", "security: time to erase", word(89, 0, 8)).when(is(word(89, 15, 1), 0)).clause("word 89"),
    erase("security_erase_minutes", "security: time to erase", word(89, 0, 15)).when(is(word(89, 15, 1), 1)).clause("word 89"),
    erase("security_enhanced_erase_minutes", "security: time of an enhanced erase", word(90, 0, 8))
        .when(is(word(90, 15, 1), 0))
        .clause("word 90"),
    erase("security_enhanced_erase_minutes", "security: time of an enhanced erase", word(90, 0, 15))
        .when(is(word(90, 15, 1), 1))
        .clause("word 90"),
    flag("sanitize_supported", "sanitize", 59, 12).clause("word 59"),
    row("sanitize_methods", "sanitize methods", word(59, 13, 3), FieldKind::Bits(SANITIZE)).when(is(word(59, 12, 1), 1)).clause("word 59"),
    flag("sanitize_antifreeze_lock_supported", "sanitize: antifreeze lock", 59, 10).when(is(word(59, 12, 1), 1)).clause("word 59"),
    flag("trusted_computing_supported", "trusted computing", 48, 0).when(valid(48)).clause("word 48"),
    flag("encrypts_all_data", "encrypts all user data", 69, 4).clause("word 69"),
];

/// In units of 2 minutes; 0 is no value.
const fn erase(key: &'static str, title: &'static str, place: BytePlace) -> FieldRow {
    row(key, title, place, FieldKind::Scaled { plus: 0, times: 2, over: 1 }).unit("minutes").unless(0)
}

#[rustfmt::skip]
const SATA_SUPPORTED: &[(u32, &str)] = &[
    (1, "non-zero buffer offsets"), (2, "DMA setup auto-activate"), (3, "device-initiated power management"), (4, "in-order data"),
    (5, "hardware feature control"), (6, "software settings preservation"), (7, "NCQ autosense"), (8, "device sleep"),
    (9, "hybrid information"), (11, "rebuild assist"), (12, "power disable"),
];

#[rustfmt::skip]
const SATA_ENABLED: &[(u32, &str)] = &[
    (1, "non-zero buffer offsets"), (2, "DMA setup auto-activate"), (3, "device-initiated power management"), (4, "in-order data"),
    (5, "hardware feature control"), (6, "software settings preservation"), (7, "automatic partial to slumber"), (8, "device sleep"),
    (9, "hybrid information"), (10, "power disable"), (11, "rebuild assist"),
];

const SERIAL_ROWS: &[FieldRow] = &[
    row("ncq_depth", "NCQ depth", word(75, 0, 5), FieldKind::Scaled { plus: 1, times: 1, over: 1 })
        .unit("commands")
        .when(is(word(76, 8, 1), 1))
        .clause("word 75"),
    flag("ncq_supported", "native command queuing", 76, 8).clause("word 76"),
    flag("ncq_priority_supported", "NCQ priority", 76, 12).clause("word 76"),
    flag("host_power_management_supported", "host-initiated link power management", 76, 9).clause("word 76"),
    flag("phy_event_counters_supported", "phy event counters", 76, 10).clause("word 76"),
    flag("ncq_send_receive_supported", "queued TRIM and logs (SEND and RECEIVE FPDMA QUEUED)", 77, 6).clause("word 77"),
    row("sata_features_supported", "SATA features", whole(78), FieldKind::Bits(SATA_SUPPORTED)).clause("word 78"),
    row("sata_features_enabled", "SATA features on", whole(79), FieldKind::Bits(SATA_ENABLED)).clause("word 79"),
];
