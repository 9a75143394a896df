//! A file as memory. The only unsafe code of this crate.

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// Maps a whole file for reading.
///
/// # Errors
/// What the system says.
#[expect(
    unsafe_code,
    reason = "mapping a file is unsafe because others may change it"
)]
pub(super) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the contents of a mapping must not change while references to it exist. Catalogs are never changed in
    // place: they are written to a new file that takes the name of the old one, so a mapped file keeps its contents
    // until nobody uses it any more. Nothing here relies on contents that stay the same between two looks, beyond
    // what is checked again at each look: every offset is checked against the length, and every text is checked to
    // be UTF-8, where it is used. A program that truncates the file in place ends this one by SIGBUS; it cannot make
    // it read elsewhere.
    unsafe { Mmap::map(file) }
}
