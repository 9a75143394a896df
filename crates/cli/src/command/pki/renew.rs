use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::Args;
use varbind_pki::{Authority, CertificateFile, Summary, Validity, read_revocation_list};
use varbind_terminal::Failure;
use varbind_terminal::messages::report;

use super::DirectoryArgument;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub(super) struct Arguments {
    /// Files of certificates, as router1/pki/agent.pem [default: agent.pem and manager.pem of the directory]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Renew the certificates that end within this number of days
    #[arg(long, value_name = "DAYS", default_value_t = 30)]
    within: u16,

    /// Renew all, whenever they end
    #[arg(long, conflicts_with = "within")]
    all: bool,

    /// Days for which the new certificates are valid
    #[arg(long, default_value_t = 730, value_parser = clap::value_parser!(u16).range(1..))]
    days: u16,

    #[command(flatten)]
    directory: DirectoryArgument,
}

const AFTER: &str = "\
The new certificate has the subject, the names and the key of the former one and takes its place in one step; a file FILE-chain.pem beside
it follows. Agents read it when they reload (SIGHUP, systemctl reload varbind-agent), managers at their next command.
Certificates that are revoked or of another authority are refused. Exit code 1 if a certificate could not be renewed.";

impl Arguments {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let directory = self.directory.directory();
        let files = directory.authority();
        if !files.certificate.exists() {
            return Err(Failure::Usage(format!(
                "no authority: {} does not exist; give its directory with --directory",
                files.certificate.display()
            )));
        }
        let mut certificates = self.files.clone();
        if certificates.is_empty() {
            let usual = [directory.agent(), directory.manager()].map(|files| files.certificate);
            certificates.extend(usual.into_iter().filter(|file| file.exists()));
        }
        if certificates.is_empty() {
            return Err(Failure::Usage(format!(
                "there is no certificate to renew in {}: name files",
                directory.path().display()
            )));
        }
        let authority = Authority::open(&files)?;
        let list = directory.revocation_list();
        let revoked = match list.exists() {
            true => Some(read_revocation_list(&list)?),
            false => None,
        };
        warn_of_authority(&authority);
        let mut outcome = Ok(());
        for file in &certificates {
            if let Err(error) = self.renew(file, &authority, revoked.as_deref()) {
                // The others are renewed all the same.
                error.report();
                outcome = Err(error.already_reported());
            }
        }
        outcome
    }

    fn renew(
        &self,
        file: &Path,
        authority: &Authority,
        revoked: Option<&[u8]>,
    ) -> Result<(), Failure> {
        let former = CertificateFile::read(file)?;
        let is_due = self.all || former.ends_within(DAY * u32::from(self.within));
        let (now, what) = match is_due {
            true => (
                former.renew(authority, revoked, Validity::days(self.days))?,
                "renewed",
            ),
            false => (former, "left alone"),
        };
        let end = Summary::of(now.certificate(), SystemTime::now())
            .map_or_else(|problem| problem, |summary| summary.not_after);
        writeln!(
            std::io::stdout(),
            "{}: {what}, valid until {end}",
            file.display()
        )?;
        Ok(())
    }
}

/// No certificate outlives its authority.
fn warn_of_authority(authority: &Authority) {
    let left = authority.not_after().duration_since(SystemTime::now());
    let left = left.unwrap_or_default();
    if left < DAY * 90 {
        report(format_args!(
            "warning: the authority's own certificate ends in {} days, and so do those that it renews: make another authority with varbind \
             pki init in another directory",
            left.as_secs() / DAY.as_secs()
        ));
    }
}
