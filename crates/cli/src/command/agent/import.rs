use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clap::Args;
use varbind_agent::{ImportOptions, Imported, Options, check, import, keep_identity};
use varbind_terminal::{Failure, prompt};

/// Where Debian's snmpd keeps engine ID, starts and users.
const PERSISTENT: &str = "/var/lib/snmp/snmpd.conf";

/// The exit status where some directives were not carried over.
const NOT_ALL: u8 = 2;

/// Make a configuration of snmpd's
///
/// Each directive is carried over, or named on standard error with its line and what to write instead. The exit status
/// is 0 if all were, and 2 if some were not, or if an agent cannot start yet with the file that was written.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Configuration of snmpd
    #[arg(value_name = "FILE", default_value = "/etc/snmp/snmpd.conf")]
    file: PathBuf,

    /// What snmpd keeps: its engine ID, number of starts and keys of users [default: /var/lib/snmp/snmpd.conf, if it exists]
    #[arg(long, value_name = "FILE")]
    persistent: Option<PathBuf>,

    /// Write the configuration into this file, for its owner alone, instead of to standard output
    #[arg(short = 'o', long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Keep snmpd's engine ID and number of starts in this state directory of the agent, unless it has its own already
    #[arg(long, value_name = "DIR")]
    state_directory: Option<PathBuf>,

    /// Keep communities open that snmpd accepts from every address; otherwise they are for this host only
    #[arg(long)]
    keep_open: bool,
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let default = Path::new(PERSISTENT);
        let persistent = self.persistent.clone();
        let options = ImportOptions {
            file: self.file.clone(),
            persistent: persistent.or_else(|| default.exists().then(|| default.to_owned())),
            keeps_open: self.keep_open,
        };
        let usage = |error: varbind_agent::ImportError| Failure::Usage(error.to_string());
        let mut imported = import(&options).map_err(usage)?;
        if imported.restricts_communities && self.confirms_open_communities()? {
            let keeps_open = true;
            imported = import(&ImportOptions {
                keeps_open,
                ..options
            })
            .map_err(usage)?;
        }
        match &self.output {
            Some(path) => write(path, &imported.configuration)?,
            None => io::stdout().write_all(imported.configuration.as_bytes())?,
        }
        self.keep_identity(&imported)?;
        for note in &imported.notes {
            eprintln!("{}", note.line());
        }
        eprintln!(
            "{}: {} directives carried over, {} not",
            self.file.display(),
            imported.carried,
            imported.notes.len()
        );
        let is_accepted = self.output.as_deref().is_none_or(is_accepted);
        if imported.notes.is_empty() && is_accepted {
            Ok(())
        } else {
            Err(Failure::ReportedWith(NOT_ALL))
        }
    }

    /// Asks, if there is a terminal.
    fn confirms_open_communities(&self) -> Result<bool, Failure> {
        let question = "snmpd accepts communities from every address. Keep them open? [y/N] ";
        let answer = prompt::line(question)?;
        Ok(answer.is_some_and(|answer| answer.trim().eq_ignore_ascii_case("y")))
    }

    fn keep_identity(&self, imported: &Imported) -> Result<(), Failure> {
        let (Some(directory), Some(identity)) = (&self.state_directory, &imported.identity) else {
            return Ok(());
        };
        let is_kept = keep_identity(directory, identity)
            .map_err(|error| Failure::Usage(error.to_string()))?;
        if !is_kept {
            eprintln!(
                "{}: has an engine ID already, which stays",
                directory.display()
            );
        }
        Ok(())
    }
}

/// Whether an agent can start with a configuration; the reason is shown if it cannot.
fn is_accepted(path: &Path) -> bool {
    let options = Options::new(Some(path.to_owned()), Vec::new());
    match check(&options) {
        Ok(_) => true,
        Err(error) => {
            eprintln!("the agent cannot start with this configuration yet: {error}");
            false
        }
    }
}

/// Writes a new file, or leaves one that has this text.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    if fs::read_to_string(path).is_ok_and(|existing| existing == text) {
        return Ok(());
    }
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    let failed = |error: io::Error| Failure::Usage(format!("{}: {error}", path.display()));
    match file {
        Ok(mut file) => file.write_all(text.as_bytes()).map_err(failed),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(Failure::Usage(format!(
            "{}: exists, with another text: remove it, or choose another file",
            path.display()
        ))),
        Err(error) => Err(failed(error)),
    }
}
