//! What the fuzz targets check for any octets, and tests for the files of their corpora. It is part of no other build.

use crate::extensions::descriptions;
pub use crate::extensions::pass_answer;
pub use crate::import::properties::snmpd_conf;
pub use crate::managed_objects::extend_output;
use crate::managed_objects::host_files as objects_of_files;
use crate::operating_system::properties::files;
pub use crate::operating_system::properties::messages as netlink_messages;

/// Any octets as a file of the host: each reader takes of it what it understands.
pub fn host_files(octets: &[u8]) {
    files(octets);
    objects_of_files(octets);
    descriptions(octets);
}

#[cfg(test)]
mod tests {
    use varbind_testkit::corpus;

    use super::*;

    /// Judges each file of a corpus, and its neighbours: cut off, and changed in one place.
    fn replay(target: &str, check: fn(&[u8])) {
        let corpus = corpus(target);
        assert!(corpus.len() > 3, "{target}");
        for (_, octets) in &corpus {
            check(octets);
            for part in 1..16 {
                let place = octets.len() * part / 16;
                check(&octets[..place]);
                let mut changed = octets.clone();
                if let Some(octet) = changed.get_mut(place) {
                    *octet ^= 1 << (part % 8);
                }
                check(&changed);
            }
        }
    }

    #[test]
    fn every_file_of_the_corpora_is_checked() {
        replay("extend_output", extend_output);
        replay("pass_answer", pass_answer);
        replay("snmpd_conf", snmpd_conf);
        replay("host_files", host_files);
        replay("netlink_messages", netlink_messages);
    }
}
