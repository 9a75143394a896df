use std::fs;

use clap::Args;
use varbind_pki::{Authority, Validity, create_directory};
use varbind_terminal::Failure;

use super::{DirectoryArgument, MakingArguments, print_written};

#[derive(Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    directory: DirectoryArgument,

    /// Name of the authority [default: SNMP authority of this host]
    #[arg(long)]
    name: Option<String>,

    /// Days for which the certificate is valid
    #[arg(long, default_value_t = 3650, value_parser = clap::value_parser!(u16).range(1..))]
    days: u16,

    #[command(flatten)]
    making: MakingArguments,
}

impl Arguments {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let directory = self.directory.directory();
        create_directory(directory.path())?;
        let name = self.name.clone().unwrap_or_else(default_name);
        let validity = Validity::days(self.days);
        let identity = Authority::create_identity(&name, self.making.key_type, validity)?;
        let files = directory.authority();
        files.write(&identity, self.making.if_exists())?;
        print_written(&files.key, "the key of the authority: it stays here")?;
        print_written(
            &files.certificate,
            "its certificate, for agents and managers to trust",
        )
    }
}

fn default_name() -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let mut name = format!("SNMP authority of {}", host.trim_end());
    name.truncate(64);
    name
}
