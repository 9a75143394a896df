//! The command record.

mod destination;

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use tokio::signal::unix::{SignalKind, signal};
use varbind::client::Error;
use varbind::codec::smi::{Oid, VarBind};
use varbind::engine::applications::command_generator::{WalkOptions, WalkSummary};
use varbind_mib::{Mib, OutputOptions, format_name};
use varbind_simulator::recording::{RecordingWriter, WrittenFormat};
use varbind_terminal::arguments::MibArguments;
use varbind_terminal::{Failure, messages, object_names};

use crate::arguments::{SessionArguments, WalkArguments};
use crate::fleet::{self, INTERRUPTED};
use crate::output::Progress;
use crate::session::{self, Session};
use destination::Destination;

/// Everything: some agents have objects outside of 1.3.6.1.
const EVERYTHING: &str = "1";

const AFTER: &str = "\
A recording that breaks off, by Ctrl-C or an error, is told with the object that was the last, and ends with another exit code
than 0. Without -o, what came before is on standard output.";

/// What becomes of a recording that breaks off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum IfIncomplete {
    /// FILE stays as it was, and what came is kept as FILE.part.
    #[default]
    Part,
    /// What came replaces FILE.
    Replace,
    /// Nothing is kept.
    Discard,
}

#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub(crate) struct Arguments {
    #[command(flatten)]
    session: SessionArguments,

    /// What to record, as system or 1.3.6.1.2.1.2 [default: all objects]
    #[arg(value_name = "OID")]
    roots: Vec<String>,

    /// Write to this file: FILE changes only when the recording is complete
    #[arg(short = 'o', long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    /// Write JSON lines instead of snmpsim's OID|tag|value; also chosen by FILE.jsonl
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// What to do with a recording that breaks off
    #[arg(
        long,
        value_name = "WHAT",
        value_enum,
        default_value_t,
        requires = "output",
        help_heading = "Output"
    )]
    if_incomplete: IfIncomplete,

    /// Take names that do not increase, and end when the agent repeats itself (-Cc)
    #[arg(long, help_heading = "Walk")]
    tolerate_non_increasing: bool,

    #[command(flatten)]
    walk: WalkArguments,

    #[command(flatten)]
    mib: MibArguments,
}

impl Arguments {
    pub(crate) fn find_host(&mut self) -> Result<(), Failure> {
        if self.session.target.is_selection() {
            return Err(Failure::Usage(format!(
                "{}: a recording is of one host: name it without @",
                self.session.target.text
            )));
        }
        fleet::find_hosts(&mut self.session)
    }

    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mib = self.mib.mib()?;
        let roots = self.roots(&mib)?;
        let format = self.format()?;
        let mut session = session::open(&self.session)?;
        let destination = Destination::open(self.output.as_deref(), self.if_incomplete)?;
        let mut run = Run {
            progress: Progress::new(destination.is_terminal()),
            writer: RecordingWriter::new(destination, format),
            objects: 0,
            last: None,
            written: Ok(()),
        };
        let ended = run.walk(&mut session, &roots, self.options());
        run.progress.finish();
        drop(session);
        self.conclude(run, ended, &mib)
    }

    fn roots(&self, mib: &Mib) -> Result<Vec<Oid>, Failure> {
        let mut roots = if self.roots.is_empty() {
            vec![object_names::name(mib, EVERYTHING)?]
        } else {
            session::requested_names(&self.session, mib, &self.roots)?
        };
        // A recording is sorted, and has no object twice.
        roots.sort();
        roots.dedup_by(|later, former| former.is_prefix_of(later.arcs()));
        Ok(roots)
    }

    fn format(&self) -> Result<WrittenFormat, Failure> {
        let extension = |path: &PathBuf| path.extension()?.to_str().map(str::to_owned);
        let extension = self.output.as_ref().and_then(extension);
        match extension.as_deref() {
            Some("json" | "jsonl") => Ok(WrittenFormat::JsonLines),
            _ if self.json => Ok(WrittenFormat::JsonLines),
            Some("bz2" | "snmpwalk" | "walk" | "sapwalk") => Err(Failure::Usage(format!(
                "{}: recordings are written as .snmprec or .jsonl",
                self.output.as_deref().unwrap_or(Path::new("")).display()
            ))),
            _ => Ok(WrittenFormat::Snmprec),
        }
    }

    fn options(&self) -> WalkOptions {
        WalkOptions {
            tolerate_non_increasing: self.tolerate_non_increasing,
            root_if_empty: !self.roots.is_empty(),
            ..self.walk.options()
        }
    }

    /// Puts the recording in its place, and reports missing parts.
    fn conclude(
        &self,
        run: Run,
        ended: Result<Option<WalkSummary>, Error>,
        mib: &Mib,
    ) -> Result<(), Failure> {
        let options = OutputOptions::default();
        let target = &self.session.target;
        let objects = match run.objects {
            1 => "1 object".to_owned(),
            objects => format!("{objects} objects"),
        };
        let missing = match &run.last {
            None => "nothing was recorded".to_owned(),
            Some(last) => {
                let mut name = String::new();
                format_name(mib, &options, last.arcs(), &mut name);
                format!("{objects} were recorded, all behind {name} are missing")
            }
        };
        let elapsed = run.progress.elapsed().as_secs_f64();
        let destination = run.writer.into_output();
        let break_off = |destination: Destination, failure: Failure| {
            let code = failure.report();
            let kept = destination.break_off();
            messages::report(format_args!("{target}: incomplete: {missing}{kept}"));
            Err(Failure::ReportedWith(code))
        };
        match (run.written, ended) {
            (Err(error), _) => break_off(destination, Failure::from(error)),
            (Ok(()), Err(error)) => {
                let failure = session::walk_failure(&self.session, mib, &options, error);
                break_off(destination, failure)
            }
            (Ok(()), Ok(None)) => break_off(destination, Failure::ReportedWith(INTERRUPTED)),
            (Ok(()), Ok(Some(summary))) => {
                ::log::debug!("{summary:?}");
                destination.complete()?;
                messages::report(format_args!("{target}: {objects} in {elapsed:.1} s"));
                Ok(())
            }
        }
    }
}

/// A recording under way.
struct Run {
    writer: RecordingWriter<Destination>,
    progress: Progress,
    objects: u64,
    last: Option<Oid>,
    written: io::Result<()>,
}

impl Run {
    /// Records all objects below the roots; `None` when a signal ended it.
    fn walk(
        &mut self,
        session: &mut Session,
        roots: &[Oid],
        options: WalkOptions,
    ) -> Result<Option<WalkSummary>, Error> {
        session.walk_until(roots, options, interruption(), |objects| {
            self.written = self.write(objects);
            self.progress.show_objects(self.objects);
            match self.written {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        })
    }

    fn write(&mut self, objects: &[VarBind]) -> io::Result<()> {
        let is_value = |object: &&VarBind| !object.value.as_value_ref().is_exception();
        for object in objects.iter().filter(is_value) {
            self.writer.write(object)?;
            self.objects += 1;
            self.last = Some(object.name.clone());
        }
        // Whatever ends the program, what came by now is kept.
        self.writer.output().flush()
    }
}

/// Waits for Ctrl-C or SIGTERM.
async fn interruption() {
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return;
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}
