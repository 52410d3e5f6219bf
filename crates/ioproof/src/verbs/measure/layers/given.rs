//! The address of a server that was given, with a password that may stand in the environment, as those of PostgreSQL's own programs may.

use anyhow::Result;
use ioproof_database::postgres::Uri;
use ioproof_process::complaint::complaint;

const HINT: &str =
    "--postgres postgresql://USER@HOST:PORT/DATABASE, or by a socket --postgres 'postgresql:///DATABASE?host=/run/postgresql'";

/// Reads it.
///
/// # Errors
/// When it names no database, no host, or more than the way to these. No error has a word of it, since it may have a password.
pub fn address(typed: Option<&str>) -> Result<Option<Uri>> {
    let Some(typed) = typed else { return Ok(None) };
    let uri: Uri = typed.parse().map_err(|error| complaint(format!("--postgres is no address of a database: {error}"), HINT))?;
    Ok(Some(uri.or_password(std::env::var("PGPASSWORD").ok())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_address_is_refused_without_a_word_of_it() {
        let error = address(Some("postgresql://me:secret@localhost")).unwrap_err().to_string();
        assert!(error.contains("no database") && !error.contains("secret"), "{error}");
        assert_eq!(address(Some("postgresql://me@localhost/bench")).unwrap().unwrap().database(), "bench");
        assert!(address(None).unwrap().is_none());
    }
}
