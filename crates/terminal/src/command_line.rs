//! The words of the command line as others on this host see them: in /proc/PID/cmdline, and so in the output of ps.
//!
//! A secret that was given as an option is overwritten there once it is read. It can be seen until then.
#![cfg_attr(
    target_os = "linux",
    expect(
        unsafe_code,
        reason = "the kernel shows the memory in which it put the words, and no safe interface writes to that"
    )
)]

use std::io;
use std::ops::Range;

/// The octet that replaces those of a secret.
#[cfg(target_os = "linux")]
const MASK: u8 = b'*';

/// Overwrites these secrets in the command line of this process.
///
/// No other thread may have been started yet.
///
/// # Errors
/// If the kernel does not say where the command line is.
#[cfg(target_os = "linux")]
pub(crate) fn mask(secrets: &[&[u8]]) -> io::Result<()> {
    let words = std::fs::read("/proc/self/cmdline")?;
    let memory = memory(&std::fs::read_to_string("/proc/self/stat")?)?;
    if memory.len() != words.len() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    for place in places(&words, secrets) {
        // SAFETY: the kernel says that it put the words of the command line at these addresses, which stay mapped and writable
        // as long as the process lives (`arg_start` and `arg_end` of proc_pid_stat(5)); `words` is a copy of them of the same
        // length, and `place` is within it. Nobody else reads or writes there meanwhile: there is only this thread, and
        // `std::env::args_os` hands out copies.
        unsafe {
            std::ptr::with_exposed_provenance_mut::<u8>(memory.start + place.start)
                .write_bytes(MASK, place.len());
        }
    }
    Ok(())
}

/// Other systems show other memory.
#[cfg(not(target_os = "linux"))]
pub(crate) fn mask(_secrets: &[&[u8]]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The addresses of the command line: fields 48 and 49 of proc_pid_stat(5).
fn memory(stat: &str) -> io::Result<Range<usize>> {
    // The program's name may hold blanks and parentheses: fields are counted after its end.
    let after_name = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let mut fields = after_name.split_whitespace().skip(45);
    let mut next = || fields.next().and_then(|field| field.parse().ok());
    match (next(), next()) {
        (Some(start), Some(end)) if 0 < start && start < end => Ok(start..end),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// The ranges of secrets: whole words, or the ends of options, as `-Apassword` and `--auth-password=password`.
fn places(words: &[u8], secrets: &[&[u8]]) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    let mut start = 0;
    for word in words.split(|&octet| octet == 0) {
        let end = start + word.len();
        let is_option = word.starts_with(b"-");
        let longest = secrets
            .iter()
            .filter(|secret| !secret.is_empty())
            .filter(|secret| word == **secret || is_option && word.ends_with(secret))
            .map(|secret| secret.len())
            .max();
        places.extend(longest.map(|length| end - length..end));
        start = end + 1;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_alone_and_at_the_end_of_options() {
        let words = b"get\0-Amaple syrup\0--community=c0\0c0\0host/c0\0-l\0authPriv\0";
        let found = places(words, &[b"maple syrup", b"c0", b""]);
        let found: Vec<&[u8]> = found.into_iter().map(|place| &words[place]).collect();
        assert_eq!(found, [b"maple syrup".as_slice(), b"c0", b"c0"]);
    }

    #[test]
    fn addresses_are_those_behind_the_name() {
        let fields: Vec<String> = (3..=52).map(|field| (field * 1000).to_string()).collect();
        let stat = format!("7 (a ) b) {}", fields.join(" "));
        assert_eq!(memory(&stat).unwrap(), 48_000..49_000);
        assert!(memory("7 (a) S 1").is_err());
    }
}
