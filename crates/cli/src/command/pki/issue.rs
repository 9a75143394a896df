use std::path::PathBuf;

use clap::{Args, Subcommand};
use varbind_pki::{
    Authority, Directory, IdentityFiles, IfExists, Subject, Validity, create_directory,
    read_certificates,
};

use super::{DirectoryArgument, MakingArguments, tell_written};
use crate::failure::Failure;

#[derive(Args, Debug)]
pub(super) struct Arguments {
    #[command(subcommand)]
    whom: Whom,
}

#[derive(Debug, Subcommand)]
enum Whom {
    /// For an agent: its host names and addresses, as managers write them
    Agent {
        /// Host name or address
        #[arg(value_name = "HOST", required = true)]
        hosts: Vec<String>,

        #[command(flatten)]
        issue: IssueArguments,
    },
    /// For a manager: the name to which agents grant access
    Manager {
        /// Name, as ops or ops@example.org
        name: String,

        #[command(flatten)]
        issue: IssueArguments,
    },
}

#[derive(Args, Debug)]
struct IssueArguments {
    #[command(flatten)]
    directory: DirectoryArgument,

    /// Directory to write into, with the certificate to trust: to be copied to another host [default: that of the
    /// authority]
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Certificate of another authority; certificates of those above it may follow in the file
    #[arg(long, value_name = "FILE", requires = "ca_key")]
    ca: Option<PathBuf>,

    /// Its key
    #[arg(long, value_name = "FILE", requires = "ca")]
    ca_key: Option<PathBuf>,

    /// Days for which the certificate is valid
    #[arg(long, default_value_t = 730, value_parser = clap::value_parser!(u16).range(1..))]
    days: u16,

    #[command(flatten)]
    making: MakingArguments,
}

impl Arguments {
    pub(super) fn run(&self) -> Result<(), Failure> {
        match &self.whom {
            Whom::Agent { hosts, issue } => {
                issue.run(&Subject::agent(hosts)?, Directory::agent, "agent")
            }
            Whom::Manager { name, issue } => {
                issue.run(&Subject::manager(name)?, Directory::manager, "manager")
            }
        }
    }
}

impl IssueArguments {
    fn run(
        &self,
        subject: &Subject,
        files: fn(&Directory) -> IdentityFiles,
        what: &str,
    ) -> Result<(), Failure> {
        let authority = self.authority()?;
        let output = match &self.output {
            Some(path) => Directory::new(path),
            None => self.directory.directory(),
        };
        create_directory(output.path())?;
        let files = files(&output);
        let validity = Validity::days(self.days);
        let identity = authority.issue(subject, self.making.key_type, validity)?;
        files.write(&identity, self.making.if_exists())?;
        let name = subject.common_name();
        tell_written(&files.key, &format!("the key of the {what} {name}"))?;
        tell_written(&files.certificate, "its certificate")?;
        self.write_trust(&authority, &output)
    }

    fn authority(&self) -> Result<Authority, Failure> {
        let files = match (&self.ca, &self.ca_key) {
            (Some(certificate), Some(key)) => IdentityFiles {
                certificate: certificate.clone(),
                key: key.clone(),
            },
            _ => self.directory.directory().authority(),
        };
        if self.ca.is_none() && !files.certificate.exists() {
            return Err(Failure::Usage(format!(
                "there is no authority: {} does not exist; make one with `varbind pki init`, or name another one with --ca and \
                 --ca-key",
                files.certificate.display()
            )));
        }
        Ok(Authority::open(&files)?)
    }

    /// Whoever has the certificate also needs the one to trust.
    fn write_trust(&self, authority: &Authority, output: &Directory) -> Result<(), Failure> {
        let files = output.authority();
        let if_exists = if files.certificate.exists() {
            let own = read_certificates(&files.certificate)?;
            if own.first().map(Vec::as_slice) == Some(authority.certificate()) {
                return Ok(());
            }
            self.making.if_exists()
        } else {
            IfExists::Fail
        };
        files.write_trust(authority, if_exists)?;
        tell_written(&files.certificate, "the certificate to trust")
    }
}
