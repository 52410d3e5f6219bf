//! Identify Controller of the NVM command set (CNS 06h): limits of commands that move no data.

use super::{MEMORY_PAGE_BYTES, NVM_COMMAND_SET};
use crate::pages::table::{ByteOrder, FieldKind, FieldRow, PageTable, place, row, table};

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
