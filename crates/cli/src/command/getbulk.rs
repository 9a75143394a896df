use clap::Args;
use varbind::codec::pdu::ErrorStatus;
use varbind::engine::applications::command_generator::Command;
use varbind_terminal::Failure;

use crate::arguments::{OutputArguments, ParallelArguments, SessionArguments};
use crate::fleet::{self, Operation, VarBindLines};
use crate::output::VarBindWriter;
use crate::session;

#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(flatten)]
    session: SessionArguments,

    /// Names, as ifDescr, IF-MIB::ifTable or 1.3.6.1.2.1.1
    #[arg(value_name = "OID", required = true)]
    names: Vec<String>,

    /// How many of the names, from the first, are followed once only (-CnN)
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Request")]
    non_repeaters: u16,

    /// How often the other names are followed at most (-CrN)
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Request")]
    max_repetitions: u16,

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

    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mib = self.output.mib()?;
        let options = self.output.options()?;
        let names = session::requested_names(&self.session, &mib, &self.names)?;
        if let Some(hosts) = &self.session.selected {
            let operation = Operation::GetBulk {
                non_repeaters: self.non_repeaters,
                max_repetitions: self.max_repetitions,
                names: names.into(),
            };
            let mut lines = VarBindLines::new(&mib, &options, self.output.format(), hosts);
            let shown = (&mib, &options);
            return fleet::run(&self.session, &self.parallel, operation, shown, &mut lines);
        }
        let response = session::open(&self.session)?.request(Command::GetBulk {
            non_repeaters: self.non_repeaters,
            max_repetitions: self.max_repetitions,
            names: &names,
        })?;
        if response.error_status != ErrorStatus::NoError {
            let text = session::error_text(&self.session, &mib, &options, &response, names.iter());
            return Err(Failure::ErrorStatus(text));
        }
        let mut writer = VarBindWriter::new(&mib, &options, self.output.format());
        writer.write(&response.var_binds)?;
        writer.finish()?;
        Ok(())
    }
}
