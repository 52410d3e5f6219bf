//! The pages of Identify (5.15.2) as far as the driver needs them.

/// Size of each page. Bytes.
pub const PAGE_BYTES: usize = 4096;

/// Identify Controller (figure 247).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControllerPage {
    /// Serial number.
    pub serial: String,
    /// Model number.
    pub model: String,
    /// Firmware revision.
    pub firmware: String,
    /// Largest transfer of a command (`MDTS`) in pages of 4 KiB; `None`: no limit.
    pub transfer_pages_max: Option<u64>,
    /// True where it takes Doorbell Buffer Config (`OACS`, bit 8).
    pub has_shadow_doorbells: bool,
    /// True where it has Dataset Management (`ONCS`, bit 2).
    pub deallocates: bool,
    /// True where it has Write Zeroes (`ONCS`, bit 3).
    pub writes_zeroes: bool,
    /// True where it has a volatile write cache (`VWC`, bit 0).
    pub has_write_cache: bool,
    /// True where it takes SGLs for I/O commands (`SGLS`, bits 1:0), of any alignment (01b) or of whole dwords (10b).
    pub takes_sgls: bool,
}

impl ControllerPage {
    /// Reads the page.
    #[must_use]
    pub fn parse(page: &[u8; PAGE_BYTES]) -> Self {
        let mdts = page[77];
        let oncs = le16(page, 520);
        Self {
            serial: text(&page[4..24]),
            model: text(&page[24..64]),
            firmware: text(&page[64..72]),
            transfer_pages_max: (mdts != 0).then(|| 1_u64.checked_shl(mdts.into()).unwrap_or(u64::MAX)),
            has_shadow_doorbells: le16(page, 256) >> 8 & 1 == 1,
            deallocates: oncs >> 2 & 1 == 1,
            writes_zeroes: oncs >> 3 & 1 == 1,
            has_write_cache: page[525] & 1 == 1,
            takes_sgls: matches!(page[536] & 3, 1 | 2),
        }
    }
}

/// Identify Namespace (figure 245).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamespacePage {
    /// Size (`NSZE`). Blocks.
    pub blocks: u64,
    /// Logical block (`LBADS` of the format in use), as a power of two; 0 where the format does not exist.
    pub block_shift: u8,
    /// Metadata of each block (`MS` of the format in use). Bytes.
    pub metadata_bytes: u16,
    /// Boundary that an I/O had better not cross (`NOIOB`); 0 for none. Blocks.
    pub boundary_blocks: u16,
}

impl NamespacePage {
    /// Reads the page.
    #[must_use]
    pub fn parse(page: &[u8; PAGE_BYTES]) -> Self {
        let format = 128 + 4 * usize::from(page[26] & 0xf);
        Self { blocks: le64(page, 0), block_shift: page[format + 2], metadata_bytes: le16(page, format), boundary_blocks: le16(page, 46) }
    }
}

/// The list of active namespaces (CNS 02h, 5.15.2.3), which ends with a zero.
#[must_use]
pub fn active_namespaces(page: &[u8; PAGE_BYTES]) -> Vec<u32> {
    let words = page.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
    words.take_while(|number| *number != 0).collect()
}

fn le16(page: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([page[at], page[at + 1]])
}

fn le64(page: &[u8], at: usize) -> u64 {
    u64::from(le16(page, at))
        | u64::from(le16(page, at + 2)) << 16
        | u64::from(le16(page, at + 4)) << 32
        | u64::from(le16(page, at + 6)) << 48
}

/// Text padded with spaces (1.5 of the specification).
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_matches([' ', '\0']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sgls_are_taken_with_either_alignment_and_a_reserved_value_says_nothing() {
        let takes = [0, 1, 2, 3].map(|sgls| {
            let mut page = [0; PAGE_BYTES];
            page[536] = sgls | 0xf0;
            ControllerPage::parse(&page).takes_sgls
        });
        assert_eq!(takes, [false, true, true, false]);
    }
}
