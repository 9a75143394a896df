//! A file of what was seen.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::UNIX_EPOCH;

use varbind_terminal::Failure;

use super::poll::{Counters, Octets, Sample};
use crate::output::{append_characters, append_string};

const HEADER: &str =
    "time,host,interface,in_octets,out_octets,in_errors,out_errors,cpu,rtt_ms,loss,error\n";

pub(super) struct Recorder {
    file: BufWriter<File>,
    is_json: bool,
}

impl Recorder {
    pub(super) fn create(path: &Path) -> Result<Self, Failure> {
        let file = File::create(path).map_err(|error| {
            Failure::Usage(format!("{} cannot be written: {error}", path.display()))
        })?;
        let extension = path.extension().and_then(|extension| extension.to_str());
        let is_json = matches!(extension, Some("json" | "jsonl"));
        let mut file = BufWriter::new(file);
        if !is_json {
            file.write_all(HEADER.as_bytes())?;
        }
        Ok(Self { file, is_json })
    }

    /// Writes a line for each interface, or one with the reason of a failure.
    pub(super) fn write(&mut self, host: &str, sample: &Sample) -> Result<(), Failure> {
        let at = sample.at.duration_since(UNIX_EPOCH).unwrap_or_default();
        let time = format!("{:.3}", at.as_secs_f64());
        match &sample.outcome {
            Err(reason) => self.line(
                &time,
                host,
                &Counters::default(),
                [String::new(), String::new(), String::new()],
                reason,
            ),
            Ok(reading) => {
                let load = reading
                    .load
                    .map(|load| load.to_string())
                    .unwrap_or_default();
                let rtt = reading
                    .round_trip
                    .map(|time| format!("{:.3}", time.as_secs_f64() * 1e3));
                let of_host = [load, rtt.unwrap_or_default(), reading.loss.to_string()];
                for counters in reading.interfaces.values() {
                    self.line(&time, host, counters, of_host.clone(), "")?;
                }
                Ok(())
            }
        }
    }

    fn line(
        &mut self,
        time: &str,
        host: &str,
        counters: &Counters,
        [load, rtt, loss]: [String; 3],
        error: &str,
    ) -> Result<(), Failure> {
        let octets = |octets| match octets {
            Octets::Unknown => String::new(),
            Octets::Narrow(count) => count.to_string(),
            Octets::Wide(count) => count.to_string(),
        };
        let [in_errors, out_errors] = counters
            .errors
            .map(|count| count.map(|count| count.to_string()).unwrap_or_default());
        let (received, sent) = (octets(counters.received), octets(counters.sent));
        let numbers = [
            time,
            &received,
            &sent,
            &in_errors,
            &out_errors,
            &load,
            &rtt,
            &loss,
        ];
        let [time, rest @ ..] = numbers;
        let mut out = String::new();
        if self.is_json {
            out.push_str(&format!("{{\"time\":{time},\"host\":"));
            append_string(host, &mut out);
            out.push_str(",\"interface\":");
            append_string(&counters.name, &mut out);
            let names = HEADER.split(',').skip(3);
            for (name, number) in names.zip(rest).filter(|(_, number)| !number.is_empty()) {
                out.push_str(&format!(",\"{name}\":{number}"));
            }
            if !error.is_empty() {
                out.push_str(",\"error\":");
                append_string(error, &mut out);
            }
            out.push_str("}\n");
        } else {
            out.push_str(&format!("{time},"));
            append_characters(host, &mut out);
            out.push(',');
            append_characters(&counters.name, &mut out);
            for number in rest {
                out.push_str(&format!(",{number}"));
            }
            out.push(',');
            append_characters(error, &mut out);
            out.push('\n');
        }
        self.file.write_all(out.as_bytes()).map_err(Failure::Output)
    }

    pub(super) fn finish(mut self) -> Result<(), Failure> {
        self.file.flush().map_err(Failure::Output)
    }
}
