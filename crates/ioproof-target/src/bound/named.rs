//! Names of drives that were taken, as SPDK writes them: `trtype:PCIe traddr:0000:04:00.0`, with `ns:2` for a namespace that is not the only one; in job files, where
//! a colon ends a name, `trtype=PCIe traddr=0000.04.00.0 ns=2`.

use crate::error::TargetError;
use std::path::Path;

/// The first words of such names.
const STARTS: [&str; 4] = ["trtype:", "traddr:", "trtype=", "traddr="];

/// A drive by its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) address: String,
    pub(crate) namespace: Option<u32>,
}

/// True for such a name, which is no path.
#[must_use]
pub fn is_drive_name(given: &Path) -> bool {
    named(given).is_some()
}

/// Reads such a name; `None` for a path.
///
/// # Errors
/// When it is one with a mistake, or of another transport.
pub(crate) fn named(given: &Path) -> Option<Result<Named, TargetError>> {
    let text = given.to_str().filter(|text| STARTS.iter().any(|start| text.starts_with(start)))?;
    Some(parse(text).map_err(|what| {
        TargetError::unsuitable_hint(given, what, "a drive that was taken from the kernel is named 'trtype:PCIe traddr:0000:04:00.0'")
    }))
}

fn parse(text: &str) -> Result<Named, String> {
    let (mut address, mut namespace) = (None, None);
    for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
        match word.split_once([':', '=']) {
            Some(("trtype", transport)) if transport.eq_ignore_ascii_case("pcie") => {}
            Some(("trtype", transport)) => return Err(format!("is of transport {transport}; only PCIe is driven")),
            Some(("traddr", text)) => address = Some(full(text).ok_or_else(|| format!("has {text} where a PCI address belongs"))?),
            Some(("ns", text)) => {
                namespace = Some(text.parse().ok().filter(|number| *number > 0).ok_or_else(|| format!("has no namespace {text}"))?);
            }
            _ => return Err(format!("has a word that is not known: {word}")),
        }
    }
    let address = address.ok_or("has no traddr:")?;
    Ok(Named { address, namespace })
}

/// The address with its domain, as sysfs spells it; `None` for what is no address.
fn full(text: &str) -> Option<String> {
    let text = if text.matches('.').count() > 1 { text.replacen('.', ":", text.matches('.').count() - 1) } else { text.to_owned() };
    let with_domain = if text.matches(':').count() == 1 { format!("0000:{text}") } else { text };
    let (bus, function) = with_domain.split_once('.')?;
    let parts: Vec<&str> = bus.split(':').collect();
    let is_hex = |text: &str, length: usize| text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_whole = parts.len() == 3 && is_hex(parts[0], 4) && is_hex(parts[1], 2) && is_hex(parts[2], 2) && is_hex(function, 1);
    is_whole.then(|| with_domain.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Result<Named, String>> {
        named(Path::new(text)).map(|named| named.map_err(|error| error.to_string()))
    }

    #[test]
    fn names_of_spdk_are_read() {
        let drive = |namespace| Named { address: "0000:04:00.0".into(), namespace };
        assert_eq!(read("trtype:PCIe traddr:0000:04:00.0"), Some(Ok(drive(None))));
        assert_eq!(read("trtype:pcie,traddr:04:00.0 ns:2"), Some(Ok(drive(Some(2)))));
        assert_eq!(read("trtype=PCIe traddr=0000.04.00.0 ns=2"), Some(Ok(drive(Some(2)))), "of job files");
        assert_eq!(read("traddr=04.00.0"), Some(Ok(drive(None))));
        assert_eq!(read("/dev/nvme0n1"), None);
        assert_eq!(read("0000:04:00.0"), None);
    }

    #[test]
    fn mistakes_are_told() {
        let error = |text: &str| read(text).unwrap().unwrap_err();
        assert!(error("trtype:TCP traddr:10.0.0.1").contains("transport TCP"));
        assert!(error("trtype:PCIe traddr:../../x").contains("where a PCI address belongs"));
        assert!(error("trtype:PCIe").contains("no traddr"));
        assert!(error("trtype:PCIe traddr:0000:04:00.0 ns:0").contains("namespace 0"));
        assert!(error("trtype:PCIe traddr:0000:04:00.0 subnqn:x").contains("subnqn:x"));
    }
}
