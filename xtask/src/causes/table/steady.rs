//! Drives whose way to a steady state is known, tested by the standard: steady from the first round on, after a cliff, and never.

use crate::causes::cause::{ANSWER, Answer, CAUSE, Cause, Place, Word};
use crate::causes::served::behaviour::Behaviour;

/// Both tests write all 256 MiB twice beforehand; a cell writes about 90 MiB of a fresh drive.
const THROUGHPUT: &str = "verify TARGET --standard snia --tests tp --time 400ms --destroy KERNEL --destroy-unseen-users";
/// A round of nine cells takes about two seconds.
const LATENCY: &str = "verify TARGET --standard snia --tests lat --time 200ms --destroy KERNEL --destroy-unseen-users";

const fn served(behaviour: Behaviour) -> Place {
    Place::Served { behaviour, filled: true }
}

pub const CAUSES: [Cause; 3] = [
    Cause {
        name: "standard-steady",
        made: "a served drive of 8 slots that always takes as long, by the standard's throughput test",
        place: served(Behaviour::new(8, 4000)),
        call: THROUGHPUT,
        answer: Answer { right: &[&[Word::Text("steady after 5 rounds")]], wrong: &[Word::Text("not steady in 25")], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "standard-cliff",
        made: "the same, whose writes take three times as long after 736 MiB: in the middle of the third round",
        place: served(Behaviour { cliff: Some((736, 12_000)), ..Behaviour::new(8, 4000) }),
        call: THROUGHPUT,
        answer: Answer {
            // The round in which it falls may be as slow as those behind it.
            right: &[&[Word::Text("steady after 7 rounds"), Word::Text("steady after 8 rounds")]],
            wrong: &[Word::Text("not steady in 25")],
            ..ANSWER
        },
        ..CAUSE
    },
    Cause {
        name: "standard-drift",
        made: "a served drive of one slot of 2 ms, which takes 0.2 ms more each second, by the latency test",
        place: served(Behaviour { fading_us: 200, ..Behaviour::new(1, 2000) }),
        call: LATENCY,
        answer: Answer { right: &[&[Word::Text("not steady in 25 rounds: LAT")]], exits: &[3], ..ANSWER },
        ..CAUSE
    },
];
