//! A page that needs no network: style, plots and the library that draws them are inside.

use std::io::{self, Write};

use serde::Serialize;

const STYLE: &str = include_str!("style.css");
const PLOTS: &str = include_str!("plots.js");
/// Apache ECharts: see vendor/echarts.
const LIBRARY: &str = include_str!("../../../../vendor/echarts/echarts.min.js");

/// Writes a page with this body, whose plots are drawn from the data.
pub(crate) fn write_page(
    title: &str,
    data: &impl Serialize,
    output: &mut dyn Write,
    body: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    write!(
        output,
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <link rel=\"icon\" href=\"data:,\"><title>{}</title><style>{STYLE}</style></head><body><main>",
        escape(title)
    )?;
    body(output)?;
    // No `<` may end the element before its time.
    let data = serde_json::to_string(data).map_err(io::Error::from)?;
    let data = data.replace('<', "\\u003c");
    writeln!(
        output,
        "</main><script type=\"application/json\" id=\"results\">{data}</script>\
         <script>{LIBRARY}</script><script>{PLOTS}</script></body></html>"
    )
}

/// The place of a plot, which the script fills: of an experiment in the data, what was measured or what was published.
#[derive(Clone, Copy)]
pub(crate) struct PlotPlace<'a> {
    pub(crate) study: &'a str,
    pub(crate) experiment: &'a str,
    pub(crate) whose: &'a str,
    pub(crate) heading: &'a str,
    /// What it shows, for those who do not see it.
    pub(crate) label: &'a str,
    pub(crate) caption: &'a str,
}

impl PlotPlace<'_> {
    pub(crate) fn write(&self, output: &mut dyn Write) -> io::Result<()> {
        let caption = match self.caption {
            "" => String::new(),
            text => format!("<figcaption>{}</figcaption>", with_code(text)),
        };
        writeln!(
            output,
            "<figure><h4>{}</h4><div class=\"legend\"></div><div class=\"plot\" role=\"img\" aria-label=\"{}\" data-study=\"{}\" data-experiment=\"{}\" \
             data-whose=\"{}\"></div>{caption}</figure>",
            with_code(self.heading),
            escape(self.label),
            self.study,
            escape(self.experiment),
            self.whose
        )
    }
}

/// Text that is safe between tags and in attributes.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// The same, not for attributes: what is between backquotes is code.
pub(crate) fn with_code(text: &str) -> String {
    let parts = escape(text);
    let parts = parts.split('`').enumerate();
    let parts = parts.map(|(at, part)| match at % 2 {
        1 => format!("<code>{part}</code>"),
        _ => part.to_owned(),
    });
    parts.collect()
}
