use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use varbind::transport::TransportAddress;
use varbind_agent::{DEFAULT_CONFIGURATION, Options, seal};

use crate::failure::Failure;
use crate::log;

const AFTER: &str = "\
Without any configuration the agent listens on loopback only and lets the community public read.
SIGHUP reads the configuration again, SIGUSR1 logs what became of notifications, SIGTERM and SIGINT end the agent.";

#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub(crate) struct Arguments {
    #[arg(long, value_name = "FILE", help = configuration_help())]
    config: Option<PathBuf>,

    /// Listen here instead of where the configuration says: [udp:|tcp:|udp6:|tcp6:]ADDRESS[:PORT]; may be repeated
    #[arg(long, value_name = "ADDRESS")]
    listen: Vec<TransportAddress>,

    /// Replace the passwords of users in the configuration file by keys that are good at this agent alone, and end
    #[arg(long, conflicts_with = "listen")]
    seal: bool,

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
        if self.seal {
            return self.seal();
        }
        let options = Options {
            configuration: self.config.clone(),
            listen: self.listen.clone(),
        };
        varbind_agent::run(&options).map_err(|error| Failure::Usage(error.to_string()))
    }

    fn seal(&self) -> Result<(), Failure> {
        let default = Path::new(DEFAULT_CONFIGURATION);
        let path = self.config.as_deref().unwrap_or(default);
        let sealed = seal(path).map_err(|error| Failure::Usage(error.to_string()))?;
        let mut output = io::stdout().lock();
        writeln!(
            output,
            "{}: {} replaced by keys for engine ID {}",
            sealed.path.display(),
            match sealed.replaced {
                1 => "1 password".to_owned(),
                number => format!("{number} passwords"),
            },
            sealed.engine_id
        )?;
        for file in &sealed.password_files {
            writeln!(output, "{} is not needed any more", file.display())?;
        }
        output.flush()?;
        Ok(())
    }
}
