//! Any address of a server is read or refused without a panic, no error repeats the password of one, and none is left in a text from which it was taken out.

#![no_main]

use ioproof_database::postgres::{Uri, without_password};
use libfuzzer_sys::fuzz_target;

const PASSWORD: &str = "s3cr3t-w0rd";

fuzz_target!(|text: &str| {
    let _ = text.parse::<Uri>();
    let typed = format!("postgresql://me:{PASSWORD}@{}", text.replace(PASSWORD, ""));
    if let Err(error) = typed.parse::<Uri>() {
        assert!(!error.contains(PASSWORD));
    }
    let _ = without_password(text);
});
