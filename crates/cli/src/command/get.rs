use clap::Args;
use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::{Oid, Value, VarBind};
use varbind::engine::applications::command_generator::{Command, Response};
use varbind_mib::{Kind, Mib, OutputOptions, format_name};
use varbind_terminal::{Failure, print_message};

use crate::arguments::{OutputArguments, ParallelArguments, SessionArguments};
use crate::fleet::{self, Operation, VarBindLines};
use crate::output::VarBindWriter;
use crate::session::{self, command_line};

/// Which request is made.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Request {
    Get,
    GetNext,
}

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    session: SessionArguments,

    /// Names, as sysDescr.0, IF-MIB::ifDescr.2 or 1.3.6.1.2.1.1.1.0
    #[arg(value_name = "OID", required = true)]
    names: Vec<String>,

    /// When the agent refuses the request because of one name, do not ask for the others (-Cf)
    #[arg(long, help_heading = "Request")]
    no_fix: bool,

    #[command(flatten)]
    parallel: ParallelArguments,

    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    pub(crate) fn find_hosts(&mut self) -> Result<(), Failure> {
        fleet::take_selections(&mut self.session, &mut self.names);
        fleet::find_hosts(&mut self.session)
    }

    pub(crate) fn run(&self, request: Request) -> Result<(), Failure> {
        let mib = self.output.mib()?;
        let options = self.output.options()?;
        let mut names = session::requested_names(&self.session, &mib, &self.names)?;
        if let Some(hosts) = &self.session.selected {
            let (names, fix) = (names.into(), !self.no_fix);
            let operation = match request {
                Request::Get => Operation::Get { names, fix },
                Request::GetNext => Operation::GetNext { names, fix },
            };
            let mut lines = VarBindLines::new(&mib, &options, self.output.format(), hosts);
            let shown = (&mib, &options);
            return fleet::run(&self.session, &self.parallel, operation, shown, &mut lines);
        }
        let mut session = session::open(&self.session)?;
        let mut outcome = Ok(());
        loop {
            let response = session.request(match request {
                Request::Get => Command::Get(&names),
                Request::GetNext => Command::GetNext(&names),
            })?;
            if response.error_status == ErrorStatus::NoError {
                let mut writer = VarBindWriter::new(&mib, &options, self.output.format());
                writer.write(&response.var_binds)?;
                writer.finish()?;
                if matches!(request, Request::Get) {
                    for object in &response.var_binds {
                        if let Some(hint) = self.hint(&mib, &options, object) {
                            print_message(format_args!("varbind: {hint}"));
                        }
                    }
                }
                return outcome;
            }
            let mut text =
                session::error_text(&self.session, &mib, &options, &response, names.iter());
            let failed = failed_position(&names, &response);
            if let (Request::Get, ErrorStatus::NoSuchName, Some(at)) =
                (request, response.error_status, failed)
                && let Some(instance) = names
                    .get(at)
                    .and_then(|name| likely_instance(&mib, &options, name))
            {
                text += &format!("; did you mean {instance}?");
            }
            let Some(at) = failed.filter(|_| !self.no_fix && names.len() > 1) else {
                return Err(Failure::ErrorStatus(text));
            };
            // SNMPv1 answers nothing when one name is missing: the others are asked for again.
            names.remove(at);
            print_message(format_args!("varbind: {text}"));
            outcome = Err(Failure::Reported);
        }
    }
}

impl Arguments {
    /// What to do about an object that is not there.
    fn hint(&self, mib: &Mib, options: &OutputOptions, object: &VarBind) -> Option<String> {
        if !object.value.as_value_ref().is_exception() {
            return None;
        }
        if let Some(instance) = likely_instance(mib, options, &object.name) {
            return Some(format!("did you mean {instance}?"));
        }
        let column = mib.object(object.name.arcs())?.object;
        let is_row = column.kind() == Kind::Column && object.value == Value::NoSuchInstance;
        let (_, table) = column.oid().split_last().filter(|_| is_row)?;
        let (_, table) = table.split_last()?;
        let table = mib.object_at(table)?.name();
        let name = column.name();
        let line = |command| command_line(&self.session, command);
        Some(match object.name.arcs() == column.oid() {
            true => format!(
                "{name} is a column: {} {name} shows its instances",
                line("walk")
            ),
            false => format!(
                "{table} has no such row: {} {table} shows the rows",
                line("table")
            ),
        })
    }
}

/// The instance of the scalar object that a name is.
fn likely_instance(mib: &Mib, options: &OutputOptions, name: &Oid) -> Option<String> {
    let object = mib.object_at(name.arcs())?;
    let instance = name.child(&[0]).ok()?;
    let mut text = String::new();
    format_name(mib, options, instance.arcs(), &mut text);
    (object.kind() == Kind::Scalar).then_some(text)
}

/// The position of the name that the error-status concerns.
fn failed_position(names: &[Oid], response: &Response) -> Option<usize> {
    let index = usize::try_from(response.error_index).ok()?;
    index.checked_sub(1).filter(|&at| at < names.len())
}
