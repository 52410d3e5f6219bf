//! Device Self-test (log page 06h): the test that runs, and the results of the last twenty, the newest first.

use super::BASE;
use super::status::STATUS_TYPES;
use crate::pages::{
    ByteOrder, FieldKind, FieldRow, GroupCount, PageTable, PlaceCondition, RepeatedGroup, bit, bits, is, is_not, place, row, table,
};

/// Device Self-test. Entries that hold no result are left out.
pub const SELF_TEST_LOG: PageTable = PageTable {
    rows: &[
        row("self_test_running", "self-test that runs", bits(0, 0, 4), FieldKind::OneOf(OPERATIONS)),
        row("self_test_done_percent", "done of it", bits(1, 0, 7), FieldKind::Unsigned).unit("percent").when(is_not(bits(0, 0, 4), 0)),
    ],
    groups: &[RepeatedGroup {
        at: 4,
        stride: 28,
        count: GroupCount::Fixed(20),
        first: 0,
        used: Some(is_not(bits(0, 0, 4), 15)),
        rows: ENTRY,
    }],
    ..table(ByteOrder::Little, "self-test-log", "Device Self-test", BASE, "clause 5.16.1.7", 564)
}
.checked();

const OPERATIONS: &[(u128, &str)] = &[(0, "none"), (1, "short"), (2, "extended"), (14, "vendor specific")];

#[rustfmt::skip]
const RESULTS: &[(u128, &str)] = &[
    (0, "passed"), (1, "aborted by a command"), (2, "aborted by a controller reset"), (3, "aborted by the removal of a namespace"),
    (4, "aborted by Format NVM"), (5, "could not be completed"), (6, "failed, the segment is not known"), (7, "failed in a segment"),
    (8, "aborted for an unknown reason"), (9, "aborted by a sanitize operation"),
];

/// Some drives leave entries that were never used full of zeros, which would read as "passed"; no test has the code 0.
const RAN: PlaceCondition = is_not(bits(0, 4, 4), 0);

const ENTRY: &[FieldRow] = &[
    row("self_test_#_kind", "self-test #", bits(0, 4, 4), FieldKind::OneOf(OPERATIONS)).when(RAN),
    row("self_test_#_result", "self-test # ended", bits(0, 0, 4), FieldKind::OneOf(RESULTS)).when(RAN),
    row("self_test_#_failed_segment", "self-test # failed in segment", place(1, 1), FieldKind::Unsigned).when(is(bits(0, 0, 4), 7)),
    row("self_test_#_power_on_hours", "self-test # ended at", place(4, 8), FieldKind::Unsigned).unit("hours").when(RAN),
    row("self_test_#_namespace", "self-test # failed in namespace", place(12, 4), FieldKind::Unsigned).when(is(bit(2, 0), 1)),
    row("self_test_#_failing_block", "self-test # failed at block", place(16, 8), FieldKind::Unsigned).when(is(bit(2, 1), 1)),
    row("self_test_#_status_type", "self-test # ended with status type", bits(24, 0, 3), FieldKind::OneOf(STATUS_TYPES))
        .when(is(bit(2, 2), 1)),
    row("self_test_#_status_code", "self-test # ended with status code", place(25, 1), FieldKind::HexNumber).when(is(bit(2, 3), 1)),
];
