//! Clauses about what the device holds. A known signature is refused whatever the consent; what is unknown takes a second consent.
//!
//! No list of signatures knows everything (plain dm-crypt and raw databases have none), so empty means: both ends and blocks spread over
//! the rest read as zeros or bear our mark.

use super::{Consent, Reason, refusals};
use crate::error::Refusal;
use crate::image::{END_BYTES, Image, Source};
use crate::system::System;
use crate::{block, mark, sample, signature};
use std::io;

/// The way in which a device is looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    /// Smallest I/O in bytes; our marks lie at multiples of it.
    pub logical_block_bytes: usize,
    /// Blocks of 4 KiB looked at between the ends, at least 256; where there are no more than [`ALL_BLOCKS`], all of them are.
    pub samples: u64,
    /// The seed of their places in the strata. Two looks with different seeds see different blocks; the same look sees the same, so that trying
    /// again is no way past.
    pub seed: u64,
}

impl Look {
    /// As much as costs about three seconds on a drive that turns, and a second on one that does not.
    pub(crate) fn at(system: &System, name: &str, logical_block_bytes: u32, seed: u64) -> Self {
        let turns = block::attribute(system, name, "queue/rotational").as_deref() != Some("0");
        Self { logical_block_bytes: logical_block_bytes as usize, samples: if turns { 256 } else { 4096 }, seed }
    }
}

const SAMPLE_BYTES: usize = 4096;

/// The most blocks between the ends that are all read, 64 MiB. Blocks of 4 KiB.
const ALL_BLOCKS: u64 = 16_384;

/// Every reason against writing that the content gives. What cannot be read is not known to be empty.
pub(crate) fn content(source: &dyn Source, look: Look, consent: &Consent) -> Vec<Refusal> {
    match examine(source, look, consent) {
        Ok(refusals) => refusals,
        Err(error) => refusals("content", vec![Reason::new(format!("what it holds cannot be read: {error}"))]),
    }
}

fn examine(source: &dyn Source, look: Look, consent: &Consent) -> io::Result<Vec<Refusal>> {
    let image = Image::new(source)?;
    let traces = signature::find(&image)?;
    if !traces.is_empty() {
        return Ok(refusals("signature", traces.iter().map(known).collect()));
    }
    if consent.destroy_unknown_content {
        return Ok(Vec::new());
    }
    let foreign = first_foreign(&image, look)?;
    Ok(refusals("unknown-content", foreign.map(unknown).into_iter().collect()))
}

fn known(trace: &signature::Trace) -> Reason {
    Reason::new(format!("it bears a signature of {} at byte {}", trace.name, trace.offset_bytes))
        .hint("if nothing on it is needed, remove the signatures first (wipefs -a)")
}

fn unknown(offset: u64) -> Reason {
    Reason::new(format!("it is not empty: there is something at byte {offset} that ioproof did not write"))
        .hint("if it is not needed, add --destroy-unknown-content")
}

/// The first byte of the first 4 KiB that are neither empty nor ours.
fn first_foreign(image: &Image<'_>, look: Look) -> io::Result<Option<u64>> {
    let (tail_at, tail) = image.tail();
    if let Some(offset) = foreign_in(0, image.head(), look).or_else(|| foreign_in(tail_at, tail, look)) {
        return Ok(Some(offset));
    }
    let first = END_BYTES / SAMPLE_BYTES as u64;
    let between = (tail_at / SAMPLE_BYTES as u64).saturating_sub(first);
    let samples = if between <= ALL_BLOCKS { between } else { look.samples };
    for block in sample::stratified(between, samples, look.seed) {
        let offset = (first + block) * SAMPLE_BYTES as u64;
        let bytes = image.bytes(offset, SAMPLE_BYTES)?.unwrap_or_default();
        if !mark::empty_or_ours(&bytes, look.logical_block_bytes) {
            return Ok(Some(offset));
        }
    }
    Ok(None)
}

fn foreign_in(start: u64, bytes: &[u8], look: Look) -> Option<u64> {
    let mut pieces = bytes.chunks(SAMPLE_BYTES);
    let index = pieces.position(|piece| !mark::empty_or_ours(piece, look.logical_block_bytes))?;
    Some(start + (index * SAMPLE_BYTES) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mark::MARK;

    const LOOK: Look = Look { logical_block_bytes: 512, samples: 256, seed: 1 };
    const SIZE: usize = 4 << 20;

    fn refused(image: &Vec<u8>, destroy_unknown_content: bool) -> Vec<&'static str> {
        let consent = Consent { destroy_unknown_content, ..Consent::default() };
        content(image, LOOK, &consent).into_iter().map(|r| r.clause).collect()
    }

    const NONE: [&str; 0] = [];

    #[test]
    fn zeros_pass_and_so_does_what_we_wrote() {
        let mut image = vec![0u8; SIZE];
        assert_eq!(refused(&image, false), NONE);
        for start in (0..SIZE).step_by(4096).filter(|start| start % 12_288 != 0) {
            image[start..start + 4096].fill(0xa7);
            image[start..start + 8].copy_from_slice(&MARK);
        }
        assert_eq!(refused(&image, false), NONE);
    }

    #[test]
    fn a_single_byte_at_either_end_is_unknown_content() {
        for offset in [0, 511, (1 << 20) - 1, SIZE - (1 << 20), SIZE - 1] {
            let mut image = vec![0u8; SIZE];
            image[offset] = 1;
            assert_eq!(refused(&image, false), ["unknown-content"], "at {offset}");
            assert_eq!(refused(&image, true), NONE, "at {offset}");
        }
    }

    #[test]
    fn a_small_device_is_read_in_full() {
        let mut image = vec![0u8; SIZE];
        for last in (4095..SIZE).step_by(4096) {
            image[last] = 1;
            assert_eq!(refused(&image, false), ["unknown-content"], "byte {last}");
            image[last] = 0;
        }
    }

    /// 1 TiB of zeros but for a part of it.
    struct Huge(std::ops::Range<u64>);

    impl Source for Huge {
        fn size_bytes(&self) -> u64 {
            1 << 40
        }

        fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
            Ok(vec![u8::from(self.0.contains(&offset)); length])
        }
    }

    #[test]
    fn a_large_device_is_sampled_all_over() {
        let refused = |part| !content(&Huge(part), LOOK, &Consent::default()).is_empty();
        assert!(!refused(0..0));
        let stratum = (1u64 << 40) / 256;
        for first in [1, 100, 253] {
            assert!(refused(first * stratum..(first + 2) * stratum), "two strata hold one whole sample in any case");
        }
    }

    #[test]
    fn a_signature_is_refused_whatever_the_consent() {
        let mut image = vec![0u8; SIZE];
        image[..6].copy_from_slice(b"LUKS\xba\xbe");
        assert_eq!(refused(&image, false), ["signature"]);
        assert_eq!(refused(&image, true), ["signature"]);
    }

    #[test]
    fn every_signature_is_told() {
        let mut image = vec![0u8; SIZE];
        image[..4].copy_from_slice(b"XFSB");
        image[SIZE - 512..SIZE - 504].copy_from_slice(b"EFI PART");
        assert_eq!(refused(&image, true), ["signature", "signature"]);
    }

    struct Broken;

    impl Source for Broken {
        fn size_bytes(&self) -> u64 {
            SIZE as u64
        }

        fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
            if offset == 0 { Ok(vec![0; length]) } else { Err(io::Error::from_raw_os_error(libc::EIO)) }
        }
    }

    #[test]
    fn what_cannot_be_read_is_not_empty() {
        let consent = Consent { destroy_unknown_content: true, ..Consent::default() };
        assert_eq!(content(&Broken, LOOK, &consent)[0].clause, "content");
    }
}
