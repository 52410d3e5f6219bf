//! Places in the structures that nvme-cli prints number by number (`oacs : 0x17`), and the fields that the table of a drive's own page makes of them.
//!
//! `structure` holds the bytes. A field is made only of bytes that were printed; its source is the line of the first of them. Rows whose key the text's own tables read already add nothing.

use crate::pages::decode_known;
use crate::pages::nvme::{CONTROLLER, NAMESPACE};
use crate::pages::table::PageTable;
use crate::paste::page::{PageBuilder, hexadecimal, whole};

type NamedPlace = (&'static str, usize, usize);

/// Identify Controller (NVM Express Base Specification 2.0c, clause 5.17.2.1). Names changed over time; both are here.
#[rustfmt::skip]
pub(crate) const CONTROLLER_PLACES: &[NamedPlace] = &[
    ("rab", 72, 1), ("ieee", 73, 3), ("cmic", 76, 1), ("cntlid", 78, 2), ("rtd3r", 84, 4), ("rtd3e", 88, 4), ("oaes", 92, 4),
    ("ctratt", 96, 4), ("rrls", 100, 2), ("cntrltype", 111, 1), ("crdt1", 128, 2), ("crdt2", 130, 2), ("crdt3", 132, 2),
    ("nvmsr", 253, 1), ("vwci", 254, 1), ("mec", 255, 1), ("oacs", 256, 2), ("acl", 258, 1), ("aerl", 259, 1), ("frmw", 260, 1),
    ("lpa", 261, 1), ("elpe", 262, 1), ("npss", 263, 1), ("avscc", 264, 1), ("apsta", 265, 1), ("mtfa", 270, 2), ("hmpre", 272, 4),
    ("hmmin", 276, 4), ("tnvmcap", 280, 16), ("unvmcap", 296, 16), ("rpmbs", 312, 4), ("edstt", 316, 2), ("dsto", 318, 1),
    ("fwug", 319, 1), ("kas", 320, 2), ("hctma", 322, 2), ("mntmt", 324, 2), ("mxtmt", 326, 2), ("sanicap", 328, 4),
    ("hmminds", 332, 4), ("hmmaxd", 336, 2), ("nsetidmax", 338, 2), ("endgidmax", 340, 2), ("anatt", 342, 1), ("anacap", 343, 1),
    ("anagrpmax", 344, 4), ("nanagrpid", 348, 4), ("pels", 352, 4), ("domainid", 356, 2), ("megcap", 368, 16), ("sqes", 512, 1),
    ("cqes", 513, 1), ("maxcmd", 514, 2), ("oncs", 520, 2), ("fuses", 522, 2), ("fna", 524, 1), ("vwc", 525, 1), ("awun", 526, 2),
    ("awupf", 528, 2), ("nvscc", 530, 1), ("icsvscc", 530, 1), ("nwpc", 531, 1), ("acwu", 532, 2), ("ocfs", 534, 2), ("cdfs", 534, 2),
    ("sgls", 536, 4), ("mnan", 540, 4), ("maxdna", 544, 16), ("maxcna", 560, 4), ("ioccsz", 1792, 4), ("iorcsz", 1796, 4),
    ("icdoff", 1800, 2), ("fcatt", 1802, 1), ("msdbd", 1803, 1), ("dctype", 1806, 1),
];

/// Identify Namespace (NVM Command Set Specification 1.0c, clause 4.1.5.1).
#[rustfmt::skip]
pub(crate) const NAMESPACE_PLACES: &[NamedPlace] = &[
    ("nsze", 0, 8), ("nsfeat", 24, 1), ("mc", 27, 1), ("dpc", 28, 1), ("dps", 29, 1), ("nmic", 30, 1), ("rescap", 31, 1),
    ("fpi", 32, 1), ("dlfeat", 33, 1), ("nawun", 34, 2), ("nawupf", 36, 2), ("nacwu", 38, 2), ("nabsn", 40, 2), ("nabo", 42, 2),
    ("nabspf", 44, 2), ("noiob", 46, 2), ("nvmcap", 48, 16), ("npwg", 64, 2), ("npwa", 66, 2), ("npdg", 68, 2), ("npda", 70, 2),
    ("nows", 72, 2), ("mssrl", 74, 2), ("mcl", 76, 4), ("msrc", 80, 1), ("anagrpid", 92, 4), ("nsattr", 99, 1), ("nvmsetid", 100, 2),
    ("endgid", 102, 2),
];

/// Names behind which the text prints hexadecimal digits, in older versions without `0x`; in JSON they are decimal.
const HEXADECIMAL: [&str; 4] = ["ieee", "cntlid", "rtd3r", "rtd3e"];

pub(crate) fn number_of_text(label: &str, value: &str) -> Option<u128> {
    let value = value.trim();
    let is_digits = HEXADECIMAL.contains(&label) && !value.starts_with("0x");
    if is_digits { hexadecimal(value) } else { whole(value) }
}

/// Keeps the number behind a short name; false where the name is not in the list or the number does not fit.
pub(crate) fn put(builder: &mut PageBuilder, places: &[NamedPlace], label: &str, number: Option<u128>, line: usize) -> bool {
    let place = places.iter().find(|(name, ..)| *name == label);
    place.zip(number).is_some_and(|((_, at, length), number)| builder.structure.put(*at, *length, number, line))
}

pub(crate) fn finish_controller(builder: &mut PageBuilder) {
    add_fields(builder, &CONTROLLER);
}

pub(crate) fn finish_namespace(builder: &mut PageBuilder) {
    add_fields(builder, &NAMESPACE);
}

fn add_fields(builder: &mut PageBuilder, table: &PageTable) {
    let structure = std::mem::take(&mut builder.structure);
    for (at, field) in decode_known(table, structure.bytes(), &|at, length| structure.is_told(at, length)) {
        builder.add_field(field, structure.line(at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paste::page::structure::LENGTH_BYTES;

    #[test]
    fn some_numbers_are_hexadecimal_in_text() {
        let read = ["ieee", "cntlid", "rtd3r", "oacs", "kas"].map(|label| number_of_text(label, " 10 "));
        assert_eq!(read, [Some(16), Some(16), Some(16), Some(10), Some(10)]);
        assert_eq!(number_of_text("cntlid", "0x10"), Some(16));
    }

    #[test]
    fn every_place_lies_within_and_no_name_is_twice() {
        for places in [CONTROLLER_PLACES, NAMESPACE_PLACES] {
            let names: std::collections::BTreeSet<&str> = places.iter().map(|(name, ..)| *name).collect();
            assert_eq!(names.len(), places.len());
            assert!(places.iter().all(|(_, at, length)| at + length <= LENGTH_BYTES && *length <= 16));
        }
    }
}
