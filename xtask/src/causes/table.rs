//! All causes and controls, by what they have in common. A row more is a row in one of the files of `table/`.

mod caches;
mod controls;
mod drives;
mod layers;
mod limits;
mod loads;
mod stored;
mod unseen;

use super::cause::{Cause, Content, Ground, Place, Word};

const TABLES: [&[Cause]; 8] =
    [caches::CAUSES, limits::CAUSES, drives::CAUSES, loads::CAUSES, layers::CAUSES, stored::CAUSES, unseen::CAUSES, controls::CAUSES];

/// The device is called the limit, which is wrong wherever something in front of it is.
const ITSELF: Word = Word::Limit("itself: it takes");
const DISK: Place = Place::Loop(Content::Random, Ground::Disk);

pub fn all() -> impl Iterator<Item = &'static Cause> {
    TABLES.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_row_has_a_name_of_its_own_and_can_be_answered_wrongly() {
        let names: BTreeSet<&str> = all().map(|cause| cause.name).collect();
        assert_eq!(names.len(), all().count());
        for cause in all() {
            assert!(!cause.answer.right.is_empty() || cause.answer.healthy.is_some(), "{}", cause.name);
            assert!(!cause.made.is_empty() && !cause.name.contains([' ', '/']), "{}", cause.name);
        }
    }
}
