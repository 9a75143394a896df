use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use varbind::transport::certificate::CertificateDescription;
use varbind_agent::configuration_for_other_host;
use varbind_pki::{
    Authority, Directory, Identity, IdentityFiles, IfExists, Subject, Validity, create_directory,
    read_certificates, write_public,
};
use varbind_terminal::Failure;

use super::{DirectoryArgument, MakingArguments, print_written};

#[derive(Args, Debug)]
pub(super) struct Arguments {
    #[command(subcommand)]
    whom: Whom,
}

#[derive(Debug, Subcommand)]
enum Whom {
    /// For an agent: its host names and addresses, as managers write them
    #[command(after_help = FOR_OTHER_HOST)]
    Agent {
        /// Host name or address
        #[arg(value_name = "HOST", required = true)]
        hosts: Vec<String>,

        /// Name of the manager that may read and write, for agent.toml [default: that of manager.pem]
        #[arg(long, value_name = "NAME", requires = "output")]
        administrator: Option<String>,

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

const FOR_OTHER_HOST: &str = "\
With --output DIR, DIR has all that the agent of another host needs, and nothing private of anybody else:
  agent.toml            a configuration that admits the administrator
  pki/agent.pem         the agent's certificate, pki/agent-key.pem its key
  pki/agent-chain.pem   the certificate with all above it, for peers that pin certificates
  pki/ca.pem            the certificate to trust
Copy it to /etc/varbind there (scp -r DIR/. root@HOST:/etc/varbind/), and start `varbind agent`.";

#[derive(Args, Debug)]
struct IssueArguments {
    #[command(flatten)]
    directory: DirectoryArgument,

    /// Directory to write into, with the certificate to trust, to copy to another host [default: the authority's]
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
            Whom::Agent {
                hosts,
                administrator,
                issue,
            } => {
                let subject = Subject::agent(hosts)?;
                match &issue.output {
                    Some(output) => {
                        issue.for_other_host(&subject, output, administrator.as_deref())
                    }
                    None => {
                        let directory = issue.directory.directory();
                        let files = directory.agent();
                        issue.issue(&subject, &directory, &files, "agent")?;
                        Ok(())
                    }
                }
            }
            Whom::Manager { name, issue } => {
                let directory = match &issue.output {
                    Some(path) => Directory::new(path),
                    None => issue.directory.directory(),
                };
                let files = directory.manager();
                issue.issue(&Subject::manager(name)?, &directory, &files, "manager")?;
                Ok(())
            }
        }
    }
}

impl IssueArguments {
    fn issue(
        &self,
        subject: &Subject,
        directory: &Directory,
        files: &IdentityFiles,
        role: &str,
    ) -> Result<(Authority, Identity), Failure> {
        let authority = self.authority()?;
        create_directory(directory.path())?;
        let validity = Validity::days(self.days);
        let identity = authority.issue(subject, self.making.key_type, validity)?;
        files.write(&identity, self.making.if_exists())?;
        let name = subject.common_name();
        print_written(&files.key, &format!("the key of the {role} {name}"))?;
        print_written(&files.certificate, "its certificate")?;
        self.write_trust(&authority, directory)?;
        Ok((authority, identity))
    }

    /// Writes what the directory /etc/varbind of another host needs.
    fn for_other_host(
        &self,
        subject: &Subject,
        output: &Path,
        administrator: Option<&str>,
    ) -> Result<(), Failure> {
        let administrator = match administrator {
            Some(name) => name.to_owned(),
            None => self.manager_name()?,
        };
        let directory = Directory::new(output.join("pki"));
        let (authority, identity) = self.issue(subject, &directory, &directory.agent(), "agent")?;
        let if_exists = self.making.if_exists();
        let chain = directory.agent_chain();
        authority.write_chain(&identity, &chain, if_exists)?;
        print_written(&chain, "its certificate with all above it")?;
        let configuration = output.join("agent.toml");
        let text = configuration_for_other_host(&administrator);
        write_public(&configuration, text.as_bytes(), if_exists)?;
        print_written(
            &configuration,
            &format!("a configuration that admits the administrator {administrator}"),
        )
    }

    /// The common name in the certificate manager.pem beside the authority's.
    fn manager_name(&self) -> Result<String, Failure> {
        let file = self.directory.directory().manager().certificate;
        let unknown = |problem: &str| {
            Failure::Usage(format!(
                "{}: {problem}; name the manager that the agent admits with --administrator NAME, or make its certificate \
                 first with `varbind pki issue manager NAME`",
                file.display()
            ))
        };
        if !file.exists() {
            return Err(unknown("there is no manager certificate"));
        }
        let certificates = read_certificates(&file)?;
        let own = certificates.first().map_or(&[][..], Vec::as_slice);
        let description = CertificateDescription::read(own).ok();
        description
            .and_then(|description| description.common_name)
            .ok_or_else(|| unknown("the certificate has no common name"))
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

    /// The holder of the certificate also needs the trusted authority.
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
        print_written(&files.certificate, "the certificate to trust")
    }
}
