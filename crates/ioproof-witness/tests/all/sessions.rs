//! Writers and readers at a witness: what is kept, who may write, and what is told.

use crate::common::*;
use ioproof_witness::{
    Begin, Error, Key, NotTaken, Options, Reason, RecordContent, Settings, Told, WitnessClient, fetch, fetch_beginnings, list,
};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Settings by which all that is told is kept.
fn telling() -> (Arc<Mutex<Vec<Told>>>, Settings) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell = Arc::clone(&told);
    (told, Settings { told: Arc::new(move |event| tell.lock().unwrap().push(event.clone())), ..Settings::default() })
}

#[test]
fn all_that_was_acknowledged_is_read_back_in_its_order() {
    let (witness, campaign) = (TestWitness::new(), campaign());
    let client = connect(&witness.address(), campaign);
    assert!(client.session() == 1 && client.syncs());
    (1..=5000).for_each(|sequence| acknowledge(&client, sequence));
    client.event(-7, b"cut asked").unwrap();
    client.acknowledge(&(5001..=30_000).map(write).collect::<Vec<_>>()).unwrap();
    let progress = client.finish(LONG).unwrap();
    assert_eq!((progress.acknowledged, progress.stored, progress.away, progress.error), (30_000, 30_000, None, None));
    assert_eq!(sequences(&witness.address(), campaign), (1..=30_000).collect::<Vec<u64>>());
    assert_eq!(witness.server().acknowledgements(), 30_000);
    let all = all(&witness.address(), campaign);
    assert!(matches!(&all[0].what, RecordContent::Begun { description, .. } if *description == begin(campaign).description));
    let event = all.iter().position(|kept| kept.what == RecordContent::Event { time_ns: -7, text: b"cut asked".to_vec() }).unwrap();
    let before = all[..event].iter().map(|kept| if let RecordContent::Acknowledged(some) = &kept.what { some.len() } else { 0 });
    assert_eq!(before.sum::<usize>(), 5000);
    assert_eq!(all.last().unwrap().what, RecordContent::Ended);
}

#[test]
fn sessions_follow_one_another_and_each_can_be_read_by_itself() {
    let (witness, campaign) = (TestWitness::new(), campaign());
    for session in 1..=3 {
        let client = connect(&witness.address(), campaign);
        assert_eq!(client.session(), session);
        acknowledge(&client, u64::from(session));
        client.finish(LONG).unwrap();
    }
    assert_eq!(sequences(&witness.address(), campaign), [1, 2, 3]);
    let mut only = Vec::new();
    let each = |kept: ioproof_witness::KeptRecord| {
        only.push((kept.session, kept.order));
        if kept.order == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    fetch(&witness.address(), &key(), campaign, Some(2), each).unwrap();
    assert_eq!(only, [(2, 1), (2, 2)]);
    let (mut beginnings, mut first) = (Vec::new(), Vec::new());
    fetch_beginnings(&witness.address(), &key(), campaign, |session, description| {
        beginnings.push((session, description.is_some()));
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(beginnings, [(3, true), (2, true), (1, true)], "from the last on");
    fetch_beginnings(&witness.address(), &key(), campaign, |session, _| {
        first.push(session);
        ControlFlow::Break(())
    })
    .unwrap();
    assert_eq!(first, [3]);
    let refusal = |outcome: Result<(), Error>| match outcome {
        Err(Error::Refused { reason, .. }) => reason,
        other => panic!("{other:?}"),
    };
    let each = |_| ControlFlow::Continue(());
    assert_eq!(refusal(fetch(&witness.address(), &key(), campaign, Some(4), each)), Reason::Unknown);
    assert_eq!(refusal(fetch(&witness.address(), &key(), crate::common::campaign(), None, each)), Reason::Unknown);
    let beginnings = fetch_beginnings(&witness.address(), &key(), crate::common::campaign(), |_, _| ControlFlow::Continue(()));
    assert_eq!(refusal(beginnings), Reason::Unknown);
    let listed = list(&witness.address(), &key()).unwrap();
    assert_eq!((listed.len(), listed[0].campaign, listed[0].sessions, listed[0].is_live), (1, campaign, 3, false));
}

#[test]
fn the_newest_campaign_is_the_one_that_was_written_last_whatever_the_clock_said() {
    let clock = TestClock::default();
    let mut witness = TestWitness::with(clock.settings());
    let [first, second] = [campaign(), campaign()];
    let order = |witness: &TestWitness| {
        let listed = list(&witness.address(), &key()).unwrap();
        [first, second].map(|campaign| listed.iter().find(|listed| listed.campaign == campaign).unwrap().order)
    };
    clock.set(9_000_000_000);
    connect(&witness.address(), first).finish(LONG).unwrap();
    clock.set(5);
    connect(&witness.address(), second).finish(LONG).unwrap();
    assert_eq!(order(&witness), [1, 2], "the clock was set back");
    let options = Options { patience: LONG, ..Options::default() };
    let result = Begin { writes: false, ..begin(first) };
    WitnessClient::connect_with(&witness.address(), &key(), result, &options).unwrap().finish(LONG).unwrap();
    assert_eq!(order(&witness), [1, 2], "a result is no write");
    // What a crash left of an entry.
    let file = std::fs::OpenOptions::new().append(true).open(witness.records().join("order")).unwrap();
    (&file).write_all(&[7; 5]).unwrap();
    witness.restart();
    connect(&witness.address(), first).finish(LONG).unwrap();
    assert_eq!(order(&witness), [3, 2]);
}

#[test]
fn writers_of_several_campaigns_write_side_by_side_and_are_read_meanwhile() {
    let witness = TestWitness::new();
    let campaigns: Vec<_> = (0..4).map(|_| campaign()).collect();
    std::thread::scope(|scope| {
        for campaign in &campaigns {
            let address = witness.address();
            scope.spawn(move || {
                let client = connect(&address, *campaign);
                for sequence in 1..=2000 {
                    acknowledge(&client, sequence);
                    if sequence % 500 == 0 {
                        assert!(client.wait_stored(sequence, LONG));
                        let seen = sequences(&address, *campaign);
                        assert!(seen.len() as u64 >= sequence && seen.is_sorted());
                        assert!(list(&address, &key()).unwrap().iter().any(|listed| listed.campaign == *campaign && listed.is_live));
                    }
                }
                client.finish(LONG).unwrap();
            });
        }
    });
    for campaign in campaigns {
        assert_eq!(sequences(&witness.address(), campaign), (1..=2000).collect::<Vec<u64>>());
    }
}

#[test]
fn a_second_writer_is_refused_while_the_first_is_there() {
    let (told, settings) = telling();
    let (witness, campaign) = (TestWitness::with(settings), campaign());
    let first = connect(&witness.address(), campaign);
    for session in [None, Some(1), Some(2)] {
        let refused = |event: &Told| matches!(event, Told::Refused { why, .. } if why.contains("is writing to this campaign"));
        told.lock().unwrap().clear();
        // On a slow machine the answer may come after patience is at an end.
        while !told.lock().unwrap().iter().any(refused) {
            let second = Begin { session, ..begin(campaign) };
            let options = Options { patience: Duration::from_millis(200), ..Options::default() };
            match WitnessClient::connect_with(&witness.address(), &key(), second, &options).err() {
                Some(Error::Refused { reason: Reason::InUse, text }) => assert!(text.contains("127.0.0.1"), "{text}"),
                Some(Error::Away { .. }) => {}
                other => panic!("{other:?}"),
            }
        }
    }
    acknowledge(&first, 1);
    first.finish(LONG).unwrap();
    let taken = Begin { session: Some(1), ..begin(campaign) };
    let outcome = WitnessClient::connect_with(&witness.address(), &key(), taken, &Options { patience: LONG, ..Options::default() });
    assert!(matches!(outcome, Err(Error::Refused { reason: Reason::Taken, .. })));
    assert_eq!(sequences(&witness.address(), campaign), [1]);
}

#[test]
fn a_writer_that_is_not_heard_any_more_gives_way_and_cannot_come_back() {
    let (witness, campaign) = (TestWitness::with(Settings { gives_way_after: Duration::ZERO, ..Settings::default() }), campaign());
    let first = connect(&witness.address(), campaign);
    acknowledge(&first, 1);
    assert!(first.wait_stored(1, LONG));
    let second = connect(&witness.address(), campaign);
    assert_eq!(second.session(), 2);
    acknowledge(&first, 2);
    assert!(matches!(first.finish(LONG), Err(Error::Refused { reason: Reason::Taken, .. } | Error::Refused { reason: Reason::InUse, .. })));
    acknowledge(&second, 3);
    second.finish(LONG).unwrap();
    assert_eq!(sequences(&witness.address(), campaign), [1, 3]);
}

#[test]
fn a_wrong_key_is_told_at_both_ends() {
    let (told, settings) = telling();
    let witness = TestWitness::with(settings);
    let other = Key::of([1; 32]);
    let options = Options { patience: LONG, ..Options::default() };
    assert_eq!(WitnessClient::connect_with(&witness.address(), &other, begin(campaign()), &options).err(), Some(Error::WrongKey));
    assert_eq!(list(&witness.address(), &other), Err(Error::WrongKey));
    // One who does not look at the witness's proof and sends one of his own.
    let hello = ioproof_witness::protocol::begin(&[1; 32]);
    let mut stream = TcpStream::connect(witness.address()).unwrap();
    stream.write_all(hello.bytes()).unwrap();
    stream.read_exact(&mut [0; ioproof_witness::protocol::ANSWER_BYTES]).unwrap();
    let (forged, _) = ioproof_witness::protocol::Answer::to(hello.bytes(), &other, &[2; 32]).unwrap();
    let (proof, _) = hello.finish(&other, &forged.bytes).unwrap();
    stream.write_all(&proof).unwrap();
    assert_eq!(stream.read(&mut [0; 1]).unwrap_or(0), 0, "the witness hangs up");
    assert!(told.lock().unwrap().iter().any(|event| matches!(event, Told::Refused { why, .. } if why == "it has another key")));
    assert!(!std::fs::read_dir(witness.records()).unwrap().any(|entry| entry.unwrap().file_name() != "lock"));
}

#[test]
fn another_version_and_another_service_are_told() {
    let witness = TestWitness::new();
    let mut newer = *ioproof_witness::protocol::begin(&[1; 32]).bytes();
    newer[8] = 99;
    let mut stream = TcpStream::connect(witness.address()).unwrap();
    stream.write_all(&newer).unwrap();
    let mut answer = [0; ioproof_witness::protocol::ANSWER_BYTES];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!((&answer[..8], answer[8], answer[10]), (&b"ioproofw"[..], 1, 1), "its version, and that it will not go on");
    for (says, error) in [
        ([&b"ioproofw"[..], &[7, 0], &[0; 80]].concat(), Error::OtherVersion { theirs: 7, ours: 1 }),
        (b"220 mail.example.org ESMTP ready when you are\r\n".repeat(3), Error::NoWitness),
    ] {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let serves = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(&says).unwrap();
            let _ = stream.read_to_end(&mut Vec::new());
        });
        let options = Options { patience: LONG, ..Options::default() };
        assert_eq!(WitnessClient::connect_with(&address, &key(), begin(campaign()), &options).err(), Some(error));
        serves.join().unwrap();
    }
}

#[test]
fn hostile_bytes_harm_nobody() {
    let (witness, campaign) = (TestWitness::new(), campaign());
    let client = connect(&witness.address(), campaign);
    for bytes in [vec![0; 100], vec![0xff; 100_000], b"GET / HTTP/1.1\r\n\r\n".to_vec(), vec![]] {
        let mut stream = TcpStream::connect(witness.address()).unwrap();
        let _ = stream.write_all(&bytes);
    }
    // A stranger who says nothing keeps nobody out.
    let silent = TcpStream::connect(witness.address()).unwrap();
    acknowledge(&client, 1);
    client.finish(LONG).unwrap();
    drop(silent);
    assert_eq!(sequences(&witness.address(), campaign), [1]);
}

#[test]
fn more_connections_than_there_may_be_are_told_so_and_get_in_later() {
    let witness = TestWitness::with(Settings { connections_max: 1, ..Settings::default() });
    let client = connect(&witness.address(), campaign());
    let refused = list(&witness.address(), &key());
    assert!(matches!(&refused, Err(Error::Connection(why)) if why.contains("as many connections")), "{refused:?}");
    client.finish(LONG).unwrap();
    let client = connect(&witness.address(), campaign());
    client.finish(LONG).unwrap();
}

#[test]
fn strangers_who_say_nothing_keep_nobody_out() {
    let witness = TestWitness::with(Settings { strangers_max: 2, ..Settings::default() });
    let mut strangers: Vec<TcpStream> = (0..5).map(|_| TcpStream::connect(witness.address()).unwrap()).collect();
    let client = connect(&witness.address(), campaign());
    acknowledge(&client, 1);
    client.finish(LONG).unwrap();
    strangers[0].set_read_timeout(Some(LONG)).unwrap();
    assert_eq!(strangers[0].read(&mut [0]).unwrap(), 0, "the oldest has made room");
}

#[test]
fn a_clock_that_is_set_back_changes_no_order() {
    let (clock, campaign) = (TestClock::default(), campaign());
    let witness = TestWitness::with(clock.settings());
    clock.set(1_000);
    let client = connect(&witness.address(), campaign);
    for (sequence, wall_ns) in [(1, 2_000), (2, 500), (3, -3_000)] {
        clock.set(wall_ns);
        acknowledge(&client, sequence);
        assert!(client.wait_stored(sequence, LONG));
    }
    clock.set(4_000);
    client.finish(LONG).unwrap();
    let times: Vec<(u64, i64)> = all(&witness.address(), campaign).iter().map(|kept| (kept.order, kept.wall_ns)).collect();
    assert_eq!(times, [(1, 1_000), (2, 2_000), (3, 500), (4, -3_000), (5, 4_000)]);
    assert_eq!(sequences(&witness.address(), campaign), [1, 2, 3]);
}

#[test]
fn what_is_too_large_is_not_sent() {
    let witness = TestWitness::new();
    let large = Begin { description: vec![b'x'; (1 << 20) + 1], ..begin(campaign()) };
    assert!(matches!(connect_once(&witness.address(), large), Err(Error::TooLarge { .. })));
    let most = Begin { description: vec![b'x'; 1 << 20], ..begin(campaign()) };
    let options = Options { patience: LONG, ..Options::default() };
    let client = WitnessClient::connect_with(&witness.address(), &key(), most.clone(), &options).unwrap();
    assert!(matches!(client.event(0, &[0; (64 << 10) + 1]), Err(NotTaken::Ended(Error::TooLarge { .. }))));
    client.event(0, &[7; 64 << 10]).unwrap();
    client.finish(LONG).unwrap();
    let all = all(&witness.address(), most.campaign);
    assert!(matches!(&all[0].what, RecordContent::Begun { description, .. } if *description == most.description));
    assert!(matches!(&all[1].what, RecordContent::Event { text, .. } if text.len() == 64 << 10));
}

#[test]
fn without_a_witness_the_reason_is_said() {
    let gone = TestWitness::new();
    let address = gone.address();
    drop(gone);
    let options = Options { patience: Duration::from_millis(300), ..Options::default() };
    match WitnessClient::connect_with(&address, &key(), begin(campaign()), &options).err() {
        Some(Error::Away { why, .. }) => assert!(why.contains("refused"), "{why}"),
        other => panic!("{other:?}"),
    }
}
