//! Files of Parquet for analysis: one for each batch, one row for each sample.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use serde::Deserialize;

use super::labels;
use super::poll::{Figure, Poll};
use super::sink::{Batch, Delivered, Delivering, DeliveryError, Encode, Sink, Transmit};
use crate::scrape::{Number, SampleRef, Samples};

/// Files of Parquet in a directory.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parquet {
    /// The directory, which is created if it is missing.
    pub directory: PathBuf,
}

impl Parquet {
    pub(super) fn sink(&self) -> Result<Sink, String> {
        let created = fs::create_dir_all(&self.directory);
        created.map_err(|error| format!("{}: {error}", self.directory.display()))?;
        Ok(Sink {
            format: "parquet",
            encoder: Box::new(FileEncoder),
            transmitter: Box::new(Directory(self.directory.clone())),
        })
    }
}

const SCHEMA: &str = "
message sample {
    REQUIRED INT64 time (TIMESTAMP(MILLIS, true));
    REQUIRED INT64 slot (TIMESTAMP(MILLIS, true));
    REQUIRED BYTE_ARRAY target (STRING);
    REQUIRED BYTE_ARRAY module (STRING);
    REQUIRED BYTE_ARRAY metric (STRING);
    REQUIRED BYTE_ARRAY labels (STRING);
    REQUIRED DOUBLE value;
    OPTIONAL INT64 whole (INTEGER(64, false));
    OPTIONAL INT64 lease (INTEGER(64, false));
}";

/// The columns of the schema, in its order. Optional ones have their values alone, and a level of 0 or 1 for each row.
#[derive(Default)]
struct Columns {
    time: Vec<i64>,
    slot: Vec<i64>,
    target: Vec<ByteArray>,
    module: Vec<ByteArray>,
    metric: Vec<ByteArray>,
    labels: Vec<ByteArray>,
    value: Vec<f64>,
    whole: Optional,
    lease: Optional,
}

#[derive(Default)]
struct Optional {
    values: Vec<i64>,
    levels: Vec<i16>,
}

impl Optional {
    fn push(&mut self, value: Option<u64>) {
        self.levels.push(value.is_some().into());
        // The logical type has no sign; the physical one has the same bits.
        self.values.extend(value.map(u64::cast_signed));
    }
}

fn text(text: &str) -> ByteArray {
    text.as_bytes().to_vec().into()
}

fn milliseconds(time: u64) -> i64 {
    i64::try_from(time).unwrap_or(i64::MAX)
}

/// Labels as an object of JSON.
fn object(labels: &[(&str, &str)]) -> ByteArray {
    let map: serde_json::Map<_, _> = labels
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).into()))
        .collect();
    text(&serde_json::Value::Object(map).to_string())
}

impl Columns {
    fn add(&mut self, poll: &Poll) {
        let (target, module) = (text(&poll.target.name), text(&poll.module));
        let mut add = |metric: &str, labels: &ByteArray, value: Number| {
            self.time.push(milliseconds(poll.time));
            self.slot.push(milliseconds(poll.slot));
            self.target.push(target.clone());
            self.module.push(module.clone());
            self.metric.push(text(metric));
            self.labels.push(labels.clone());
            self.value.push(value.as_f64());
            self.whole.push(match value {
                Number::Unsigned(number) => Some(number),
                Number::Signed(number) => u64::try_from(number).ok(),
                Number::Float(_) => None,
            });
            self.lease.push(poll.lease);
        };
        let samples = poll
            .samples
            .as_ref()
            .map(Samples::by_row)
            .unwrap_or_default();
        for row in samples.chunk_by(SampleRef::is_same_row) {
            let Some(first) = row.first() else {
                continue;
            };
            let labels = object(&labels::of_row(poll, first.labels));
            for sample in row {
                add(&sample.family.name, &labels, sample.value);
            }
        }
        let labels = object(&labels::of_poll(poll));
        for figure in Figure::ALL {
            add(figure.name, &labels, Number::Float((figure.value)(poll)));
        }
    }

    fn write(&self, group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>) -> ParquetResult<()> {
        let numbers = [&self.time, &self.slot].into_iter();
        let mut numbers = numbers.map(|values| (values, None)).chain(
            [&self.whole, &self.lease].map(|column| (&column.values, Some(&*column.levels))),
        );
        let mut texts = [&self.target, &self.module, &self.metric, &self.labels].into_iter();
        while let Some(mut column) = group.next_column()? {
            match column.untyped() {
                ColumnWriter::Int64ColumnWriter(writer) => {
                    if let Some((values, levels)) = numbers.next() {
                        writer.write_batch(values, levels, None)?;
                    }
                }
                ColumnWriter::ByteArrayColumnWriter(writer) => {
                    if let Some(values) = texts.next() {
                        writer.write_batch(values, None, None)?;
                    }
                }
                ColumnWriter::DoubleColumnWriter(writer) => {
                    writer.write_batch(&self.value, None, None)?;
                }
                _ => return Err(ParquetError::General("a column of another type".to_owned())),
            }
            column.close()?;
        }
        Ok(())
    }
}

/// Writes a whole file, behind the first time in it: eight octets, which are not part of the file.
#[derive(Debug)]
struct FileEncoder;

impl Encode for FileEncoder {
    fn encode(&mut self, polls: &[Arc<Poll>], octets: &mut Vec<u8>) {
        let mut columns = Columns::default();
        polls.iter().for_each(|poll| columns.add(poll));
        let first = polls.iter().map(|poll| poll.time).min().unwrap_or_default();
        octets.extend_from_slice(&first.to_be_bytes());
        match file(&columns) {
            Ok(file) => octets.extend_from_slice(&file),
            Err(error) => log::error!("parquet: {error}"),
        }
    }
}

fn file(columns: &Columns) -> ParquetResult<Vec<u8>> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .build();
    let mut file = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut file, schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    columns.write(&mut group)?;
    group.close()?;
    writer.close()?;
    Ok(file)
}

#[derive(Debug)]
struct Directory(PathBuf);

impl Directory {
    /// Writes a file under a name that a repeated delivery gives again. A file with its final name is whole.
    fn write(&self, first: u64, file: &[u8]) -> io::Result<()> {
        let name = format!("polls-{first:013}-{:08x}.parquet", crc32fast::hash(file));
        let path = self.0.join(&name);
        let unfinished = self.0.join(format!(".{name}.unfinished"));
        let written = File::create(&unfinished).and_then(|mut output| {
            output.write_all(file)?;
            output.sync_all()
        });
        written
            .and_then(|()| fs::rename(&unfinished, path))
            .inspect_err(|_| {
                let _ = fs::remove_file(&unfinished);
            })
    }
}

impl Transmit for Directory {
    fn deliver<'d>(&'d mut self, batch: &'d Batch) -> Delivering<'d> {
        Box::pin(async {
            let parts = batch.octets.split_first_chunk();
            let Some((first, file)) = parts.filter(|(_, file)| !file.is_empty()) else {
                return Err(DeliveryError::Refused(
                    "the polls make no file of Parquet".to_owned(),
                ));
            };
            let written = self.write(u64::from_be_bytes(*first), file);
            written.map_err(|error| {
                DeliveryError::temporary(format_args!("{}: {error}", self.0.display()))
            })?;
            Ok(Delivered::default())
        })
    }
}
