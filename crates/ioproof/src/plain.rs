//! Text that came from outside, as it is shown.

/// Text from outside with its control characters made visible, so that a name cannot steer a terminal.
pub fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() }).collect()
}
