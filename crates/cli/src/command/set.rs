use clap::Args;
use varbind::codec::pdu::ErrorStatus;
use varbind::engine::applications::command_generator::Command;
use varbind_mib::RangeCheck;
use varbind_terminal::assignments::TYPES;
use varbind_terminal::{Failure, assignments};

use crate::arguments::{OutputArguments, SessionArguments};
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

    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mib = self.output.mib()?;
        let options = self.output.options()?;
        let check = if self.no_range_check {
            RangeCheck::Skip
        } else {
            RangeCheck::Enforce
        };
        let objects = assignments::read(&mib, &self.assignments, check)?;
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
