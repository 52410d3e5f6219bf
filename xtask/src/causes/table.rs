//! All causes and controls, by what they have in common. A row more is a row in one of the files of `table/`.

mod caches;
mod controls;
mod drives;
mod holes;
mod layers;
mod limits;
mod loads;
mod others;
mod steady;
mod stored;
mod unseen;

use super::cause::{Cause, Word};

const TABLES: [&[Cause]; 11] = [
    &caches::CAUSES,
    &holes::CAUSES,
    &limits::CAUSES,
    &others::CAUSES,
    &drives::CAUSES,
    &loads::CAUSES,
    &layers::CAUSES,
    &steady::CAUSES,
    &stored::CAUSES,
    &unseen::CAUSES,
    &controls::CAUSES,
];

/// The device is called the limit, which is wrong wherever something in front of it is.
const ITSELF: Word = Word::Limit("itself: it takes");

pub fn all() -> impl Iterator<Item = &'static Cause> {
    TABLES.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::super::cause::Truth;
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_row_has_a_name_of_its_own_and_says_how_it_is_made() {
        let names: BTreeSet<&str> = all().map(|cause| cause.name).collect();
        assert_eq!(names.len(), all().count());
        assert!(all().all(|cause| !cause.made.is_empty() && !cause.name.contains([' ', '/'])));
    }

    #[test]
    fn every_row_can_be_answered_wrongly() {
        for cause in all() {
            let answer = &cause.answer;
            assert!(!answer.right.is_empty() || answer.healthy.is_some(), "{}", cause.name);
            assert_eq!(cause.promise.is_none(), answer.truth == Truth::Untold, "{}: a promise and its truth", cause.name);
        }
    }
}
