//! Where each field begins follows from the widths of those before it, as the specification lists them; a row must begin and end with one of them, or take bits of it.

use super::super::controller::CONTROLLER;
use super::super::namespace::NAMESPACE;
use super::super::smart::SMART_LOG;
use crate::pages::table::{FieldRow, PageTable};

/// Clause 5.17.2.1, in order; `-` is reserved.
#[rustfmt::skip]
const CONTROLLER_WIDTHS: &[(&str, usize)] = &[
    ("vid", 2), ("ssvid", 2), ("sn", 20), ("mn", 40), ("fr", 8), ("rab", 1), ("ieee", 3), ("cmic", 1), ("mdts", 1), ("cntlid", 2),
    ("ver", 4), ("rtd3r", 4), ("rtd3e", 4), ("oaes", 4), ("ctratt", 4), ("rrls", 2), ("-", 9), ("cntrltype", 1), ("fguid", 16),
    ("crdt1", 2), ("crdt2", 2), ("crdt3", 2), ("-", 119), ("nvmsr", 1), ("vwci", 1), ("mec", 1), ("oacs", 2), ("acl", 1), ("aerl", 1),
    ("frmw", 1), ("lpa", 1), ("elpe", 1), ("npss", 1), ("avscc", 1), ("apsta", 1), ("wctemp", 2), ("cctemp", 2), ("mtfa", 2),
    ("hmpre", 4), ("hmmin", 4), ("tnvmcap", 16), ("unvmcap", 16), ("rpmbs", 4), ("edstt", 2), ("dsto", 1), ("fwug", 1), ("kas", 2),
    ("hctma", 2), ("mntmt", 2), ("mxtmt", 2), ("sanicap", 4), ("hmminds", 4), ("hmmaxd", 2), ("nsetidmax", 2), ("endgidmax", 2),
    ("anatt", 1), ("anacap", 1), ("anagrpmax", 4), ("nanagrpid", 4), ("pels", 4), ("domainid", 2), ("-", 10), ("megcap", 16),
    ("-", 128), ("sqes", 1), ("cqes", 1), ("maxcmd", 2), ("nn", 4), ("oncs", 2), ("fuses", 2), ("fna", 1), ("vwc", 1), ("awun", 2),
    ("awupf", 2), ("icsvscc", 1), ("nwpc", 1), ("acwu", 2), ("ocfs", 2), ("sgls", 4), ("mnan", 4), ("maxdna", 16), ("maxcna", 4),
    ("-", 204), ("subnqn", 256), ("-", 768), ("ioccsz", 4), ("iorcsz", 4), ("icdoff", 2), ("fcatt", 1), ("msdbd", 1), ("ofcs", 2),
    ("dctype", 1), ("-", 241),
];

/// Clause 4.1.5.1 up to the LBA formats.
#[rustfmt::skip]
const NAMESPACE_WIDTHS: &[(&str, usize)] = &[
    ("nsze", 8), ("ncap", 8), ("nuse", 8), ("nsfeat", 1), ("nlbaf", 1), ("flbas", 1), ("mc", 1), ("dpc", 1), ("dps", 1), ("nmic", 1),
    ("rescap", 1), ("fpi", 1), ("dlfeat", 1), ("nawun", 2), ("nawupf", 2), ("nacwu", 2), ("nabsn", 2), ("nabo", 2), ("nabspf", 2),
    ("noiob", 2), ("nvmcap", 16), ("npwg", 2), ("npwa", 2), ("npdg", 2), ("npda", 2), ("nows", 2), ("mssrl", 2), ("mcl", 4),
    ("msrc", 1), ("-", 1), ("nulbaf", 1), ("-", 9), ("anagrpid", 4), ("-", 3), ("nsattr", 1), ("nvmsetid", 2), ("endgid", 2),
    ("nguid", 16), ("eui64", 8),
];

/// Clause 5.16.1.3.
#[rustfmt::skip]
const SMART_WIDTHS: &[(&str, usize)] = &[
    ("critical_warning", 1), ("composite_temperature", 2), ("available_spare", 1), ("available_spare_threshold", 1),
    ("percentage_used", 1), ("endurance_groups", 1), ("-", 25), ("data_units_read", 16), ("data_units_written", 16), ("host_reads", 16),
    ("host_writes", 16), ("busy_time", 16), ("power_cycles", 16), ("power_on_hours", 16), ("unsafe_shutdowns", 16),
    ("media_errors", 16), ("error_entries", 16), ("warning_time", 4), ("critical_time", 4), ("sensors", 16), ("tmt1_transitions", 4),
    ("tmt2_transitions", 4), ("tmt1_time", 4), ("tmt2_time", 4),
];

fn is_at_a_field(row: &FieldRow, widths: &[(&str, usize)]) -> bool {
    let mut begin = 0;
    widths.iter().any(|(name, width)| {
        let (at, end) = (row.place.at, row.place.at + row.place.bytes);
        let is_whole = at == begin && end == begin + width;
        let is_part = row.place.bits.is_some() && at >= begin && end <= begin + width;
        begin += width;
        *name != "-" && (is_whole || is_part)
    })
}

fn check(table: &PageTable, widths: &[(&str, usize)], end: usize) {
    assert_eq!(widths.iter().map(|(_, width)| width).sum::<usize>(), end, "{}", table.name);
    let wrong: Vec<&str> = table.rows.iter().filter(|row| !is_at_a_field(row, widths)).map(|row| row.key).collect();
    assert_eq!(wrong, [""; 0], "{}", table.name);
}

#[test]
fn every_row_stands_where_the_specification_has_a_field() {
    check(&CONTROLLER, CONTROLLER_WIDTHS, 2048);
    check(&NAMESPACE, NAMESPACE_WIDTHS, 128);
    check(&SMART_LOG, SMART_WIDTHS, 232);
}

#[test]
fn no_field_is_left_unread() {
    for (table, widths) in [(&CONTROLLER, CONTROLLER_WIDTHS), (&NAMESPACE, NAMESPACE_WIDTHS), (&SMART_LOG, SMART_WIDTHS)] {
        let mut begin = 0;
        for (name, width) in widths {
            let is_read = table.rows.iter().any(|row| (begin..begin + width).contains(&row.place.at));
            assert!(is_read || *name == "-" || table.groups.iter().any(|group| group.at == begin), "{} {name}", table.name);
            begin += width;
        }
    }
}
