use clap::Args;
use varbind::codec::pdu::ErrorStatus;
use varbind::codec::smi::{Oid, OwnedValue};
use varbind_mib::{Mib, RangeCheck, parse_value};

use crate::arguments::{OutputArguments, SessionArguments};
use crate::failure::Failure;
use crate::output::VarBindWriter;
use crate::session;

const TYPES: &str = "\
Types:
  i INTEGER            u Gauge32, Unsigned32   c Counter32      C Counter64
  t TimeTicks          a IpAddress             o OBJECT IDENTIFIER
  s string             x hexadecimal string    d decimal string b BITS
  n NULL               F float                 D double         I, U 64-bit numbers in Opaque
  = the type that the object of that name has";

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
    #[arg(long)]
    no_range_check: bool,

    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mib = self.output.mib()?;
        let options = self.output.options()?;
        let objects = self.objects(&mib)?;
        let mut manager = session::open(&self.session)?;
        let response = manager.set(&objects)?;
        if response.error_status != ErrorStatus::NoError {
            let names = objects.iter().map(|(name, _)| name);
            let text = session::error_text(&self.session, &mib, &options, &response, names);
            return Err(Failure::ErrorStatus(text));
        }
        let mut writer = VarBindWriter::new(&mib, &options, self.output.format());
        writer.write(&response.var_binds)?;
        writer.finish()?;
        Ok(())
    }

    fn objects(&self, mib: &Mib) -> Result<Vec<(Oid, OwnedValue)>, Failure> {
        let check = if self.no_range_check {
            RangeCheck::Skip
        } else {
            RangeCheck::Enforce
        };
        let (triplets, rest) = self.assignments.as_chunks::<3>();
        if let [first, ..] = rest {
            return Err(Failure::Usage(format!(
                "{first}: the {} missing; write name, type and value of each object",
                if rest.len() == 1 {
                    "type and the value are"
                } else {
                    "value is"
                }
            )));
        }
        triplets
            .iter()
            .map(|[name, letter, text]| {
                let oid = session::name(mib, name)?;
                let value = match letter.chars().collect::<Vec<_>>().as_slice() {
                    &[letter] => parse_value(mib, oid.arcs(), letter, text, check)
                        .map_err(|error| Failure::Usage(format!("{name}: {error}")))?,
                    _ => {
                        return Err(Failure::Usage(format!(
                            "{name}: the type {letter:?} is no single letter; see varbind set --help"
                        )));
                    }
                };
                Ok((oid, value))
            })
            .collect()
    }
}
