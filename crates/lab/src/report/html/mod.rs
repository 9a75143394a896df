//! A page that needs no network: style and plots are inside.

mod figures;
mod page;
mod sections;

pub use page::write_html;
