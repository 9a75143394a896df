use varbind_lab::study::serve_site;

use crate::failure::Failure;

/// How `varbind study` asks for it.
pub(crate) const NAME: &str = "study-site";

pub(crate) fn run() -> Result<(), Failure> {
    Ok(serve_site()?)
}
