//! Who may ask: the link, the host that is named, the page that asks.

use anyhow::Result;
use axum::http::{HeaderMap, Method, StatusCode, header};

/// Random bytes of a token.
const TOKEN: usize = 24;
/// Letters of a token, six bits each: they stand in an address as they are.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The address that a run is reached at.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    port: u16,
    token: String,
}

impl Link {
    /// With a new token.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub(crate) fn new(port: u16) -> Result<Link> {
        let mut bytes = [0; TOKEN];
        getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("no random numbers for the link: {error}"))?;
        let letters = bytes.as_chunks::<3>().0.iter().flat_map(|[a, b, c]| {
            let word = u32::from_be_bytes([0, *a, *b, *c]);
            [18, 12, 6, 0].map(|shift| char::from(LETTERS[(word >> shift & 63) as usize]))
        });
        Ok(Link { port, token: letters.collect() })
    }

    /// What is typed into a browser.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// The path behind the token, if the request may be answered.
    ///
    /// # Errors
    /// The status to refuse the request with.
    pub(crate) fn admit<'p>(&self, method: &Method, path: &'p str, headers: &HeaderMap) -> Result<&'p str, StatusCode> {
        // DNS rebinding: somebody else can make a name of theirs point at this address. Only our own names are answered.
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let own = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        if !own.iter().any(|own| own.eq_ignore_ascii_case(host)) {
            return Err(StatusCode::MISDIRECTED_REQUEST);
        }
        // Browsers say which page asks. Programs say nothing.
        let from = headers.get("sec-fetch-site").map(|from| from.to_str().unwrap_or("cross-site"));
        if !matches!(from, None | Some("same-origin" | "none")) && !is_visit(method, headers) {
            return Err(StatusCode::FORBIDDEN);
        }
        if let Some(origin) = headers.get(header::ORIGIN) {
            let origin = origin.to_str().unwrap_or_default();
            if !own.iter().any(|own| origin.strip_prefix("http://").is_some_and(|host| own.eq_ignore_ascii_case(host)))
            {
                return Err(StatusCode::FORBIDDEN);
            }
        }
        let (token, rest) = path.strip_prefix('/').and_then(|path| path.split_once('/')).unwrap_or_default();
        match same(token.as_bytes(), self.token.as_bytes()) {
            true => Ok(rest),
            false => Err(StatusCode::NOT_FOUND),
        }
    }
}

/// Whether a person follows a link to the page from another page. That page cannot read what the visit shows.
fn is_visit(method: &Method, headers: &HeaderMap) -> bool {
    let is = |name: &str, value: &str| headers.get(name).is_some_and(|own| own == value);
    method == Method::GET && is("sec-fetch-mode", "navigate") && is("sec-fetch-dest", "document")
}

/// Whether two texts are the same, in a time that does not tell where they differ.
fn same(a: &[u8], b: &[u8]) -> bool {
    let differences = a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b));
    std::hint::black_box(differences) == 0 && a.len() == b.len()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use axum::http::HeaderName;

    fn asked(link: &Link, path: &str, headers: &[(&str, &str)]) -> Result<String, u16> {
        let name = |name: &str| name.parse::<HeaderName>().unwrap();
        let all = headers.iter().map(|(own, value)| (name(own), value.parse().unwrap())).collect();
        link.admit(&Method::GET, path, &all).map(str::to_owned).map_err(|status| status.as_u16())
    }

    #[test]
    fn only_who_has_the_link_is_admitted() {
        let link = Link { port: 8123, token: "secret".into() };
        let host = ("host", "127.0.0.1:8123");
        assert_eq!(asked(&link, "/secret/api/traces", &[host]), Ok("api/traces".into()));
        assert_eq!(asked(&link, "/secret/", &[("host", "LOCALHOST:8123")]), Ok(String::new()));
        for path in ["/", "/secret", "/secre/", "/secrets/", "/Secret/", "/api/traces", "//secret/", "", "/secret%2f"] {
            assert_eq!(asked(&link, path, &[host]), Err(404), "{path}");
        }
    }

    #[test]
    fn names_of_others_are_refused() {
        let link = Link { port: 8123, token: "secret".into() };
        let hosts = [
            "evil.example",
            "evil.example:8123",
            "127.0.0.1",
            "127.0.0.1:80",
            "localhost.evil.example:8123",
            "",
            "[::1]:8123",
        ];
        for host in hosts {
            assert_eq!(asked(&link, "/secret/", &[("host", host)]), Err(421), "{host}");
        }
        assert_eq!(asked(&link, "/secret/", &[]), Err(421));
    }

    #[test]
    fn pages_of_others_are_refused() {
        let link = Link { port: 8123, token: "secret".into() };
        let host = ("host", "127.0.0.1:8123");
        let own = [host, ("origin", "http://127.0.0.1:8123"), ("sec-fetch-site", "same-origin")];
        assert!(asked(&link, "/secret/api/traces", &own).is_ok());
        for origin in [
            "http://evil.example",
            "null",
            "https://127.0.0.1:8123",
            "http://127.0.0.1:8124",
            "http://127.0.0.1:8123.evil.example",
        ] {
            assert_eq!(asked(&link, "/secret/", &[host, ("origin", origin)]), Err(403), "{origin}");
        }
        for site in ["cross-site", "same-site", "other"] {
            assert_eq!(asked(&link, "/secret/", &[host, ("sec-fetch-site", site)]), Err(403), "{site}");
        }
        let visit =
            [host, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
        assert!(asked(&link, "/secret/", &visit).is_ok(), "a link in a chat may be followed");
    }

    #[test]
    fn links_differ() {
        let (one, other) = (Link::new(1).unwrap(), Link::new(1).unwrap());
        assert_eq!(one.token.len(), 32);
        assert_ne!(one.token, other.token);
    }
}
