mod front;
mod import;
mod next_steps;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use varbind::transport::TransportAddress;
#[cfg(feature = "experiments")]
use varbind::transport::ssh::SshHandicap;
use varbind_agent::{
    DEFAULT_CONFIGURATION, InitializeOptions, Options, RunnerCommand, check, initialize,
    run_programs, seal,
};
use varbind_terminal::{Failure, log};

use crate::core_dumps;

const AFTER: &str = "\
Without any configuration the agent listens on loopback only and lets the community public read.
SIGHUP reads the configuration again, SIGUSR1 logs what became of notifications, SIGTERM and SIGINT end the agent.";

#[derive(Subcommand, Debug)]
enum Action {
    Import(import::Arguments),
}

#[derive(Args, Debug)]
#[command(after_help = AFTER, args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,

    #[arg(long, value_name = "FILE", help = configuration_help())]
    config: Option<PathBuf>,

    /// Listen here instead of where the configuration says: [udp:|tcp:|tls:|dtls:|ssh:]ADDRESS[:PORT]; may be repeated
    #[arg(long, value_name = "ADDRESS")]
    listen: Vec<TransportAddress>,

    /// Where the files of the host are, as /host where a container has them, instead of what [host] says
    #[arg(long, value_name = "DIR", conflicts_with_all = ["seal", "init"])]
    host_root: Option<PathBuf>,

    #[command(flatten)]
    front: front::FrontArguments,

    /// Replace the passwords of users in the configuration file by keys that are good at this agent alone, and end
    #[arg(long, conflicts_with = "listen")]
    seal: bool,

    /// Check the configuration with all files that it names, and end: nothing is listened on, and nothing is written
    #[arg(long, value_name = "FILE", num_args = 0..=1, conflicts_with_all = ["seal", "init"])]
    check: Option<Option<PathBuf>>,

    /// Make this host safe, and end: certificates, an administrator, and a configuration for secure transports alone
    ///
    /// What exists is left alone. With --listen, the configuration gets these addresses.
    #[arg(long, conflicts_with_all = ["config", "seal"])]
    init: bool,

    /// Where --init writes [default: /etc/varbind for root, else ~/.config/varbind]
    #[arg(long, value_name = "DIR", requires = "init")]
    directory: Option<PathBuf>,

    /// Administrator for --init [default: the user who runs it]
    #[arg(long, value_name = "NAME", requires = "init")]
    administrator: Option<String>,

    /// Name or address of this host, as managers write it, for --init; may be repeated [default: those that it has]
    #[arg(long, value_name = "HOST", requires = "init")]
    host: Vec<String>,

    /// User whom the agent becomes after its start, for --init; the agent's keys become that user's
    #[arg(long, value_name = "USER", requires = "init")]
    run_as: Option<String>,

    /// Make sessions over SSH slow on purpose, for the laboratory
    #[cfg(feature = "experiments")]
    #[arg(long, value_name = "HANDICAP", hide = true)]
    ssh_handicap: Option<SshHandicap>,

    /// Speak TLS without encryption, and no other TLS, for the laboratory: whoever is on the way reads all
    #[cfg(all(feature = "openssl-tls", feature = "experiments"))]
    #[arg(long, hide = true)]
    unsafe_tls_without_encryption: bool,

    /// For debugging: allow core dumps, and processes of the same user to read the agent's memory, which holds its secrets
    ///
    /// Debuggers and profilers that do not run as root need it, and so does the laboratory to measure memory.
    #[arg(long)]
    dumpable: bool,

    /// Run the programs of the configuration for the agent at the other end of standard input, which starts this by itself
    #[arg(long, hide = true)]
    run_programs: bool,

    /// Tell more on standard error; the environment variable VARBIND_LOG chooses finer
    #[arg(short = 'd', long)]
    debug: bool,
}

fn check_configuration(options: &Options) -> Result<(), Failure> {
    let checked = check(options).map_err(|error| Failure::Usage(error.to_string()))?;
    for warning in &checked.warnings {
        eprintln!("warning: {warning}");
    }
    let what = match &checked.path {
        Some(path) => path.display().to_string(),
        None => "the defaults".to_owned(),
    };
    let number = match checked.warnings.len() {
        0 => "no warnings".to_owned(),
        1 => "1 warning".to_owned(),
        number => format!("{number} warnings"),
    };
    let mut stdout = io::stdout();
    for permission in &checked.permissions {
        writeln!(stdout, "{permission}")?;
    }
    writeln!(stdout, "{what}: the agent can start with this, {number}")?;
    Ok(())
}

fn configuration_help() -> String {
    format!("Configuration file [default: {DEFAULT_CONFIGURATION}, if it exists]")
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        if let Some(Action::Import(arguments)) = &self.action {
            return arguments.run();
        }
        log::start(if self.debug { "debug" } else { "info" });
        if self.seal {
            return self.seal();
        }
        if self.init {
            return self.init();
        }
        if !self.dumpable {
            core_dumps::forbid()?;
        }
        if self.run_programs {
            return run_programs(self.config.as_deref())
                .map_err(|error| Failure::Usage(error.to_string()));
        }
        let named = self.check.clone().flatten();
        let configuration = named.or_else(|| self.config.clone());
        let mut options = Options::new(configuration, self.listen.clone());
        options.host_root.clone_from(&self.host_root);
        options.front = self.front.front()?;
        #[cfg(feature = "experiments")]
        let options = self.with_experiments(options);
        if self.check.is_some() {
            return check_configuration(&options);
        }
        let options = Options {
            runner: Some(self.runner()?),
            ..options
        };
        varbind_agent::run(&options).map_err(|error| Failure::Usage(error.to_string()))
    }

    #[cfg(feature = "experiments")]
    fn with_experiments(&self, options: Options) -> Options {
        Options {
            ssh_handicap: self.ssh_handicap.unwrap_or_default(),
            #[cfg(feature = "openssl-tls")]
            unsafe_tls_without_encryption: self.unsafe_tls_without_encryption,
            ..options
        }
    }

    /// What runs the programs of a confined agent: this program.
    fn runner(&self) -> io::Result<RunnerCommand> {
        let mut arguments = vec!["agent".into(), "--run-programs".into()];
        if let Some(configuration) = &self.config {
            arguments.extend([
                "--config".into(),
                std::path::absolute(configuration)?.into(),
            ]);
        }
        Ok(RunnerCommand {
            program: std::env::current_exe()?,
            arguments,
        })
    }

    fn init(&self) -> Result<(), Failure> {
        let done = initialize(&InitializeOptions {
            directory: self.directory.clone(),
            administrator: self.administrator.clone(),
            hosts: self.host.clone(),
            listen: self.listen.clone(),
            run_as: self.run_as.clone(),
        })
        .map_err(|error| Failure::Usage(error.to_string()))?;
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = next_steps::write(&mut text, &done);
        io::stdout().write_all(text.as_bytes())?;
        Ok(())
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
