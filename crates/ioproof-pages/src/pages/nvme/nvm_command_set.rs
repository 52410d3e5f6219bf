//! Identify structures of the NVM command set: limits of commands that move no data (CNS 06h), and the guards and storage tags of each format (CNS 05h), which only
//! drives with extended LBA formats have.

use super::{MEMORY_PAGE_BYTES, NVM_COMMAND_SET};
use crate::pages::{ByteOrder, FieldKind, FieldRow, GroupCount, PageTable, RepeatedGroup, is_not, place, row, table};

/// I/O Command Set Specific Identify Controller, NVM command set. A limit that is not told is left out.
pub const CONTROLLER_NVM: PageTable = PageTable {
    rows: ROWS,
    ..table(ByteOrder::Little, "identify-controller-nvm", "Identify Controller (NVM command set)", NVM_COMMAND_SET, "clause 4.1.5.4", 4096)
}
.checked();

const PAGES: FieldKind = FieldKind::PowerOfTwo { times: MEMORY_PAGE_BYTES };

const ROWS: &[FieldRow] = &[
    row("verify_max_bytes", "largest Verify", place(0, 1), PAGES).unit("bytes").unless(0),
    row("write_zeroes_max_bytes", "largest Write Zeroes", place(1, 1), PAGES).unit("bytes").unless(0),
    row("write_uncorrectable_max_bytes", "largest Write Uncorrectable", place(2, 1), PAGES).unit("bytes").unless(0),
    row("trim_max_ranges", "ranges in a deallocation at most", place(3, 1), FieldKind::Unsigned).unless(0),
    row("trim_max_range_blocks", "largest range of a deallocation", place(4, 4), FieldKind::Unsigned).unit("blocks").unless(0),
    row("trim_max_blocks", "largest deallocation", place(8, 8), FieldKind::Unsigned).unit("blocks").unless(0),
];

pub const NAMESPACE_NVM: PageTable = PageTable {
    rows: &[
        row("storage_tag_mask", "storage tag mask", place(0, 8), FieldKind::HexNumber).unless(0),
        row("protection_formats", "protection information may have", place(8, 1), FieldKind::Bits(ABILITIES)),
    ],
    groups: &[FORMATS],
    ..table(ByteOrder::Little, "identify-namespace-nvm", "Identify Namespace (NVM command set)", NVM_COMMAND_SET, "clause 4.1.5.3", 4096)
}
.checked();

const ABILITIES: &[(u32, &str)] =
    &[(0, "a storage tag beside a guard of 16 bits"), (1, "a mask of that tag"), (2, "a check of the tag when read")];

const GUARDS: FieldKind = FieldKind::OneOf(&[(0, "16 bits"), (1, "32 bits"), (2, "64 bits")]);

const FORMATS: RepeatedGroup = RepeatedGroup {
    at: 12,
    stride: 4,
    count: GroupCount::Fixed(64),
    first: 0,
    used: Some(is_not(place(0, 2).bits(0, 9), 0)),
    rows: &[
        row("lba_format_#_guard", "LBA format # guard", place(0, 2).bits(7, 2), GUARDS),
        row("lba_format_#_storage_tag_bits", "LBA format # storage tag", place(0, 2).bits(0, 7), FieldKind::Unsigned).unit("bits"),
    ],
};
