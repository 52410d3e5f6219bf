//! Identify Namespace of the NVM command set (CNS 05h): the guards and storage tags of each format, which only drives with extended LBA formats have.

use super::NVM_COMMAND_SET;
use crate::pages::table::{ByteOrder, FieldKind, GroupCount, PageTable, RepeatedGroup, is_not, place, row, table};

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
