use clap::Args;
use varbind::codec::pdu::ErrorStatus;
use varbind::engine::applications::command_generator::Command;
use varbind_mib::RangeCheck;
use varbind_terminal::assignments::TYPES;
use varbind_terminal::{Failure, assignments, prompt};

use crate::arguments::{OutputArguments, ParallelArguments, SessionArguments};
use crate::fleet::{self, Operation, VarBindLines};
use crate::output::VarBindWriter;
use crate::session;

#[derive(Args, Debug)]
#[command(after_help = TYPES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    session: SessionArguments,

    /// Name, type and value of each object, as sysContact.0 s 'Jo Doe' or ifAdminStatus.2 = down
    #[arg(
        value_name = "OID TYPE VALUE",
        required = true,
        num_args = 1..,
        allow_negative_numbers = true
    )]
    assignments: Vec<String>,

    /// Send values that the object's definition does not allow
    #[arg(long, help_heading = "Request")]
    no_range_check: bool,

    /// Set on several hosts without asking first
    #[arg(long, help_heading = "Hosts")]
    yes: bool,

    #[command(flatten)]
    parallel: ParallelArguments,

    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    pub(crate) fn find_hosts(&mut self) -> Result<(), Failure> {
        fleet::take_selections(&mut self.session, &mut self.assignments);
        fleet::find_hosts(&mut self.session)
    }

    /// Asks before more than one host is changed.
    fn confirm(&self, hosts: usize) -> Result<(), Failure> {
        if self.yes || hosts < 2 {
            return Ok(());
        }
        let what: Vec<_> = self
            .assignments
            .chunks(3)
            .map(|words| words.join(" "))
            .collect();
        let question = format!("Set {} on {hosts} hosts? [y/N] ", what.join(", "));
        let answer = prompt::line(&question).map_err(Failure::Output)?;
        let is_meant = |answer: &str| matches!(answer.trim(), "y" | "Y" | "yes");
        match answer.as_deref() {
            Some(answer) if is_meant(answer) => Ok(()),
            Some(_) => Err(Failure::Usage("nothing was set".to_owned())),
            None => Err(Failure::Usage(format!(
                "{hosts} hosts would be changed, and there is no terminal to ask: add --yes"
            ))),
        }
    }

    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mib = self.output.mib()?;
        let options = self.output.options()?;
        let check = if self.no_range_check {
            RangeCheck::Skip
        } else {
            RangeCheck::Enforce
        };
        let objects = assignments::read(&mib, &self.assignments, check)?;
        if let Some(hosts) = &self.session.selected {
            self.confirm(hosts.len())?;
            let operation = Operation::Set(objects.into());
            let mut lines = VarBindLines::new(&mib, &options, self.output.format(), hosts);
            let shown = (&mib, &options);
            return fleet::run(&self.session, &self.parallel, operation, shown, &mut lines);
        }
        let response = session::open(&self.session)?.request(Command::Set(&objects))?;
        if response.error_status != ErrorStatus::NoError {
            let names = objects.iter().map(|object| &object.name);
            let text = session::error_text(&self.session, &mib, &options, &response, names);
            return Err(Failure::ErrorStatus(text));
        }
        let mut writer = VarBindWriter::new(&mib, &options, self.output.format());
        writer.write(&response.var_binds)?;
        writer.finish()?;
        Ok(())
    }
}
