//! A page that needs no network: style and plots are inside.

mod figures;
mod page;
mod sections;
mod session_figures;

pub use page::write_html;
