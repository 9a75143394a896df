use std::path::PathBuf;

use clap::Args;
use varbind_pki::{Authority, RevocationReason, Validity, read_certificates, read_revocation_list};
use varbind_terminal::Failure;

use super::{DirectoryArgument, print_written};

const AFTER: &str = "\
The list is crl.pem in the directory of the authority, where commands and agents with that directory find it. Others need a
copy: an agent beside its ca.pem, or where `revocation-lists` of [tls] says. It counts when they have read it: after SIGHUP.";

#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub(super) struct Arguments {
    /// Files with certificates, of which the first is revoked; without files, the list is only renewed
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Why: unspecified, key-compromise, superseded or cessation-of-operation
    #[arg(long, value_name = "REASON", default_value_t)]
    reason: RevocationReason,

    /// Days until the next list is due: from then on, without another one, certificates of the authority are refused
    /// [default: as long as the authority's own certificate is valid]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    days: Option<u16>,

    /// File of the list, with what was revoked before [default: crl.pem in the directory]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    directory: DirectoryArgument,
}

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
        let authority = Authority::open(&files)?;
        let mut certificates = Vec::new();
        for file in &self.files {
            certificates.extend(read_certificates(file)?.into_iter().next());
        }
        let output = match &self.output {
            Some(file) => file.clone(),
            None => directory.revocation_list(),
        };
        let former = match output.exists() {
            true => Some(read_revocation_list(&output)?),
            false => None,
        };
        let validity = self.days.map(Validity::days);
        let list = authority.revoke(former.as_deref(), &certificates, self.reason, validity)?;
        list.write(&output)?;
        let what = match list.entries() {
            1 => "the list of 1 revoked certificate".to_owned(),
            entries => format!("the list of {entries} revoked certificates"),
        };
        print_written(&output, &what)
    }
}
