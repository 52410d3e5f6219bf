//! Tests of the reports as their readers see them: every format of stored runs, and runs that are not as usual.

#![expect(clippy::unwrap_used, reason = "the lint's exception for tests does not see helpers outside of test functions")]

mod absurd;
mod account;
mod compared;
mod golden;
mod json_schema;
mod junit;
mod layered;
mod odd;
mod openmetrics;
mod page;
mod runs;
mod several;
mod side_by_side;
mod special;
mod standard;
mod synced;
mod tables;
mod validate;
mod workbook;

use runs::{stored, swept};
