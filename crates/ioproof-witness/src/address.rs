//! Addresses as people type them.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Port of a witness where none is named.
pub const DEFAULT_PORT: u16 = 7741;

/// Forms of an address that are taken.
const FORMS: &str = "HOST, HOST:PORT, 192.0.2.1, 192.0.2.1:PORT, 2001:db8::1, [2001:db8::1]:PORT";

/// Longest name of a host (RFC 1035, 2.3.4).
const NAME_BYTES_MAX: usize = 253;

/// Reads the address of a witness that is to be reached, and gives it as it was typed.
///
/// # Errors
/// In words, with the forms that are taken, where it can be no address.
pub fn read_address(text: &str) -> Result<String, String> {
    match split(text)? {
        ("", _) => Err(wrong("it names no host")),
        (_, Some(0)) => Err(wrong("nobody listens at port 0")),
        _ => Ok(text.to_owned()),
    }
}

/// Reads an address to listen at, which may be a port alone (`:7741`), and gives it as it was typed.
///
/// # Errors
/// As [`read_address`].
pub fn read_listen(text: &str) -> Result<String, String> {
    match split(text).map_err(|why| format!("{why}, :PORT"))? {
        ("", None) => Err(format!("{}, :PORT", wrong("it names neither an address nor a port"))),
        _ => Ok(text.to_owned()),
    }
}

/// A host with a port: `host`, `host:port`, `192.0.2.1`, `2001:db8::1`, `[2001:db8::1]:port`, for addresses that were read.
#[must_use]
pub fn with_port(host: &str) -> String {
    match split(host) {
        Ok((name, port)) if name.contains(':') => format!("[{name}]:{}", port.unwrap_or(DEFAULT_PORT)),
        Ok((name, port)) => format!("{name}:{}", port.unwrap_or(DEFAULT_PORT)),
        Err(_) => host.to_owned(),
    }
}

/// Host, without brackets, and port of `host:port`.
#[must_use]
pub fn host_and_port(address: &str) -> (&str, u16) {
    split(address).map_or((address, DEFAULT_PORT), |(host, port)| (host, port.unwrap_or(DEFAULT_PORT)))
}

/// The address that was perhaps meant: in `::1:7763`, which is an IPv6 address of its own, the last group may be meant as a port.
#[must_use]
pub fn perhaps_meant(typed: &str) -> Option<String> {
    let typed = typed.strip_suffix(&format!("]:{DEFAULT_PORT}")).and_then(|rest| rest.strip_prefix('[')).unwrap_or(typed);
    let (host, port) = typed.rsplit_once(':').filter(|_| typed.parse::<Ipv6Addr>().is_ok())?;
    let is_port = port.len() >= 3 && port.parse::<u16>().is_ok();
    (is_port && host.parse::<Ipv6Addr>().is_ok()).then(|| format!("[{host}]:{port}"))
}

/// Host, without brackets and perhaps empty, and port.
fn split(text: &str) -> Result<(&str, Option<u16>), String> {
    if is_ipv6(text) {
        return Ok((text, None));
    }
    if let Some(rest) = text.strip_prefix('[') {
        let (host, rest) = rest.split_once(']').filter(|(host, _)| is_ipv6(host)).ok_or_else(|| wrong("[...] holds an IPv6 address"))?;
        return match rest.strip_prefix(':') {
            Some(port) => Ok((host, Some(read_port(port)?))),
            None if rest.is_empty() => Ok((host, None)),
            None => Err(wrong("behind [...] comes :PORT")),
        };
    }
    match text.split_once(':') {
        Some((_, port)) if port.contains(':') => Err(wrong("an IPv6 address with a port stands in brackets")),
        Some((host, port)) if host.is_empty() || is_host(host) => Ok((host, Some(read_port(port)?))),
        None if text.is_empty() || is_host(text) => Ok((text, None)),
        _ => Err(wrong("that is no name of a host and no address")),
    }
}

fn read_port(text: &str) -> Result<u16, String> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number).ok_or_else(|| wrong("a port is a number up to 65535"))
}

/// An IPv6 address, perhaps with a zone behind it (RFC 4007, 11).
fn is_ipv6(text: &str) -> bool {
    let (address, zone) = text.split_once('%').unwrap_or((text, "lo"));
    address.parse::<Ipv6Addr>().is_ok() && !zone.is_empty() && zone.bytes().all(|byte| byte.is_ascii_graphic() && byte != b':')
}

/// An IPv4 address or a name. A name does not end with a number: that is an address, and a wrong one (RFC 3696, 2).
fn is_host(text: &str) -> bool {
    let is_known = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let last = text.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
    let is_name = text.chars().all(is_known) && !last.is_empty() && !last.bytes().all(|byte| byte.is_ascii_digit());
    text.parse::<Ipv4Addr>().is_ok() || is_name && text.len() <= NAME_BYTES_MAX
}

fn wrong(why: &str) -> String {
    format!("{why}; known: {FORMS}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_added_where_there_is_none() {
        for (typed, meant) in [
            ("witness", "witness:7741"),
            ("witness:80", "witness:80"),
            ("192.0.2.1", "192.0.2.1:7741"),
            ("2001:db8::1", "[2001:db8::1]:7741"),
            ("[2001:db8::1]", "[2001:db8::1]:7741"),
            ("[2001:db8::1]:80", "[2001:db8::1]:80"),
            ("fe80::1%eth0", "[fe80::1%eth0]:7741"),
            ("[fe80::1%eth0]:80", "[fe80::1%eth0]:80"),
            ("::1", "[::1]:7741"),
        ] {
            assert_eq!((with_port(typed).as_str(), read_address(typed)), (meant, Ok(typed.to_owned())));
            assert_eq!(with_port(meant), meant);
        }
        assert_eq!([host_and_port("[fe80::1%eth0]:80"), host_and_port("vault:80")], [("fe80::1%eth0", 80), ("vault", 80)]);
    }

    #[test]
    fn what_can_be_no_address_is_refused_with_the_forms_that_are_taken() {
        for typed in [
            "",
            " ",
            "vault x",
            "999.1.1.1",
            "7745",
            "[::1",
            "::1]",
            "[::1]:99999",
            "[::1]80",
            "[vault]:80",
            "127.0.0.1:-1",
            "127.0.0.1:+1",
            "127.0.0.1:",
            "vault:70000",
            "vault:80:80",
            "http://vault",
            "user@vault",
            "-:x",
            ".",
            "fe80::1%",
        ] {
            let said = [read_address(typed), read_listen(typed)].map(Result::unwrap_err);
            assert!(said.iter().all(|said| said.contains("[2001:db8::1]:PORT")), "{typed}: {said:?}");
        }
        assert!(read_address(":7744").is_err() && read_address("vault:0").is_err());
        assert_eq!([read_listen(":7744"), read_listen("127.0.0.1:0")], [":7744", "127.0.0.1:0"].map(|typed| Ok(typed.to_owned())));
    }

    #[test]
    fn an_address_whose_end_may_be_meant_as_a_port_is_asked_about() {
        for typed in ["::1:7763", "[::1:7763]:7741"] {
            assert_eq!(perhaps_meant(typed).as_deref(), Some("[::1]:7763"));
        }
        for typed in ["::1", "2001:db8::1", "[::1]:7763", "vault:7763", "1:2:3:4:5:6:7:8888", "fe80::abcd"] {
            assert_eq!(perhaps_meant(typed), None, "{typed}");
        }
    }
}
