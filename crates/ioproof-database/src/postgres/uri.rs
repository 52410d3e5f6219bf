//! The address of a server that a user gives, as libpq reads it (PostgreSQL's manual, "Connection URIs"), and the variables by which its programs are told. No error has a word of what was
//! typed: a password may be anywhere in one that is written wrongly.

use std::path::Path;

/// Beginnings of an address.
const SCHEMES: [&str; 2] = ["postgresql://", "postgres://"];
/// The port unless another is named.
const PORT: &str = "5432";
/// Parameters that say no more than how to get there, and their variables (PostgreSQL's manual, "Environment Variables"). Others could name another database, or settings.
const TAKEN: [(&str, &str); 8] = [
    ("sslmode", "PGSSLMODE"),
    ("sslrootcert", "PGSSLROOTCERT"),
    ("sslcert", "PGSSLCERT"),
    ("sslkey", "PGSSLKEY"),
    ("sslcrl", "PGSSLCRL"),
    ("channel_binding", "PGCHANNELBINDING"),
    ("gssencmode", "PGGSSENCMODE"),
    ("passfile", "PGPASSFILE"),
];
/// Stands in place of a password.
const HIDDEN: &str = "***";

/// A word that nobody else may read.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Secret(String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl Secret {
    /// A text without it.
    pub(super) fn hidden_in(&self, text: &str) -> String {
        text.replace(&self.0, HIDDEN)
    }
}

/// The address of a database at a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uri {
    host: String,
    port: String,
    user: Option<String>,
    password: Option<Secret>,
    database: String,
    others: Vec<(&'static str, String)>,
}

impl Uri {
    /// The same with this password, unless it has one.
    #[must_use]
    pub fn or_password(self, password: Option<String>) -> Self {
        let password = self.password.or_else(|| password.filter(|word| !word.is_empty()).map(Secret));
        Self { password, ..self }
    }

    /// Host and port: `/run/postgresql:5432`.
    #[must_use]
    pub fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// The database that it names.
    #[must_use]
    pub fn database(&self) -> &str {
        &self.database
    }

    /// True where it can be on this machine: a socket's folder, or an address of the machine itself.
    pub(super) fn is_local(&self) -> bool {
        let is_loopback = || self.host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
        Path::new(&self.host).is_absolute() || self.host == "localhost" || is_loopback()
    }

    pub(super) fn password(&self) -> Option<&Secret> {
        self.password.as_ref()
    }

    /// Variables of the environment by which a program of PostgreSQL goes there.
    pub(super) fn variables(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let own = [("PGHOST", self.host.as_str()), ("PGPORT", &self.port), ("PGDATABASE", &self.database)];
        let user = self.user.iter().map(|user| ("PGUSER", user.as_str()));
        let password = self.password.iter().map(|password| ("PGPASSWORD", password.0.as_str()));
        let others = self.others.iter().map(|(name, value)| (*name, value.as_str()));
        own.into_iter().chain(user).chain(password).chain(others)
    }
}

impl std::str::FromStr for Uri {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rest = SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme)).ok_or("it does not begin with postgresql://")?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        if database.is_empty() {
            return Err("it names no database, and none is taken that was not named".to_owned());
        }
        let (who, place) = authority.split_once('@').map_or((None, authority), |(who, place)| (Some(who), place));
        let (user, password) = who.map_or((None, None), |who| who.split_once(':').map_or((Some(who), None), |(a, b)| (Some(a), Some(b))));
        let (host, port) = host_and_port(place)?;
        let mut all = UriParts { host, port, user: word(user)?, password: word(password)?, others: Vec::new() };
        query.split('&').filter(|pair| !pair.is_empty()).try_for_each(|pair| all.take(pair))?;
        all.whole(decoded(database)?)
    }
}

/// The parts of an address while they are read.
struct UriParts {
    host: Option<String>,
    port: Option<String>,
    user: Option<String>,
    password: Option<String>,
    others: Vec<(&'static str, String)>,
}

impl UriParts {
    /// Takes a parameter.
    fn take(&mut self, pair: &str) -> Result<(), String> {
        let (name, value) = pair.split_once('=').ok_or("it has a parameter without a value")?;
        let value = decoded(value)?;
        let own = match name {
            "host" => &mut self.host,
            "port" => &mut self.port,
            "user" => &mut self.user,
            "password" => &mut self.password,
            _ => return self.take_other(name, value),
        };
        if own.replace(value).is_some() {
            return Err("it has a part twice".to_owned());
        }
        Ok(())
    }

    fn take_other(&mut self, name: &str, value: String) -> Result<(), String> {
        let names = TAKEN.map(|(name, _)| name).join(", ");
        let refused = || format!("it has a parameter that is not taken; host, port, user, password, {names} are");
        let (_, variable) = TAKEN.into_iter().find(|(known, _)| *known == name).ok_or_else(refused)?;
        self.others.push((variable, value));
        Ok(())
    }

    fn whole(self, database: String) -> Result<Uri, String> {
        let Self { host, port, user, password, others } = self;
        let host = host.ok_or("it names no host: user@host:port, or ?host=/run/postgresql for a socket")?;
        let is_socket = Path::new(&host).is_absolute() && !host.contains(',');
        let is_name = |host: &str| !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:".contains(&byte));
        if !is_socket && !is_name(&host) {
            return Err("its host is neither a name, nor an address, nor the folder of a socket; one host alone is taken".to_owned());
        }
        let port = port.unwrap_or_else(|| PORT.to_owned());
        if !port.parse::<u16>().is_ok_and(|port| port > 0) {
            return Err("its port is no number from 1 to 65535; a / or @ in a password is written %2F, %40".to_owned());
        }
        // Programs would take a name with such signs for an address of its own.
        if database.contains(['=', '/', '@']) {
            return Err("its database has a name with =, / or @, which is not taken".to_owned());
        }
        let password = password.filter(|password| !password.is_empty()).map(Secret);
        Ok(Uri { host, port, user, password, database, others })
    }
}

/// `host`, `host:port`, `[::1]:port`, `:port`, or nothing.
fn host_and_port(place: &str) -> Result<(Option<String>, Option<String>), String> {
    let (host, port) = match place.strip_prefix('[') {
        Some(rest) => {
            let (host, behind) = rest.split_once(']').ok_or("its host has a [ without a ]")?;
            (host, behind.strip_prefix(':'))
        }
        None => place.split_once(':').map_or((place, None), |(host, port)| (host, Some(port))),
    };
    Ok((word(Some(host))?, word(port)?))
}

/// A part that is there and not empty.
fn word(part: Option<&str>) -> Result<Option<String>, String> {
    part.filter(|part| !part.is_empty()).map(decoded).transpose()
}

/// The text that `%2F` and its kin stand for.
fn decoded(text: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes().iter().copied();
    while let Some(byte) = rest.next() {
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        bytes.push(match byte {
            b'%' => digit(rest.next())
                .zip(digit(rest.next()))
                .map(|(high, low)| (high * 16 + low) as u8)
                .ok_or("it has a % without two digits")?,
            other => other,
        });
    }
    let text = String::from_utf8(bytes).map_err(|_| "it is no text in UTF-8")?;
    if text.chars().any(char::is_control) { Err("it has a control character".to_owned()) } else { Ok(text) }
}

/// A text in which no address of a server has its password, nor anything of a parameter that may be one.
#[must_use]
pub fn without_password(text: &str) -> String {
    let (mut told, mut rest) = (String::new(), text);
    while let Some((at, length)) = SCHEMES.iter().filter_map(|scheme| Some((rest.find(scheme)?, scheme.len()))).min() {
        let (before, address) = rest.split_at(at + length);
        let (address, behind) = address.split_at(address.find(|c: char| c.is_whitespace() || c == '\'').unwrap_or(address.len()));
        told.push_str(before);
        told.push_str(&hidden(address));
        rest = behind;
    }
    told + rest
}

/// The rest of an address behind its scheme, without its password.
fn hidden(address: &str) -> String {
    let (place, query) = address.split_once('?').map_or((address, None), |(place, query)| (place, Some(query)));
    let place = match place.rsplit_once('@') {
        Some((who, place)) => format!("{}@{place}", who.split_once(':').map_or(who.to_owned(), |(user, _)| format!("{user}:{HIDDEN}"))),
        None => place.to_owned(),
    };
    let query = query.map_or_else(String::new, |query| format!("?{}", query.split('&').map(shown).collect::<Vec<_>>().join("&")));
    place + &query
}

/// A parameter that says no secret.
fn shown(pair: &str) -> String {
    match pair.split_once('=') {
        Some((name @ ("host" | "port" | "user" | "sslmode"), value)) if !value.contains('@') => format!("{name}={value}"),
        Some((name, _)) if name.len() < 20 && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') => {
            format!("{name}={HIDDEN}")
        }
        _ => HIDDEN.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Uri, String> {
        text.parse()
    }

    fn variables(text: &str) -> Vec<(&'static str, String)> {
        read(text).unwrap().variables().map(|(name, value)| (name, value.to_owned())).collect()
    }

    #[test]
    fn an_address_becomes_variables() {
        let of = |pairs: &[(&'static str, &str)]| pairs.iter().map(|(name, value)| (*name, (*value).to_owned())).collect::<Vec<_>>();
        let full = [("PGHOST", "db.example.org"), ("PGPORT", "5433"), ("PGDATABASE", "bench"), ("PGUSER", "me"), ("PGPASSWORD", "p@:/ é")];
        assert_eq!(variables("postgresql://me:p%40:%2F%20%c3%a9@db.example.org:5433/bench"), of(&full));
        let socket = [("PGHOST", "/run/postgresql"), ("PGPORT", "5432"), ("PGDATABASE", "bench"), ("PGSSLMODE", "disable")];
        assert_eq!(variables("postgres:///bench?host=/run/postgresql&sslmode=disable"), of(&socket));
        assert_eq!(variables("postgresql://%2Frun%2Fpostgresql/bench"), of(&socket[..3]));
        assert_eq!(variables("postgresql://[::1]:6000/a"), of(&[("PGHOST", "::1"), ("PGPORT", "6000"), ("PGDATABASE", "a")]));
        assert_eq!(read("postgresql://h/a?user=me&password=x").unwrap().password(), Some(&Secret("x".into())));
        assert_eq!(read("postgresql://h:1/a").unwrap().address(), "h:1");
    }

    #[test]
    fn only_a_socket_and_the_machine_itself_can_be_here() {
        let is_local = |text: &str| read(text).unwrap().is_local();
        assert!(
            ["postgresql:///a?host=/x", "postgresql://localhost/a", "postgresql://127.0.0.9/a", "postgresql://[::1]/a"]
                .into_iter()
                .all(is_local)
        );
        assert!(!is_local("postgresql://192.0.2.1/a") && !is_local("postgresql://local/a"));
    }

    #[test]
    fn what_names_too_little_or_too_much_is_refused_without_a_word_of_it() {
        let cases = [
            ("mysql://u:secret@h/a", "postgresql://"),
            ("postgresql://u:secret@h", "no database"),
            ("postgresql://u:secret@h/", "no database"),
            ("postgresql://u:secret@h/?dbname=a", "no database"),
            ("postgresql:///a", "no host"),
            ("postgresql://u:secret@/a", "no host"),
            ("postgresql://h,secret/a", "one host"),
            ("postgresql://u:se@secret@h/a", "host"),
            ("postgresql://u:1/secret@h/a", "with =, /"),
            ("postgresql://u:secret/x@h/a", "port"),
            ("postgresql://h:0/a", "port"),
            ("postgresql://u:secret%@h/a", "two digits"),
            ("postgresql://u:secret%ff@h/a", "UTF-8"),
            ("postgresql://u:secret%0a@h/a", "control"),
            ("postgresql://u:secret@h/a?password=secret", "twice"),
            ("postgresql://h/a?secret", "without a value"),
            ("postgresql://h/a?secret=1", "not taken"),
            ("postgresql://h/a?options=-csecret", "not taken"),
            ("postgresql://h/a%3Db", "with =, /"),
            ("postgresql://[h/a", "without a ]"),
        ];
        for (text, says) in cases {
            let error = read(text).unwrap_err();
            assert!(error.contains(says) && !error.contains("secret"), "{text}: {error}");
        }
    }

    #[test]
    fn a_password_is_in_no_text() {
        let uri = read("postgresql://u:secret@h/a").unwrap().or_password(Some("other".into()));
        assert!(!format!("{uri:?}").contains("secret"));
        assert_eq!(uri.password().unwrap().hidden_in("a secret, secretly"), "a ***, ***ly");
        assert!(read("postgresql://h/a").unwrap().or_password(Some("other".into())).password().is_some());
        assert!(read("postgresql://h/a").unwrap().or_password(Some(String::new())).password().is_none());
    }

    #[test]
    fn words_of_a_command_are_kept_without_it() {
        assert_eq!(without_password("--dir"), "--dir");
        let hides = |text: &str, shown: &str| assert_eq!(without_password(text), shown);
        hides("--postgres=postgresql://u:se@c/ret@h:1/a?host=/x", "--postgres=postgresql://u:***@h:1/a?host=/x");
        hides("postgres://u@h/a", "postgres://u@h/a");
        hides("postgresql://h/a?password=secret&sslmode=on", "postgresql://h/a?password=***&sslmode=on");
        hides("postgresql://h/a?pass%77ord=secret", "postgresql://h/a?***");
        hides("'postgresql://u:s@h/a' and 'postgres://u:s@h/a'", "'postgresql://u:***@h/a' and 'postgres://u:***@h/a'");
    }

    #[test]
    fn no_text_makes_it_panic() {
        const PIECES: [&str; 12] = ["postgresql://", "u", ":", "@", "/", "?", "=", "%", "4", "é", "[", "&"];
        let mut state = 5;
        for _ in 0..20_000 {
            let piece = |state: &mut u64| PIECES[(ioproof_core::splitmix::next(state) % PIECES.len() as u64) as usize];
            let text: String = std::iter::once("postgresql://").chain((0..12).map(|_| piece(&mut state))).collect();
            let _ = (read(&text), without_password(&text));
        }
    }
}
