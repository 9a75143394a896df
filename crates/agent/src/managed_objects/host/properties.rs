//! What must hold of the objects that are made of anything that files of the host say.

use super::entities::{FIRST_PCI, pci_index};
use super::host_resources::{is_login, model, up_time, users};

/// utmp, sessions of logind, /proc/uptime, /proc/cpuinfo, and the names of PCI devices.
pub(crate) fn files(octets: &[u8]) {
    let text = String::from_utf8_lossy(octets);
    assert!(users(octets) <= octets.len() as u64);
    let _ = (up_time(&text), is_login(&text), model(&text));
    for name in text.lines() {
        if let Some((index, position)) = pci_index(name) {
            assert!(index >= FIRST_PCI && i32::try_from(index).is_ok());
            assert!((0..256).contains(&position));
        }
    }
}
