//! The vital product data pages that the kernel read from a SCSI or ATA drive and shows as binary files (`device/vpd_pg*`).
//!
//! Pure: bytes in, texts out, and never a panic. `names` reads the files.

/// Where IDENTIFY DEVICE data begin in the ATA Information page (SAT-5, ATA Information VPD page).
const IDENTIFY_AT: usize = 60;

/// Names and link speed in the IDENTIFY DEVICE data of an ATA drive (ACS-5; word n is bytes 2n and 2n + 1).
#[derive(Debug, Default, PartialEq)]
pub(crate) struct AtaIdentity {
    pub(crate) model: Option<String>,
    pub(crate) serial: Option<String>,
    pub(crate) firmware: Option<String>,
    /// The fastest SATA signalling that the drive supports, in Gb/s; `None` where it does not say.
    pub(crate) sata_gbps: Option<f64>,
}

/// The ATA Information page (89h): the drive's IDENTIFY DEVICE data, also where a translator stands between.
///
/// `None` where it is not that page, is cut, or tells of a packet device.
pub(crate) fn ata_information(page: &[u8]) -> Option<AtaIdentity> {
    const IDENTIFY_DEVICE: u8 = 0xec;
    let identify = page.get(IDENTIFY_AT..IDENTIFY_AT + 512)?;
    if page[1] != 0x89 || page[56] != IDENTIFY_DEVICE {
        return None;
    }
    Some(AtaIdentity {
        serial: ata_string(&identify[20..40]),
        firmware: ata_string(&identify[46..54]),
        model: ata_string(&identify[54..94]),
        sata_gbps: sata_gbps(u16::from_le_bytes([identify[152], identify[153]])),
    })
}

/// Word 76, bits 1 to 3: generations 1 to 3. All zeros or all ones mean that the drive is not serial ATA.
fn sata_gbps(capabilities: u16) -> Option<f64> {
    if capabilities == u16::MAX {
        return None;
    }
    [(3, 6.0), (2, 3.0), (1, 1.5)].into_iter().find(|(bit, _)| capabilities & (1 << bit) != 0).map(|(_, gbps)| gbps)
}

/// The first character of an ATA string is in the high byte of its word (ACS-5, ATA string convention).
fn ata_string(bytes: &[u8]) -> Option<String> {
    let swapped: Vec<u8> = bytes.chunks_exact(2).flat_map(|word| [word[1], word[0]]).collect();
    printable(&swapped)
}

/// The Unit Serial Number page (80h, SPC-5): a header of four bytes with the length of the text that follows.
pub(crate) fn unit_serial_number(page: &[u8]) -> Option<String> {
    let (&[_, code, high, low], text) = page.split_first_chunk::<4>()?;
    let length = usize::from(u16::from_be_bytes([high, low])).min(text.len());
    if code == 0x80 { printable(&text[..length]) } else { None }
}

/// Text with outer blanks and zero bytes removed; `None` where nothing is left or it is not printable ASCII.
fn printable(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?.trim_matches([' ', '\0']);
    (!text.is_empty() && text.bytes().all(|b| b == b' ' || b.is_ascii_graphic())).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn page_89(model: &str, word_76: u16) -> Vec<u8> {
        let mut page = vec![0; 572];
        (page[1], page[56]) = (0x89, 0xec);
        for (at, pair) in format!("{model:40}").as_bytes().chunks(2).enumerate() {
            (page[60 + 54 + 2 * at], page[60 + 55 + 2 * at]) = (pair[1], pair[0]);
        }
        page[60 + 152..60 + 154].copy_from_slice(&word_76.to_le_bytes());
        page
    }

    #[test]
    fn a_model_longer_than_inquiry_can_tell() {
        let ata = ata_information(&page_89("INTEL SSDSC2BA800G3", 0x0e)).unwrap();
        assert_eq!(ata.model.as_deref(), Some("INTEL SSDSC2BA800G3"));
        assert_eq!((ata.serial, ata.firmware, ata.sata_gbps), (None, None, Some(6.0)));
    }

    #[test]
    fn the_speed_is_the_highest_bit() {
        let speed = |word| ata_information(&page_89("X", word)).unwrap().sata_gbps;
        assert_eq!([speed(0x02), speed(0x06), speed(0x0e)], [Some(1.5), Some(3.0), Some(6.0)]);
        assert_eq!([speed(0), speed(0xffff)], [None, None]);
    }

    #[test]
    fn another_page_or_command_is_not_believed() {
        let mut page = page_89("X", 0);
        page[56] = 0xa1;
        assert_eq!(ata_information(&page), None);
        (page[56], page[1]) = (0xec, 0x83);
        assert_eq!(ata_information(&page), None);
        assert_eq!(ata_information(&page_89("X", 0)[..571]), None);
    }

    #[test]
    fn a_serial_number_ends_where_the_page_says() {
        assert_eq!(unit_serial_number(b"\0\x80\0\x08  BTWL12trailing").as_deref(), Some("BTWL12"));
        assert_eq!(unit_serial_number(b"\0\x80\xff\xffS1").as_deref(), Some("S1"));
        assert_eq!(unit_serial_number(b"\0\x83\0\x02S1"), None);
        assert_eq!(unit_serial_number(b"\0\x80\0\x04    "), None);
        assert_eq!(unit_serial_number(b"\0\x80"), None);
    }

    proptest! {
        #[test]
        fn a_string_survives_the_swap(model in "[!-~]([ -~]{0,38}[!-~])?") {
            prop_assert_eq!(ata_information(&page_89(&model, 0)).unwrap().model, Some(model));
        }

        #[test]
        fn any_bytes_give_printable_text_or_nothing(
            mut page in proptest::collection::vec(any::<u8>(), 0..700),
            code in prop_oneof![Just(0x80u8), Just(0x89)],
        ) {
            if page.len() > 57 {
                (page[1], page[56]) = (code, 0xec);
            }
            let ata = ata_information(&page).unwrap_or_default();
            for text in [unit_serial_number(&page), ata.model, ata.serial, ata.firmware].into_iter().flatten() {
                prop_assert!(!text.is_empty() && !text.contains(|c: char| !c.is_ascii() || c.is_ascii_control()));
            }
        }
    }
}
