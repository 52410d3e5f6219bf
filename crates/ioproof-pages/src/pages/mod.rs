//! Pages of bytes that a drive gives, and the tables by which they become fields.
//!
//! `table` says what a table is, `decode` reads a page by one; each further module holds the tables of one command set. All of it is pure: who asks the drive
//! is `ioproof-device`, and a page that was captured elsewhere is read by the same tables.

pub mod ata;
mod decode;
pub mod nvme;
pub mod scsi;
mod sense;
pub mod table;

use crate::field::{Field, Page, Value};
pub(crate) use decode::decode_known;
pub use decode::{decode, decode_fields, field};
use table::{
    ByteOrder, BytePlace, FieldKind, FieldRow, GroupCount, PageTable, PlaceCondition, RepeatedGroup, bit, bits, is, is_not, place, row,
    table,
};
