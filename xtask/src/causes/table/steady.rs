//! Drives whose way to a steady state is known, tested by the standard: steady from the first round on, after a cliff, and never.

use crate::causes::cause::{ANSWER, Answer, CAUSE, Cause, Place, Word};
use crate::causes::served::behaviour::Behaviour;

/// All 256 MiB are written twice beforehand. A round of nine cells takes more than a second and writes a third of a MiB of a drive of 4 ms.
const LATENCY: &str = "verify TARGET --standard snia --tests lat --time 80ms --purge none --destroy KERNEL --destroy-unseen-users";

const fn served(behaviour: Behaviour) -> Place {
    Place::Served { behaviour, filled: false }
}

pub const CAUSES: [Cause; 3] = [
    Cause {
        name: "standard-steady",
        made: "a served drive of 8 slots that always takes 4 ms, by the standard's latency test",
        place: served(Behaviour::new(8, 4000)),
        call: LATENCY,
        answer: Answer { right: &[&[Word::Text("steady after 5 rounds")]], wrong: &[Word::Text("not steady in 25")], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "standard-cliff",
        made: "the same, whose writes take three times as long after 513 MiB: in the third or fourth round",
        place: served(Behaviour { cliff: Some((513, 12_000)), ..Behaviour::new(8, 4000) }),
        call: LATENCY,
        answer: Answer {
            // The round in which it falls may be as slow as those behind it.
            right: &[&[Word::Text("steady after 7 rounds"), Word::Text("steady after 8 rounds"), Word::Text("steady after 9 rounds")]],
            wrong: &[Word::Text("not steady in 25")],
            ..ANSWER
        },
        ..CAUSE
    },
    Cause {
        name: "standard-drift",
        made: "a served drive of 8 slots of 2 ms, which takes 0.3 ms more each second, by the same test",
        place: served(Behaviour { fading_us: 300, ..Behaviour::new(8, 2000) }),
        call: LATENCY,
        answer: Answer { right: &[&[Word::Text("not steady in 25 rounds: LAT")]], exits: &[3], ..ANSWER },
        ..CAUSE
    },
];
