//! What must hold of anything that a program answers.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "it is there to fail, and in no ordinary build"
)]

use varbind_codec::ber::Writer;

use super::Answer;

/// A program's answer, as three lines and as a line of JSON: what is read of it can be told in a response.
pub fn pass_answer(octets: &[u8]) {
    let mut lines = octets.splitn(3, |&octet| octet == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let of_lines = Answer::from_lines(line(), line(), line());
    for Answer { name, value } in [of_lines, Answer::from_json(octets)].into_iter().flatten() {
        let mut buffer = vec![0; 1024 + octets.len()];
        let mut writer = Writer::new(&mut buffer, 0).unwrap();
        let written = writer.append_var_bind(name.arcs(), value.as_value_ref());
        assert!(written.is_ok(), "{name}: {value:?}");
    }
}
