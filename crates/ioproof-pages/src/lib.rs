//! Drives and hosts in their own words: pages that a drive gives, text that other tools print of them, and judgements that need no measurement.
//!
//! `pages` decodes bytes by tables, a row a field, each with its clause; `paste` reads what nvme-cli, smartctl and others print, into the same `field`s; `health`
//! judges a drive by them, `doctor` a host. Everything is a function of its arguments, and no input makes it panic. Deliberately absent: asking a drive
//! (`ioproof-device`), and measurements (`ioproof-core`).

#![forbid(unsafe_code)]

pub mod doctor;
mod evidence;
pub mod field;
pub mod health;
pub mod pages;
pub mod paste;
#[cfg(test)]
#[path = "../../ioproof-core/src/tests/rule_pages.rs"]
mod rule_pages;
#[cfg(test)]
mod testing;
