use clap::Args;
use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::Oid;
use varbind::engine::applications::command_generator::Response;

use crate::arguments::{OutputArguments, SessionArguments};
use crate::failure::{Failure, tell};
use crate::output::VarBindWriter;
use crate::session;

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
    output: OutputArguments,
}

impl Arguments {
    pub(crate) fn run(&self, request: Request) -> Result<(), Failure> {
        let mib = self.output.mib()?;
        let options = self.output.options()?;
        let mut names = session::requested_names(&self.session, &mib, &self.names)?;
        let mut manager = session::open(&self.session)?;
        let mut outcome = Ok(());
        loop {
            let response = match request {
                Request::Get => manager.get(&names)?,
                Request::GetNext => manager.get_next(&names)?,
            };
            if response.error_status == ErrorStatus::NoError {
                let mut writer = VarBindWriter::new(&mib, &options, self.output.format());
                writer.write(&response.var_binds)?;
                writer.finish()?;
                return outcome;
            }
            let text = session::error_text(&self.session, &mib, &options, &response, names.iter());
            if self.no_fix || !remove_failed(&mut names, &response) {
                return Err(Failure::ErrorStatus(text));
            }
            // SNMPv1 answers nothing when one name is missing: the others are asked for again.
            tell(format_args!("varbind: {text}"));
            outcome = Err(Failure::Told);
        }
    }
}

/// Removes the name that the error-status concerns; `false` if nothing remains to ask for.
fn remove_failed(names: &mut Vec<Oid>, response: &Response) -> bool {
    let at = usize::try_from(response.error_index).unwrap_or(usize::MAX);
    let Some(at) = at.checked_sub(1).filter(|&at| at < names.len()) else {
        return false;
    };
    names.remove(at);
    !names.is_empty()
}
