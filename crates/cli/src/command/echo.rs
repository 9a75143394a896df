use varbind_lab::subject::serve_echo;

use crate::failure::Failure;

/// How `varbind bench` asks for it.
pub(crate) const NAME: &str = "echo";

pub(crate) fn run() -> Result<(), Failure> {
    Ok(serve_echo()?)
}
