//! What the fuzz targets check for any octets, and tests for the files of their corpora. It is part of no other build.

pub use crate::extensions::pass_answer;
pub use crate::import::judge::snmpd_conf;
pub use crate::operating_system::judge::{files as host_files, messages as netlink_messages};

#[cfg(test)]
mod tests {
    use varbind_testkit::corpus;

    use super::*;

    /// Judges each file of a corpus, and its neighbours: cut off, and changed in one place.
    fn replay(target: &str, judge: fn(&[u8])) {
        let corpus = corpus(target);
        assert!(corpus.len() > 3, "{target}");
        for (_, octets) in &corpus {
            judge(octets);
            for part in 1..16 {
                let place = octets.len() * part / 16;
                judge(&octets[..place]);
                let mut changed = octets.clone();
                if let Some(octet) = changed.get_mut(place) {
                    *octet ^= 1 << (part % 8);
                }
                judge(&changed);
            }
        }
    }

    #[test]
    fn every_file_of_the_corpora_is_judged() {
        replay("pass_answer", pass_answer);
        replay("snmpd_conf", snmpd_conf);
        replay("host_files", host_files);
        replay("netlink_messages", netlink_messages);
    }
}
