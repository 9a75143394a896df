//! Files in PEM (RFC 7468).

use std::fs::File;
use std::io::Read;
use std::path::Path;

use x509_parser::pem::Pem;
use zeroize::Zeroizing;

use crate::Error;

const CERTIFICATE: &str = "CERTIFICATE";
const REVOCATION_LIST: &str = "X509 CRL";
const PRIVATE_KEYS: [&str; 3] = ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"];
/// More is not a file of certificates.
const MAX_LENGTH: u64 = 4 << 20;

/// The certificates in a file, in DER: PEM with any number of them, or one in DER.
///
/// # Errors
/// When the file cannot be read, or there is no certificate in it.
pub fn read_certificates(path: &Path) -> Result<Vec<Vec<u8>>, Error> {
    certificates_in(path, &read(path)?)
}

pub(crate) fn certificates_in(path: &Path, content: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
    if content.first() == Some(&0x30) {
        return Ok(vec![content.to_vec()]);
    }
    let mut certificates = Vec::new();
    let mut has_key = false;
    for block in Pem::iter_from_buffer(content) {
        let block = block.map_err(|error| damaged(path, &error))?;
        has_key |= block.label.ends_with("PRIVATE KEY");
        let contents = Zeroizing::new(block.contents);
        if block.label == CERTIFICATE {
            certificates.push(contents.to_vec());
        }
    }
    if certificates.is_empty() {
        let problem = if has_key {
            "there is no certificate in this file, but a private key"
        } else {
            "there is no certificate in this file: it should have a line -----BEGIN CERTIFICATE-----"
        };
        return Err(Error::content(path, problem));
    }
    Ok(certificates)
}

/// The revocation list in a file, in DER: the first in PEM, or one in DER.
///
/// # Errors
/// When the file cannot be read, or there is no list in it.
pub fn read_revocation_list(path: &Path) -> Result<Vec<u8>, Error> {
    revocation_list_in(path, &read(path)?)
}

pub(crate) fn revocation_list_in(path: &Path, content: &[u8]) -> Result<Vec<u8>, Error> {
    if content.first() == Some(&0x30) {
        return Ok(content.to_vec());
    }
    for block in Pem::iter_from_buffer(content) {
        let block = block.map_err(|error| damaged(path, &error))?;
        if block.label == REVOCATION_LIST {
            return Ok(block.contents);
        }
    }
    let problem =
        "there is no revocation list in this file: it should have a line -----BEGIN X509 CRL-----";
    Err(Error::content(path, problem))
}

/// The private key in a file, in DER.
pub(crate) fn read_private_key(path: &Path) -> Result<Zeroizing<Vec<u8>>, Error> {
    private_key_in(path, &read(path)?)
}

pub(crate) fn private_key_in(path: &Path, content: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut others = Vec::new();
    for block in Pem::iter_from_buffer(content) {
        let block = block.map_err(|error| damaged(path, &error))?;
        let contents = Zeroizing::new(block.contents);
        if PRIVATE_KEYS.contains(&block.label.as_str()) {
            return Ok(contents);
        }
        others.push(block.label);
    }
    let problem = if others.iter().any(|label| label == "ENCRYPTED PRIVATE KEY") {
        "the private key is encrypted: write it without a password, as with `openssl pkey`"
    } else {
        "there is no private key in this file: it should have a line -----BEGIN PRIVATE KEY-----"
    };
    Err(Error::content(path, problem))
}

fn damaged(path: &Path, error: &x509_parser::error::PEMError) -> Error {
    Error::content(path, format!("the file is damaged: {error}"))
}

fn read(path: &Path) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut content = Zeroizing::new(Vec::new());
    // Devices have no length, and no end.
    File::open(path)
        .and_then(|file| file.take(MAX_LENGTH + 1).read_to_end(&mut content))
        .map_err(Error::file(path, "cannot be read"))?;
    if content.len() as u64 > MAX_LENGTH {
        return Err(Error::content(path, "this is not a file of certificates"));
    }
    Ok(content)
}

/// Writes certificates one behind the other.
pub(crate) fn write_certificates<'a>(certificates: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut text = String::new();
    for certificate in certificates {
        append(CERTIFICATE, certificate, &mut text);
    }
    text
}

/// Writes a revocation list.
pub(crate) fn write_revocation_list(list: &[u8]) -> String {
    let mut text = String::new();
    append(REVOCATION_LIST, list, &mut text);
    text
}

/// Writes a private key in PKCS #8.
pub(crate) fn write_private_key(key: &[u8]) -> Zeroizing<String> {
    // Enough not to be moved, which would leave a copy.
    let mut text = Zeroizing::new(String::with_capacity(128 + 2 * key.len()));
    append("PRIVATE KEY", key, &mut text);
    text
}

const LINE: usize = 64;

fn append(label: &str, octets: &[u8], text: &mut String) {
    text.push_str("-----BEGIN ");
    text.push_str(label);
    text.push_str("-----\n");
    for line in octets.chunks(LINE / 4 * 3) {
        append_base64(line, text);
        text.push('\n');
    }
    text.push_str("-----END ");
    text.push_str(label);
    text.push_str("-----\n");
}

fn append_base64(octets: &[u8], text: &mut String) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |number: u32| {
        let at = usize::try_from(number & 63).unwrap_or(0);
        DIGITS.get(at).map_or('A', |&digit| char::from(digit))
    };
    for group in octets.chunks(3) {
        let at = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for index in 0..4 {
            text.push(if index <= group.len() {
                digit(bits >> (18 - 6 * index))
            } else {
                '='
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for length in [1, 2, 3, 47, 48, 49, 700] {
            let octets: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let text = write_certificates([octets.as_slice(), &octets]);
            let blocks: Vec<_> = Pem::iter_from_buffer(text.as_bytes())
                .map(|block| block.unwrap().contents)
                .collect();
            assert_eq!(blocks, [octets.clone(), octets]);
            assert!(text.lines().all(|line| line.len() <= 64));
        }
    }
}
