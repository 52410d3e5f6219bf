//! Drives whose way to a steady state is known, by the throughput tests of the standard: steady from the first round on, steady beside a tail, and steady
//! after a cliff.

use crate::causes::cause::*;

/// 64 MiB are written twice before each of both tests. A round is a cell of reads and one of writes. Looking for unknown content would read all of a slow drive.
const THROUGHPUT: &str = "verify TARGET --standard snia --tests tp --time 500ms --size 64MiB --purge none --destroy KERNEL \
                          --destroy-unseen-users --destroy-unknown-content";

pub const CAUSES: &[Cause] = &[
    cause("standard-steady", "a served drive of 8 slots that always takes 16 ms, by the standard's throughput tests")
        .at(empty(Behaviour::new(8, 16_000)))
        .call(THROUGHPUT)
        .answer(&[&[Text("steady after 5 rounds")]], &[Text("not steady in 25")], &[]),
    cause("standard-tail", "the same, of whose I/Os one in a hundred takes 48 ms")
        .at(empty(Behaviour { tail: Some((10, 48)), ..Behaviour::new(8, 16_000) }))
        .call(THROUGHPUT)
        .answer(&[&[Text("steady after 5 rounds")]], &[Text("not steady in 25")], &[]),
    // The round in which it falls may be as slow as those behind it.
    cause("standard-cliff", "the same, whose writes take three times as long after 206 MiB: in the third round of the first test")
        .at(empty(Behaviour { cliff: Some((206, 48_000)), ..Behaviour::new(8, 16_000) }))
        .call(THROUGHPUT)
        .answer(&[&[Text("steady after 7 rounds"), Text("steady after 8 rounds")]], &[Text("not steady in 25")], &[]),
];
