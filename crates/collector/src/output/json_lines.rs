//! Polls as lines of JSON: one line for each poll. docs/collect-outputs.schema.json describes them.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::poll::{Outcome, Poll};
use super::sink::{Batch, Delivered, Delivering, DeliveryError, Encode, Sink, Transmit};
use crate::scrape::{LabelSet, Number, SampleRef};

/// Lines of JSON to a file or to standard output.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JsonLines {
    /// The file to append to; standard output without it. A file that was renamed or removed is created again.
    pub path: Option<PathBuf>,
}

impl JsonLines {
    pub(super) fn sink(&self) -> Result<Sink, String> {
        let transmitter: Box<dyn Transmit> = match &self.path {
            None => Box::new(StandardOutput::default()),
            Some(path) => {
                let file = AppendedFile::open(path);
                Box::new(file.map_err(|error| format!("{}: {error}", path.display()))?)
            }
        };
        Ok(Sink {
            format: "json-lines",
            encoder: Box::new(JsonEncoder),
            transmitter,
        })
    }
}

/// Writes polls as lines of JSON.
#[derive(Debug)]
pub(super) struct JsonEncoder;

impl Encode for JsonEncoder {
    fn encode(&mut self, polls: &[Arc<Poll>], octets: &mut Vec<u8>) {
        for poll in polls {
            // Neither the vector nor the poll can fail.
            let _ = serde_json::to_writer(&mut *octets, &**poll);
            octets.push(b'\n');
        }
    }
}

impl Serialize for Poll {
    /// The form of the lines of JSON.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("target", &*self.target.name)?;
        map.serialize_entry("module", &*self.module)?;
        map.serialize_entry("slot", &self.slot)?;
        map.serialize_entry("time", &self.time)?;
        map.serialize_entry("duration", &self.duration.as_secs_f64())?;
        if let Some(lease) = self.lease {
            map.serialize_entry("lease", &lease)?;
        }
        if !self.target.labels.is_empty() {
            let labels = self
                .target
                .labels
                .iter()
                .map(|(name, value)| (&**name, &**value));
            map.serialize_entry("labels", &Map(|| labels.clone()))?;
        }
        match &self.outcome {
            Outcome::Success => map.serialize_entry("outcome", "success")?,
            Outcome::Failure { reason, message } => {
                map.serialize_entry("outcome", reason)?;
                map.serialize_entry("error", message)?;
            }
        }
        if let Some(samples) = &self.samples {
            let families = samples.module().families().iter();
            let types = families.map(|family| (&*family.name, family.kind.as_str()));
            map.serialize_entry("types", &Map(|| types.clone()))?;
            map.serialize_entry("rows", &Rows(&samples.by_row()))?;
        }
        map.end()
    }
}

/// A map that is written from an iterator.
struct Map<F>(F);

impl<K: Serialize, V: Serialize, I: Iterator<Item = (K, V)>, F: Fn() -> I> Serialize for Map<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map((self.0)())
    }
}

/// Samples by row, each with the labels of the row.
struct Rows<'r>(&'r [SampleRef<'r>]);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(None)?;
        for row in self.0.chunk_by(SampleRef::is_same_row) {
            rows.serialize_element(&Row(row))?;
        }
        rows.end()
    }
}

struct Row<'r>(&'r [SampleRef<'r>]);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(labels) = self.0.first().map(|sample| sample.labels)
            && labels.iter().next().is_some()
        {
            map.serialize_entry("labels", &Map(|| LabelSet::iter(labels)))?;
        }
        let values = self
            .0
            .iter()
            .map(|sample| (&*sample.family.name, Json(sample.value)));
        map.serialize_entry("values", &Map(|| values.clone()))?;
        map.end()
    }
}

/// A number, or the name of a number that JSON does not have.
struct Json(Number);

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Number::Unsigned(number) => serializer.serialize_u64(number),
            Number::Signed(number) => serializer.serialize_i64(number),
            Number::Float(number) if number.is_finite() => serializer.serialize_f64(number),
            number @ Number::Float(_) => serializer.collect_str(&number),
        }
    }
}

/// How much of a batch is written: a repeated delivery goes on there, so that no line is written twice or has half of another before it.
#[derive(Debug, Default)]
struct Progress(usize);

impl Progress {
    fn write(&mut self, output: &mut impl Write, octets: &[u8]) -> io::Result<()> {
        while let Some(rest) = octets.get(self.0..).filter(|rest| !rest.is_empty()) {
            match output.write(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => self.0 += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        output.flush()?;
        self.0 = 0;
        Ok(())
    }
}

/// Standard output.
#[derive(Debug, Default)]
struct StandardOutput(Progress);

impl Transmit for StandardOutput {
    fn deliver<'d>(&'d mut self, batch: &'d Batch) -> Delivering<'d> {
        Box::pin(async {
            let written = self.0.write(&mut io::stdout().lock(), &batch.octets);
            written.map_err(|error| {
                DeliveryError::temporary(format_args!("standard output: {error}"))
            })?;
            Ok(Delivered::default())
        })
    }
}

/// A file that others may rename, as logrotate does.
#[derive(Debug)]
struct AppendedFile {
    path: PathBuf,
    file: File,
    progress: Progress,
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}

impl AppendedFile {
    fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            file: open(path)?,
            progress: Progress::default(),
        })
    }

    fn write(&mut self, octets: &[u8]) -> io::Result<()> {
        let opened = self.file.metadata()?;
        let is_same = std::fs::metadata(&self.path)
            .is_ok_and(|named| (named.dev(), named.ino()) == (opened.dev(), opened.ino()));
        if !is_same {
            self.file = open(&self.path)?;
        }
        let length = self.file.metadata()?.len();
        let written = self.progress.write(&mut self.file, octets);
        // Half a line would spoil the next. A pipe cannot be truncated: there the rest follows.
        if written.is_err() && self.file.set_len(length).is_ok() {
            self.progress = Progress::default();
        }
        written
    }
}

impl Transmit for AppendedFile {
    fn deliver<'d>(&'d mut self, batch: &'d Batch) -> Delivering<'d> {
        Box::pin(async {
            let written = self.write(&batch.octets);
            written.map_err(|error| {
                DeliveryError::temporary(format_args!("{}: {error}", self.path.display()))
            })?;
            Ok(Delivered::default())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes so many octets in each write until it is full.
    struct Pipe {
        taken: Vec<u8>,
        room: usize,
    }

    impl Write for Pipe {
        fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
            let count = octets.len().min(self.room - self.taken.len()).min(4);
            if count == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.taken.extend_from_slice(&octets[..count]);
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn repeated_delivery_goes_on_where_the_first_broke_off() {
        let mut pipe = Pipe {
            taken: Vec::new(),
            room: 9,
        };
        let mut progress = Progress::default();
        let lines = b"{\"target\": 1}\n{\"target\": 2}\n";
        for room in [9, 9, 20] {
            pipe.room = room;
            assert!(progress.write(&mut pipe, lines).is_err());
        }
        pipe.room = 1000;
        progress.write(&mut pipe, lines).unwrap();
        progress.write(&mut pipe, b"{}\n").unwrap();
        let expected = [&lines[..], b"{}\n"].concat();
        assert_eq!(pipe.taken, expected);
    }
}
