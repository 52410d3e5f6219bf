//! SHA-256 in hexadecimal digits.

use sha2::{Digest, Sha256};

/// Of all of these bytes, one right behind the other.
pub fn sha256(pieces: &[&[u8]]) -> String {
    let hash = pieces.iter().fold(Sha256::new(), |hash, piece| hash.chain_update(piece));
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_example_of_fips_180_4() {
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!([super::sha256(&[b"abc"]), super::sha256(&[b"a", b"", b"bc"])], [digest, digest]);
    }
}
