//! Clauses about what the device holds. A known signature is refused whatever the consent; what is unknown takes a second consent.
//!
//! No list of signatures knows everything (plain dm-crypt and raw databases have none), so empty means: both ends and blocks spread over
//! the rest read as zeros or hold what we wrote. `search.rs` says how many, and how surely they find something.

mod search;

pub(crate) use search::Look;
pub use search::search_promise;

use super::{Consent, Reason, refusals};
use crate::error::Refusal;
use crate::signs::image::{Image, Source};
use crate::signs::signature;
use search::Search;
use std::io;

/// The reasons against writing that the content gives, and how surely there are no others.
#[derive(Debug, Default)]
pub(crate) struct Content {
    pub refusals: Vec<Refusal>,
    /// A sentence on what was looked at; `None` where the consent covers unknown content, or something was found.
    pub searched: Option<String>,
}

/// Looks at the content. What cannot be read is not known to be empty.
pub(crate) fn content(source: &(dyn Source + Sync), look: Look, consent: &Consent) -> Content {
    examine(source, look, consent).unwrap_or_else(|error| {
        let reason = Reason::new(format!("what it holds cannot be read: {error}"));
        Content { refusals: refusals("content", vec![reason]), searched: None }
    })
}

fn examine(source: &(dyn Source + Sync), look: Look, consent: &Consent) -> io::Result<Content> {
    let image = Image::new(source)?;
    let traces = signature::find(&image)?;
    if !traces.is_empty() {
        return Ok(Content { refusals: refusals("signature", traces.iter().map(known).collect()), searched: None });
    }
    if consent.destroy_unknown_content {
        let searched = "no known signature is on it; what else it holds was not looked at, by --destroy-unknown-content".to_owned();
        return Ok(Content { searched: Some(searched), ..Content::default() });
    }
    let search = Search::run(&image, look)?;
    let refusals = refusals("unknown-content", search.foreign.map(unknown).into_iter().collect());
    let searched = refusals.is_empty().then(|| search.describe());
    Ok(Content { refusals, searched })
}

fn known(trace: &signature::Trace) -> Reason {
    Reason::new(format!("it bears a signature of {} at byte {}", trace.name, trace.offset_bytes))
        .hint("if nothing on it is needed, remove the signatures first (wipefs -a; it leaves backups, which blkdiscard or zeros over the whole device remove)")
}

fn unknown(offset: u64) -> Reason {
    Reason::new(format!("it is not empty: there is something at byte {offset} that ioproof did not write"))
        .hint("if it is not needed, add --destroy-unknown-content")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signs::mark::MARK;

    const SIZE: usize = 6 << 20;

    fn look() -> Look {
        Look::new(512, 1)
    }

    fn refused(image: &Vec<u8>, destroy_unknown_content: bool) -> Vec<&'static str> {
        let consent = Consent { destroy_unknown_content, ..Consent::default() };
        content(image, look(), &consent).refusals.into_iter().map(|r| r.clause).collect()
    }

    const NONE: [&str; 0] = [];

    #[test]
    fn zeros_pass_and_so_does_what_we_wrote() {
        let mut image = vec![0u8; SIZE];
        assert_eq!(refused(&image, false), NONE);
        for start in (0..SIZE).step_by(4096).filter(|start| start % 12_288 != 0) {
            crate::signs::laid_out::fill((1, 1), start as u64, &mut image[start..start + 4096]);
        }
        assert_eq!(refused(&image, false), NONE);
    }

    #[test]
    fn data_behind_a_mark_of_ours_is_unknown_content() {
        for at in [512, 3 << 20, SIZE - 512] {
            let mut image = vec![0u8; SIZE];
            crate::signs::laid_out::fill((1, 1), 0, &mut image);
            image[at..at + 512].copy_from_slice(&b"a row of somebody's table ".repeat(20)[..512]);
            assert_eq!(refused(&image, false), ["unknown-content"], "at {at}");
        }
        let mut image = vec![0x5au8; SIZE];
        image.chunks_mut(4096).for_each(|block| block[..8].copy_from_slice(&MARK));
        assert_eq!(refused(&image, false), ["unknown-content"], "a mark alone proves nothing");
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
        for last in (4095..SIZE).step_by(40_960) {
            image[last] = 1;
            assert_eq!(refused(&image, false), ["unknown-content"], "byte {last}");
            image[last] = 0;
        }
        let said = content(&image, look(), &Consent::default()).searched.unwrap();
        assert!(said.starts_with("all of it was read"), "{said}");
    }

    #[test]
    fn a_signature_is_refused_whatever_the_consent() {
        let mut image = vec![0u8; SIZE];
        image[..6].copy_from_slice(b"LUKS\xba\xbe");
        assert_eq!(refused(&image, false), ["signature"]);
        assert_eq!(refused(&image, true), ["signature"]);
    }

    #[test]
    fn a_copy_alone_is_refused_whatever_the_consent() {
        const TAIL: usize = 1 << 20;
        let bcachefs = b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef";
        let copies: [(usize, &[u8]); 12] = [
            (7 * 512, bcachefs),
            (TAIL + 4096 + 24, bcachefs),
            (2 * TAIL + 24, bcachefs),
            (SIZE - TAIL + 24, bcachefs),
            (4096 + 32, b"NXSB"),
            (511 * 512, b"\xfe\xed\xba\xbe"),
            (4096 + 4, b" LVM2 x[5A%r0N*>"),
            (SIZE - TAIL + 4, b" LVM2 x[5A%r0N*>"),
            (8192, b"bitm"),
            (60, b"\x83\x74\x02\x6d"),
            (SIZE - 512, b"GEOM::MIRROR"),
            (SIZE - 512, b"\0\0\0ReFS\0"),
        ];
        for (at, magic) in copies {
            let mut image = vec![0u8; SIZE];
            image[at..at + magic.len()].copy_from_slice(magic);
            assert_eq!(refused(&image, true).first(), Some(&"signature"), "at {at}");
        }
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
        assert_eq!(content(&Broken, look(), &consent).refusals[0].clause, "content");
    }
}
