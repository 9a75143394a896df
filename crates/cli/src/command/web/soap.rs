use clap::Args;
use varbind_terminal::Failure;
use varbind_web::client::{Operation, Request};

use super::arguments::ConnectionArguments;

#[derive(Args, Debug)]
pub(super) struct SoapArguments {
    #[command(flatten)]
    pub(super) connection: ConnectionArguments,

    /// Only this column, as ifDescr
    #[arg(long, value_name = "NAME", help_heading = "SOAP")]
    pub(super) column: Option<String>,

    /// Only the row of this interface
    #[arg(long, value_name = "IFINDEX", help_heading = "SOAP")]
    pub(super) index: Option<u32>,

    /// Where calls are answered
    #[arg(
        long,
        value_name = "PATH",
        help_heading = "SOAP",
        default_value = "/soap"
    )]
    pub(super) path: String,
}

impl SoapArguments {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let operation = match (&self.column, self.index) {
            (None, None) => Operation::Table,
            (None, Some(index)) => Operation::Row { index },
            (Some(name), None) => Operation::Column { name: name.clone() },
            (Some(name), Some(index)) => Operation::Object {
                name: name.clone(),
                index,
            },
        };
        self.connection
            .exchange(Request::soap(self.path.as_str(), &operation))
    }
}
