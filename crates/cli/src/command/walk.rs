use std::ops::ControlFlow;

use clap::Args;
use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::{Oid, Value, VarBind};
use varbind::engine::applications::command_generator::{Command, WalkOptions};
use varbind_inventory::Host;
use varbind_mib::{Mib, OutputOptions};
use varbind_terminal::{Failure, object_names, print_message};

use crate::arguments::{
    OutputArguments, ParallelArguments, SessionArguments, SnmpVersion, WalkArguments,
};
use crate::fleet::{self, Operation, VarBindLines};
use crate::output::{Format, Progress, VarBindWriter};
use crate::session::{self, Session};

/// What is walked where nothing is given: mib-2.
const DEFAULT_ROOT: &str = "1.3.6.1.2.1";

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    session: SessionArguments,

    /// What to walk, as ifTable, IF-MIB::ifDescr or 1.3.6.1.2.1.1 [default: mib-2]
    #[arg(value_name = "OID")]
    roots: Vec<String>,

    /// Take names that do not increase, and end when the agent repeats itself (-Cc)
    #[arg(long, help_heading = "Walk")]
    tolerate_non_increasing: bool,

    /// End before this name, which must be below what is walked (-CE OID)
    #[arg(long, value_name = "OID", help_heading = "Walk")]
    end: Option<String>,

    /// Ask for the value of the name itself before (-Ci)
    #[arg(long, help_heading = "Walk")]
    include_root: bool,

    /// Do not ask for the value of the name itself when nothing is below it (-CI)
    #[arg(long, help_heading = "Walk")]
    no_root_if_empty: bool,

    /// Tell how many objects were found (-Cp)
    #[arg(long, help_heading = "Walk")]
    count: bool,

    /// Tell how long it took (-Ct)
    #[arg(long, help_heading = "Walk")]
    time: bool,

    #[command(flatten)]
    walk: WalkArguments,

    #[command(flatten)]
    parallel: ParallelArguments,

    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    pub(crate) fn find_hosts(&mut self) -> Result<(), Failure> {
        fleet::take_selections(&mut self.session, &mut self.roots);
        fleet::find_hosts(&mut self.session)
    }

    /// Walks with all selected hosts.
    fn run_fleet(
        &self,
        hosts: &[Host],
        roots: Vec<Oid>,
        (mib, options): (&Mib, &OutputOptions),
    ) -> Result<(), Failure> {
        let one_host_only = [
            (self.end.is_some(), "--end"),
            (self.count, "--count"),
            (self.time, "--time"),
        ];
        if let Some((_, option)) = one_host_only.iter().find(|(is_given, _)| *is_given) {
            return Err(Failure::Usage(format!("{option} works with one host only")));
        }
        let walk = WalkOptions {
            tolerate_non_increasing: self.tolerate_non_increasing,
            include_root: self.include_root,
            ..self.walk.options()
        };
        let operation = Operation::Walk {
            roots: roots.into(),
            options: Box::new(walk),
            root_if_empty: !self.no_root_if_empty,
        };
        let mut lines = VarBindLines::new(mib, options, self.output.format(), hosts);
        fleet::run(
            &self.session,
            &self.parallel,
            operation,
            (mib, options),
            &mut lines,
        )
    }

    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mib = self.output.mib()?;
        let options = self.output.options()?;
        let roots = if self.roots.is_empty() {
            vec![object_names::name(&mib, DEFAULT_ROOT)?]
        } else {
            session::requested_names(&self.session, &mib, &self.roots)?
        };
        if let Some(hosts) = &self.session.selected {
            return self.run_fleet(hosts, roots, (&mib, &options));
        }
        let end = self.end(&mib, &roots)?;
        let mut run = Run {
            arguments: self,
            session: session::open(&self.session)?,
            mib: &mib,
            options: &options,
            writer: VarBindWriter::new(&mib, &options, self.output.format()),
            progress: None,
            end,
        };
        run.progress = Some(Progress::new(run.writer.is_terminal()));
        let outcome = roots.iter().try_for_each(|root| run.walk(root));
        run.finish()?;
        outcome
    }

    /// Walks with GetBulk only.
    pub(crate) fn run_bulk(&self) -> Result<(), Failure> {
        if self.session.version() == SnmpVersion::V1 {
            return Err(Failure::Usage(
                "SNMPv1 has no GetBulk: use -v2c, or varbind walk".to_owned(),
            ));
        }
        self.run()
    }

    fn end(&self, mib: &Mib, roots: &[Oid]) -> Result<Option<Oid>, Failure> {
        let Some(text) = &self.end else {
            return Ok(None);
        };
        let end = object_names::name(mib, text)?;
        if roots.iter().any(|root| root.is_prefix_of(end.arcs())) {
            return Ok(Some(end));
        }
        Err(Failure::Usage(format!(
            "the end {text} is not below the walked name: walk a name above both"
        )))
    }
}

/// A walk under way.
struct Run<'a> {
    arguments: &'a Arguments,
    session: Session,
    mib: &'a Mib,
    options: &'a OutputOptions,
    writer: VarBindWriter<'a>,
    progress: Option<Progress>,
    end: Option<Oid>,
}

impl Run<'_> {
    fn walk(&mut self, root: &Oid) -> Result<(), Failure> {
        let before = self.writer.written();
        let options = WalkOptions {
            tolerate_non_increasing: self.arguments.tolerate_non_increasing,
            include_root: self.arguments.include_root,
            boundaries: self.boundaries(root),
            #[cfg(feature = "experiments")]
            columns: session::columns_for_walk(&self.arguments.session, self.mib, root),
            ..self.arguments.walk.options()
        };
        let end = self
            .end
            .as_ref()
            .filter(|end| root.is_prefix_of(end.arcs()));
        let mut written = Ok(());
        let outcome = self.session.walk(root, options, |objects| {
            let (wanted, is_end) = until(objects, end);
            written = self.writer.write(wanted);
            if let Some(progress) = &mut self.progress {
                progress.show_objects(self.writer.written());
            }
            if is_end || written.is_err() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        written?;
        let reached_end = match outcome {
            Ok(summary) => {
                ::log::debug!("{summary:?}");
                summary.reached_end
            }
            Err(error) => {
                return Err(session::walk_failure(
                    &self.arguments.session,
                    self.mib,
                    self.options,
                    error,
                ));
            }
        };
        if self.writer.written() == before && !self.arguments.no_root_if_empty {
            self.request_instance(root, reached_end)?;
        }
        Ok(())
    }

    /// GetNext brings one object of each part in a request, so that it pays to know the columns. GetBulk finds them out as
    /// it goes, with fewer requests.
    fn boundaries(&self, root: &Oid) -> Vec<Oid> {
        if self
            .arguments
            .walk
            .is_get_next(self.arguments.session.version())
        {
            session::columns_below(self.mib, root)
        } else {
            Vec::new()
        }
    }

    /// Nothing is below the name: it may be an instance, or the agent says what is missing.
    fn request_instance(&mut self, root: &Oid, reached_end: bool) -> Result<(), Failure> {
        let command = Command::Get(std::slice::from_ref(root));
        let mut response = self.session.request(command)?;
        if reached_end {
            for object in &mut response.var_binds {
                if object.value.as_value_ref().is_exception() {
                    object.value = Value::EndOfMibView;
                }
            }
        }
        let is_value = |object: &VarBind| !object.value.as_value_ref().is_exception();
        if response.error_status == ErrorStatus::NoError
            && (self.arguments.output.format() == Format::Text
                || response.var_binds.iter().all(is_value))
        {
            self.writer.write(&response.var_binds)?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Failure> {
        let elapsed = self.progress.as_mut().map(|progress| {
            progress.finish();
            progress.elapsed()
        });
        if self.arguments.count {
            let count = self.writer.written();
            if self.arguments.output.format() == Format::Text {
                self.writer
                    .write_remark(&format!("Variables found: {count}"));
            } else {
                print_message(format_args!("Variables found: {count}"));
            }
        }
        self.writer.finish()?;
        if self.arguments.time
            && let Some(elapsed) = elapsed
        {
            let seconds = elapsed.as_secs_f64();
            print_message(format_args!("Total traversal time = {seconds:.6} seconds"));
        }
        Ok(())
    }
}

/// The objects before the end, and whether that is reached.
fn until<'o>(objects: &'o [VarBind], end: Option<&Oid>) -> (&'o [VarBind], bool) {
    let Some(end) = end else {
        return (objects, false);
    };
    let count = objects
        .iter()
        .take_while(|object| object.name < *end)
        .count();
    (
        objects.get(..count).unwrap_or(objects),
        count < objects.len(),
    )
}
