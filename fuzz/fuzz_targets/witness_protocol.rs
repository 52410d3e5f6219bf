//! Any bytes are frames with messages or an error: those of a peer that has the key, and those of one that has not.

#![no_main]

use ioproof_witness::Key;
use ioproof_witness::protocol::{
    ANSWER_BYTES, Answer, Answering, Asking, FrameDirection, HELLO_BYTES, Incoming, WITNESS_KINDS, WRITER_KINDS, begin, pair,
};
use libfuzzer_sys::fuzz_target;

const KEY: [u8; 32] = [7; 32];

fuzz_target!(|bytes: &[u8]| {
    stranger(bytes);
    known(bytes, FrameDirection::FromWitness, WRITER_KINDS);
    known(bytes, FrameDirection::ToWitness, WITNESS_KINDS);
});

/// Without the key nothing comes through.
fn stranger(bytes: &[u8]) {
    if let Some(hello) = bytes.first_chunk::<HELLO_BYTES>() {
        let _ = Answer::to(hello, &Key::of(KEY), &[2; 32]);
    }
    if let Some(answer) = bytes.first_chunk::<ANSWER_BYTES>() {
        assert!(begin(&[1; 32]).finish(&Key::of(KEY), answer).is_err());
    }
    for receives in [(FrameDirection::FromWitness, WRITER_KINDS), (FrameDirection::ToWitness, WITNESS_KINDS)] {
        let mut incoming = pair(&KEY, receives.0, receives.1).1;
        incoming.feed(bytes);
        assert!(!matches!(incoming.take(), Ok(Some(_))));
    }
}

/// With it any kind and content comes as it was sent, and is a message that is written as it was read, or an error.
fn known(bytes: &[u8], receives: FrameDirection, kinds: fn(u8) -> Option<u32>) {
    let sends = if receives == FrameDirection::FromWitness { FrameDirection::ToWitness } else { FrameDirection::FromWitness };
    let (mut sealer, mut incoming): (_, Incoming) = (pair(&KEY, sends, kinds).0, pair(&KEY, receives, kinds).1);
    let Some((kind, content)) = bytes.split_first() else { return };
    let mut frame = Vec::new();
    sealer.put(*kind, content, &mut frame);
    incoming.feed(&frame);
    let Ok(Some(whole)) = incoming.take() else { return };
    assert_eq!(incoming.content(&whole), content);
    if let Ok(asking) = Asking::read(*kind, content) {
        let (kind, again) = asking.write();
        assert_eq!(Asking::read(kind, &again), Ok(asking));
    }
    if let Ok(answering) = Answering::read(*kind, content)
        && !matches!(answering, Answering::Fetched(_))
    {
        let (kind, again) = answering.write();
        assert_eq!(Answering::read(kind, &again), Ok(answering));
    }
}
