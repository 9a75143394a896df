//! Content codings (RFC 9110 section 8.4): gzip, and deflate, which is the format of zlib.

use std::io::{Read, Write};

use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING};
use axum::http::{HeaderMap, HeaderValue};
use flate2::Compression;
use flate2::read::{GzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};

/// A content coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// The format of gzip.
    Gzip,
    /// The format of zlib.
    Deflate,
}

/// Why a body cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodingError {
    /// The coding is not known.
    Unsupported,
    /// The body does not match the coding.
    Malformed,
    /// Decoded it is larger than the limit.
    TooLarge,
}

impl Coding {
    pub(crate) const fn name(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
        })
    }

    fn of_name(name: &str) -> Option<Self> {
        if name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip") {
            Some(Self::Gzip)
        } else if name.eq_ignore_ascii_case("deflate") {
            Some(Self::Deflate)
        } else {
            None
        }
    }

    /// The coding that the client prefers; `None` if it accepts none that is known (RFC 9110 section 12.5.3).
    pub(crate) fn wanted(headers: &HeaderMap) -> Option<Self> {
        let mut best: Option<(u16, Self)> = None;
        for value in headers.get_all(ACCEPT_ENCODING) {
            for item in value.to_str().unwrap_or("").split(',') {
                let (name, quality) = quality(item);
                let coding = match name {
                    "*" => Some(Self::Gzip),
                    name => Self::of_name(name),
                };
                if let Some(coding) = coding
                    && quality > best.map_or(0, |(best, _)| best)
                {
                    best = Some((quality, coding));
                }
            }
        }
        best.map(|(_, coding)| coding)
    }

    /// Encodes a body.
    pub(crate) fn encode(self, body: &[u8]) -> std::io::Result<Vec<u8>> {
        let room = Vec::with_capacity(body.len() / 4 + 64);
        let level = Compression::default();
        match self {
            Self::Gzip => {
                let mut encoder = GzEncoder::new(room, level);
                encoder.write_all(body)?;
                encoder.finish()
            }
            Self::Deflate => {
                let mut encoder = ZlibEncoder::new(room, level);
                encoder.write_all(body)?;
                encoder.finish()
            }
        }
    }

    /// Decodes a body of at most so many octets.
    pub(crate) fn decode(self, body: &[u8], limit: usize) -> Result<Vec<u8>, CodingError> {
        match self {
            Self::Gzip => bounded(GzDecoder::new(body), limit),
            Self::Deflate => bounded(ZlibDecoder::new(body), limit),
        }
    }
}

/// Decodes a body by its Content-Encoding.
pub(crate) fn decode(
    headers: &HeaderMap,
    body: Vec<u8>,
    limit: usize,
) -> Result<Vec<u8>, CodingError> {
    let mut codings = headers.get_all(CONTENT_ENCODING).iter();
    let (coding, more) = (codings.next(), codings.next());
    let Some(coding) = coding else {
        return Ok(body);
    };
    let coding = coding
        .to_str()
        .map_err(|_| CodingError::Unsupported)?
        .trim();
    match (Coding::of_name(coding), more) {
        (Some(coding), None) => coding.decode(&body, limit),
        (None, None) if coding.eq_ignore_ascii_case("identity") => Ok(body),
        _ => Err(CodingError::Unsupported),
    }
}

fn bounded(decoder: impl Read, limit: usize) -> Result<Vec<u8>, CodingError> {
    let most = u64::try_from(limit).unwrap_or(u64::MAX);
    let mut body = Vec::new();
    decoder
        .take(most.saturating_add(1))
        .read_to_end(&mut body)
        .map_err(|_| CodingError::Malformed)?;
    if body.len() > limit {
        return Err(CodingError::TooLarge);
    }
    Ok(body)
}

/// An item of an Accept header: its name, and its quality in thousandths.
pub(crate) fn quality(item: &str) -> (&str, u16) {
    let (name, parameters) = item.split_once(';').unwrap_or((item, ""));
    let quality = parameters
        .split(';')
        .filter_map(|parameter| parameter.trim().strip_prefix("q="))
        .find_map(thousandths);
    (name.trim(), quality.unwrap_or(1000))
}

/// Reads a quality of RFC 9110 section 12.4.2.
fn thousandths(text: &str) -> Option<u16> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let whole: u16 = whole.parse().ok().filter(|whole| *whole <= 1)?;
    if fraction.len() > 3 {
        return None;
    }
    let fraction: u16 = format!("{fraction:0<3}").parse().ok()?;
    Some((whole * 1000 + fraction).min(1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(value: &str) -> Option<Coding> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_ENCODING, value.parse().unwrap());
        Coding::wanted(&headers)
    }

    #[test]
    fn the_coding_of_the_highest_quality_is_chosen() {
        assert_eq!(wanted("gzip, deflate, br"), Some(Coding::Gzip));
        assert_eq!(wanted("gzip;q=0.5, deflate;q=0.8"), Some(Coding::Deflate));
        assert_eq!(wanted("deflate"), Some(Coding::Deflate));
        assert_eq!(wanted("gzip;q=0"), None);
        assert_eq!(wanted("br, identity"), None);
        assert_eq!(wanted("*"), Some(Coding::Gzip));
    }

    #[test]
    fn what_is_encoded_is_decoded_within_the_limit() {
        let body = b"ifTable".repeat(1000);
        for coding in [Coding::Gzip, Coding::Deflate] {
            let encoded = coding.encode(&body).unwrap();
            assert!(encoded.len() < body.len() / 10);
            assert_eq!(coding.decode(&encoded, body.len()).unwrap(), body);
            let bomb = coding.decode(&encoded, body.len() - 1);
            assert_eq!(bomb, Err(CodingError::TooLarge));
            let damaged = coding.decode(&encoded[..20], body.len());
            assert_eq!(damaged, Err(CodingError::Malformed));
        }
    }
}
