//! Any bytes are either the head of an exported run or an error; a head keeps to the limits, names no path of its own making, and is written again as it was read.

#![no_main]

use ioproof_core::export::{Contents, FileName, MOST_BYTES, MOST_FILES, is_id, read_head};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(head) = read_head(bytes) else { return };
    let contents = &head.contents;
    assert!(is_id(&contents.id) && contents.files.len() <= MOST_FILES && contents.size_bytes() <= MOST_BYTES);
    assert!(contents.files.iter().all(|file| FileName::of(&file.name.to_string()) == Some(file.name)));
    assert!(head.digested_bytes < head.length_bytes && head.length_bytes <= bytes.len());
    let again = read_head((contents.text() + &Contents::last_line(&head.sha256)).as_bytes()).map(|again| again.contents);
    assert_eq!(again.as_ref(), Ok(contents));
});
