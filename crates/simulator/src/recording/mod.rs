//! Recordings: what agents answered once, read from files of several forms.

mod choice;
mod json_lines;
mod key;
mod library;
mod multiplex;
mod notification;
mod report;
mod sapwalk;
mod snmprec;
mod snmpwalk;
mod table;
mod text;
mod variation;
mod write;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use bzip2::read::MultiBzDecoder;
use varbind_mib::Mib;

use json_lines::read as read_json_line;
pub use library::Library;
pub(crate) use multiplex::Series;
pub(crate) use notification::{Addressee, NotificationVariation, Sender};
pub use report::{LineError, ReadingReport};
use snmprec::{SnmprecLine, SnmprecObject, SnmprecReader};
use snmpwalk::SnmpwalkReader;
pub use table::Recording;
use table::RecordingBuilder;
pub(crate) use variation::{DelayVariation, Refusal, Variation};
pub use write::{RecordingWriter, WrittenFormat};

/// The longest line: a value of 65,535 octets in hexadecimal digits, and its name. More of a line is cut off.
const LONGEST_LINE: u64 = 256 * 1024;
/// Octets read at once.
const BUFFER: usize = 256 * 1024;

/// The form of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordingFormat {
    /// `OID|tag|value`, of snmpsim.
    Snmprec,
    /// The output of Net-SNMP's `snmpwalk`.
    Snmpwalk,
    /// `OID , type , value`.
    Sapwalk,
    /// A JSON object in each line, our own.
    JsonLines,
}

/// How a file is named that has a recording.
const EXTENSIONS: &[(&str, RecordingFormat)] = &[
    ("snmprec", RecordingFormat::Snmprec),
    ("snmpwalk", RecordingFormat::Snmpwalk),
    ("walk", RecordingFormat::Snmpwalk),
    ("sapwalk", RecordingFormat::Sapwalk),
    ("jsonl", RecordingFormat::JsonLines),
    ("json", RecordingFormat::JsonLines),
];

/// The format of a file by its name, and its name without that: `router.snmprec.bz2` is `router`.
#[must_use]
pub fn recording_name(path: &Path) -> Option<(String, RecordingFormat)> {
    let name = path.file_name()?.to_str()?;
    let name = name.strip_suffix(".bz2").unwrap_or(name);
    let (stem, extension) = name.rsplit_once('.')?;
    let (_, format) = EXTENSIONS.iter().find(|(known, _)| *known == extension)?;
    (!stem.is_empty()).then(|| (stem.to_owned(), *format))
}

/// Reads a file with a recording, packed by bzip2 if its name ends in `.bz2`. Unreadable lines are left out and reported.
///
/// # Errors
/// When the file cannot be opened.
pub fn read_recording(
    path: &Path,
    format: RecordingFormat,
    mib: &Mib,
) -> io::Result<(Recording, ReadingReport)> {
    let file = File::open(path)?;
    let is_packed = path.extension().is_some_and(|extension| extension == "bz2");
    Ok(match is_packed {
        true => read(
            BufReader::with_capacity(BUFFER, MultiBzDecoder::new(file)),
            format,
            mib,
        ),
        false => read(BufReader::with_capacity(BUFFER, file), format, mib),
    })
}

/// Reads a recording.
pub fn read(input: impl BufRead, format: RecordingFormat, mib: &Mib) -> (Recording, ReadingReport) {
    let mut reading = Reading::default();
    let ended = match format {
        RecordingFormat::Snmprec => {
            let mut reader = SnmprecReader::default();
            each_line(input, |number, line| {
                reading.snmprec(&mut reader, number, line);
            })
        }
        RecordingFormat::Snmpwalk => reading.snmpwalk(input, mib),
        RecordingFormat::Sapwalk => each_line(input, |number, line| {
            if !line.is_empty() {
                let object = sapwalk::read(line);
                reading.take(number, object, |(name, value), builder| {
                    Ok(builder.push(name.arcs(), value.as_value_ref(), None)?)
                });
            }
        }),
        RecordingFormat::JsonLines => each_line(input, |number, line| {
            let object = read_json_line(line);
            reading.take(number, object, |object, builder| match object {
                Some(object) => {
                    Ok(builder.push(object.name.arcs(), object.value.as_value_ref(), None)?)
                }
                None => Ok(()),
            });
        }),
    };
    reading.finish(ended)
}

/// Calls `take` for each line, without its end.
fn each_line(mut input: impl BufRead, mut take: impl FnMut(u64, &[u8])) -> (u64, io::Result<()>) {
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        match input
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)
        {
            Ok(0) => return (number, Ok(())),
            Ok(_) => {}
            Err(error) => return (number, Err(error)),
        }
        number += 1;
        if line.last() == Some(&b'\n') {
            line.pop();
        } else if line.len() as u64 == LONGEST_LINE
            && let Err(error) = skip_line(&mut input)
        {
            return (number, Err(error));
        }
        let content = line.strip_suffix(b"\r").unwrap_or(&line);
        take(number, content);
    }
}

/// Passes over the rest of a line.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (used, is_end) = match buffer.iter().position(|&octet| octet == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(used);
        if is_end {
            return Ok(());
        }
    }
}

/// A recording that is being read.
#[derive(Default)]
struct Reading {
    builder: RecordingBuilder,
    report: ReadingReport,
}

impl Reading {
    fn take<T>(
        &mut self,
        line: u64,
        object: Result<T, LineError>,
        add: impl FnOnce(T, &mut RecordingBuilder) -> Result<(), LineError>,
    ) {
        let added = object.and_then(|object| add(object, &mut self.builder));
        if let Err(error) = added {
            self.report.reject(line, error);
        }
    }

    fn snmprec(&mut self, reader: &mut SnmprecReader, number: u64, line: &[u8]) {
        if line.is_empty() || line.first() == Some(&b'#') {
            return;
        }
        let line = reader.read(line);
        if let Ok(
            SnmprecLine::NotSimulated(what)
            | SnmprecLine::Object(SnmprecObject {
                unsupported: Some(what),
                ..
            }),
        ) = &line
        {
            self.report.note_unsupported(what);
        }
        self.take(number, line, |line, builder| {
            match line {
                SnmprecLine::Object(object) => {
                    builder.push(object.name, object.value, object.variation)?;
                }
                SnmprecLine::Subtree(subtree) => builder.push_subtree(subtree),
                SnmprecLine::NotSimulated(_) => {}
            }
            Ok(())
        });
    }

    fn snmpwalk(&mut self, input: impl BufRead, mib: &Mib) -> (u64, io::Result<()>) {
        let mut reader = SnmpwalkReader::new(mib);
        let mut take = |read: Option<snmpwalk::Read>| {
            if let Some((number, object)) = read {
                self.take(number, object, |(name, value), builder| {
                    Ok(builder.push(name.arcs(), value.as_value_ref(), None)?)
                });
            }
        };
        let ended = each_line(input, |number, line| take(reader.take(number, line)));
        take(reader.finish());
        ended
    }

    fn finish(self, (lines, ended): (u64, io::Result<()>)) -> (Recording, ReadingReport) {
        let Self {
            builder,
            mut report,
        } = self;
        report.huge = builder.huge();
        let (recording, order) = builder.finish();
        report.lines = lines;
        report.objects = recording.len() as u64;
        report.note_order(order);
        report.ended_by = ended
            .err()
            .map(|error| format!("after line {lines}: {error}"));
        (recording, report)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;
    use varbind_codec::smi::ValueRef;

    use super::*;

    fn snmprec(text: &[u8]) -> (Recording, ReadingReport) {
        read(Cursor::new(text), RecordingFormat::Snmprec, &Mib::builtin())
    }

    #[test]
    fn what_real_recordings_have_is_sorted_counted_and_told() {
        let text = b"1.3.6.1.2.1.1.5.0|4|name\r\n#comment\n\n1.3.6.1.2.1.1.1.0|4|first\n1.3.6.1.2.1.1.1.0|4|second\n\
                     nonsense\n1.3.6.1.2.1.1.9.0|2:sql|x\n1.3.6.1.2.1.1.7.0|2|7";
        let (recording, report) = snmprec(text);
        assert_eq!(recording.len(), 4);
        assert_eq!(recording.value(0), Some(ValueRef::OctetString(b"second")));
        assert_eq!(recording.value(1), Some(ValueRef::OctetString(b"name")));
        assert_eq!(
            (report.lines, report.out_of_order, report.duplicates),
            (8, 3, 1)
        );
        assert_eq!(
            report.first_rejected,
            [(6, LineError::Form("OID|tag|value"))]
        );
        let shown = report.to_string();
        for part in [
            "4 objects",
            "3 out of order",
            "1 repeated",
            "1 lines rejected",
            "line 6:",
            "\"sql\"",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }

    #[test]
    fn a_thousand_broken_lines_are_reported_in_a_few() {
        let (_, report) = snmprec("broken\n".repeat(1000).as_bytes());
        assert_eq!(report.rejected, 1000);
        assert!(report.to_string().lines().count() < 10, "{report}");
    }

    #[test]
    fn a_line_without_end_is_cut_and_the_next_one_is_read() {
        let text = [&b"1.3.1|4|"[..], &vec![b'a'; 600_000], b"\n1.3.2|2|5\n"].concat();
        let (recording, report) = snmprec(&text);
        assert_eq!((report.rejected, recording.len()), (1, 1));
    }

    #[test]
    fn a_packed_file_that_is_damaged_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.snmprec.bz2");
        std::fs::write(&path, b"BZh91AY&SYnonsense").unwrap();
        let (name, format) = recording_name(&path).unwrap();
        assert_eq!((name.as_str(), format), ("a", RecordingFormat::Snmprec));
        let (recording, report) = read_recording(&path, format, &Mib::builtin()).unwrap();
        assert!(
            recording.is_empty() && report.ended_by.is_some(),
            "{report}"
        );
    }

    proptest! {
        #[test]
        fn no_text_makes_a_reader_panic(text in prop::collection::vec(any::<u8>(), 0..300)) {
            for (_, format) in EXTENSIONS {
                let (recording, report) = read(Cursor::new(&text), *format, &Mib::builtin());
                prop_assert_eq!(recording.len() as u64, report.objects);
            }
        }

        #[test]
        fn lines_that_are_nearly_right_are_read_or_told(
            lines in prop::collection::vec("[.]?(1[.]3([.][0-9]{1,11}){0,4})[|, =]{1,3}(4|4x|2|STRING: |6|65|67:numeric|4:delay)[|]?[ -~]{0,12}", 0..20),
        ) {
            let text = lines.join("\n");
            for (_, format) in EXTENSIONS {
                let (recording, report) = read(Cursor::new(text.as_bytes()), *format, &Mib::builtin());
                prop_assert!(recording.len() as u64 + report.duplicates + report.rejected <= report.lines);
            }
        }
    }
}
