//! Certificates: a small authority, and what is in files.

mod fingerprint;
mod init;
mod issue;
mod renew;
mod revoke;
mod show;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use varbind_pki::{Directory, IfExists, KeyType};
use varbind_terminal::Failure;

const AFTER: &str = "\
Whoever has a certificate that is revoked is refused where crl.pem is copied to.";

#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make an authority: its key, and the certificate that others are to trust
    Init(init::Arguments),
    /// Make a key and a certificate for an agent or a manager
    Issue(issue::Arguments),
    /// Make new certificates in place of those whose end is near
    Renew(renew::Arguments),
    /// Take back certificates: list them for those who trust the authority
    Revoke(revoke::Arguments),
    /// Tell what is in certificates, what names agents can make of them, and what is wrong with them
    Show(show::Arguments),
    /// Tell the fingerprint of a certificate
    Fingerprint(fingerprint::Arguments),
}

impl Arguments {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match &self.action {
            Action::Init(arguments) => arguments.run(),
            Action::Issue(arguments) => arguments.run(),
            Action::Renew(arguments) => arguments.run(),
            Action::Revoke(arguments) => arguments.run(),
            Action::Show(arguments) => arguments.run(),
            Action::Fingerprint(arguments) => arguments.run(),
        }
    }
}

/// How keys and certificates are made.
#[derive(Args, Debug)]
struct MakingArguments {
    /// Key: ecdsa-p256, rsa-2048, rsa-3072, rsa-4096 or ed25519
    #[arg(long, value_name = "TYPE", default_value_t = KeyType::EcdsaP256)]
    key_type: KeyType,

    /// Overwrite files that exist
    #[arg(long)]
    force: bool,
}

impl MakingArguments {
    const fn if_exists(&self) -> IfExists {
        if self.force {
            IfExists::Overwrite
        } else {
            IfExists::Fail
        }
    }
}

/// Where certificates and keys are.
#[derive(Args, Debug)]
struct DirectoryArgument {
    /// Directory of the authority [default: /etc/varbind/pki for root, else ~/.config/varbind/pki]
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
}

impl DirectoryArgument {
    fn directory(&self) -> Directory {
        match &self.directory {
            Some(path) => Directory::new(path),
            None => Directory::of_user(),
        }
    }
}

/// Tells what was written.
fn print_written(path: &Path, what: &str) -> Result<(), Failure> {
    writeln!(std::io::stdout(), "{}: {what}", path.display())?;
    Ok(())
}
