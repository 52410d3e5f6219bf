//! The way to a drive, as three pages: the PCI functions on it, the block layer's queue, the interrupts.

use crate::place::Place;
use crate::{interrupts, path, queue};
use ioproof_core::field::Page;
use ioproof_target::System;

/// The pages `pcie-path`, `queue` and `interrupts` of the drive with this kernel name. What the kernel does not tell is left out and named as a problem.
#[must_use]
pub fn way_pages(system: &System, name: &str) -> Vec<Page> {
    let place = Place::find(system, name);
    vec![path::page(&place), queue::page(&place), interrupts::page(&place)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_that_is_not_there_has_empty_pages() {
        let dir = tempfile::tempdir().unwrap();
        let pages = way_pages(&System::captured(dir.path()), "nvme9n1");
        assert_eq!(pages.iter().map(|page| page.name.as_str()).collect::<Vec<_>>(), ["pcie-path", "queue", "interrupts"]);
        assert!(pages.iter().all(|page| page.fields.is_empty()));
    }
}
