//! The name of a campaign: 128 random bits. A folder's name is made from these bits alone, so no peer can name a path.

use crate::hex;
use crate::random::random;
use std::fmt;
use std::io;

/// A campaign: all sessions that belong together, before and after its cuts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CampaignId(pub [u8; 16]);

impl CampaignId {
    /// Draws a new one.
    ///
    /// # Errors
    /// When the kernel gives no random bytes.
    pub fn draw() -> io::Result<Self> {
        Ok(Self(random()?))
    }

    /// Reads 32 hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        hex::bytes(text).map(Self)
    }
}

/// 32 lower-case hexadecimal digits.
impl fmt::Display for CampaignId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::digits(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_as_they_are_shown() {
        let id = CampaignId::draw().unwrap();
        assert_eq!(CampaignId::parse(&id.to_string()), Some(id));
        assert_ne!(CampaignId::draw().unwrap(), id);
        for wrong in ["", "..", "../../../../../../../../etc/pass", "0123456789abcdef0123456789abcde/"] {
            assert_eq!(CampaignId::parse(wrong), None, "{wrong}");
        }
    }
}
