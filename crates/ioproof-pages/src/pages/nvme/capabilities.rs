//! Capabilities in Identify Controller that decide which further commands are sent. A drive counts a command that it does not know as an error in its log, so nothing
//! is asked on the off chance.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// Major and minor version; 0.0 where it does not say, which only those before 1.2 do.
    pub version: (u16, u8),
    pub error_entries: usize,
    pub max_transfer_bytes: Option<usize>,
    pub namespace_max: u32,
    pub supported_logs: bool,
    pub self_test: bool,
    pub write_cache: bool,
    pub thermal_management: bool,
    pub extended_formats: bool,
    pub host_memory_buffer: bool,
}

/// Capabilities in an Identify Controller page (Base Specification 2.0c, clause 5.17.2.1); those beyond the end of a cut page count as missing.
pub fn capabilities(page: &[u8]) -> Capabilities {
    let byte = |at: usize| page.get(at).copied().unwrap_or(0);
    let word = |at: usize| u16::from_le_bytes([byte(at), byte(at + 1)]);
    let has = |at: usize, bit: u8| byte(at) >> bit & 1 == 1;
    Capabilities {
        version: (word(82), byte(81)),
        error_entries: usize::from(byte(262)) + 1,
        max_transfer_bytes: max_transfer_bytes(byte(77)),
        namespace_max: u32::from(word(516)) | u32::from(word(518)) << 16,
        supported_logs: has(261, 5),
        self_test: has(256, 4),
        write_cache: has(525, 0),
        thermal_management: has(322, 0),
        extended_formats: has(97, 7),
        host_memory_buffer: word(272) != 0 || word(274) != 0,
    }
}

fn max_transfer_bytes(mdts: u8) -> Option<usize> {
    let pages = 1_usize.checked_shl(mdts.into()).filter(|_| mdts != 0)?;
    pages.checked_mul(usize::try_from(super::MEMORY_PAGE_BYTES).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_emulated_drive() {
        let page = include_bytes!("../../../../../fixtures/pages/nvme-qemu-identify-controller.bin");
        let expected = Capabilities {
            version: (1, 4),
            error_entries: 1,
            max_transfer_bytes: Some(512 << 10),
            namespace_max: 256,
            supported_logs: false,
            self_test: false,
            write_cache: true,
            thermal_management: false,
            extended_formats: true,
            host_memory_buffer: false,
        };
        assert_eq!(capabilities(page), expected);
    }

    #[test]
    fn every_ability_has_its_own_bit() {
        let with = |at: usize, value: u8| {
            let mut page = vec![0; 4096];
            page[at] = value;
            capabilities(&page)
        };
        assert!(
            with(261, 1 << 5).supported_logs
                && with(256, 1 << 4).self_test
                && with(525, 1).write_cache
                && with(97, 1 << 7).extended_formats
        );
        assert!(with(322, 1).thermal_management && with(272, 1).host_memory_buffer && with(275, 1).host_memory_buffer);
        assert_eq!((with(519, 1).namespace_max, with(262, 255).error_entries), (1 << 24, 256));
        assert_eq!([with(77, 1), with(77, 200)].map(|has| has.max_transfer_bytes), [Some(8192), None]);
        let nothing = capabilities(&[]);
        assert_eq!(nothing, with(0, 1));
        assert_eq!((nothing.version, nothing.error_entries, nothing.supported_logs), ((0, 0), 1, false));
    }
}
