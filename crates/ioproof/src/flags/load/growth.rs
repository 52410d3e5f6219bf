//! `--write-to`: the state of the blocks that are written.

use ioproof_core::shape::Growth;

pub fn read(text: &str) -> Result<Growth, String> {
    match text {
        "existing" => Ok(Growth::Overwrite),
        "append" => Ok(Growth::Append),
        "append-reserved" => Ok(Growth::AppendReserved),
        "reserved" => Ok(Growth::Reserved),
        _ => Err("known: existing, append, append-reserved, reserved".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_of_blocks() {
        let known = ["existing", "append", "append-reserved", "reserved"].map(|text| read(text).unwrap());
        assert_eq!(known, [Growth::Overwrite, Growth::Append, Growth::AppendReserved, Growth::Reserved]);
        assert!(read("").is_err() && read("new").unwrap_err().contains("append"));
    }
}
