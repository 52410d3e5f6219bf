//! Addresses as people type them.

/// Port of a witness where none is named.
pub const DEFAULT_PORT: u16 = 7741;

/// A host with a port: `host`, `host:port`, `192.0.2.1`, `2001:db8::1`, `[2001:db8::1]:port`.
#[must_use]
pub fn with_port(host: &str) -> String {
    let is_bare_ipv6 = host.parse::<std::net::Ipv6Addr>().is_ok();
    match host.rsplit_once(':') {
        _ if is_bare_ipv6 => format!("[{host}]:{DEFAULT_PORT}"),
        Some((_, port)) if port.parse::<u16>().is_ok() => host.to_owned(),
        _ => format!("{host}:{DEFAULT_PORT}"),
    }
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
            ("::1", "[::1]:7741"),
        ] {
            assert_eq!(with_port(typed), meant);
        }
    }
}
