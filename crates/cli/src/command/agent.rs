use std::path::PathBuf;

use clap::Args;
use varbind::transport::TransportAddress;
use varbind_agent::{DEFAULT_CONFIGURATION, Options};

use crate::failure::Failure;
use crate::log;

const AFTER: &str = "\
Without any configuration the agent listens on loopback only and lets the community public read.
SIGHUP reads the configuration again, SIGTERM and SIGINT end the agent.";

#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub(crate) struct Arguments {
    #[arg(long, value_name = "FILE", help = configuration_help())]
    config: Option<PathBuf>,

    /// Listen here instead of where the configuration says: [udp:|tcp:|udp6:|tcp6:]ADDRESS[:PORT]; may be repeated
    #[arg(long, value_name = "ADDRESS")]
    listen: Vec<TransportAddress>,

    /// Tell more on standard error; the environment variable VARBIND_LOG chooses finer
    #[arg(short = 'd', long)]
    debug: bool,
}

fn configuration_help() -> String {
    format!("Configuration file [default: {DEFAULT_CONFIGURATION}, if it exists]")
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        log::start(if self.debug { "debug" } else { "info" });
        let options = Options {
            configuration: self.config.clone(),
            listen: self.listen.clone(),
        };
        varbind_agent::run(&options).map_err(|error| Failure::Usage(error.to_string()))
    }
}
