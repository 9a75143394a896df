use std::fmt::{Arguments, Write};

/// An SVG element in the making.
#[derive(Debug)]
pub(super) struct Svg {
    body: String,
    width: f64,
    height: f64,
}

/// Where a text is anchored.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    pub(super) const fn new(width: f64, height: f64) -> Self {
        Self {
            body: String::new(),
            width,
            height,
        }
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        self.push(format_args!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" class=\"{class}\"/>",
            from.0, from.1, to.0, to.1
        ));
    }

    /// `title` is shown when the pointer rests on it.
    pub(super) fn rectangle(&mut self, at: (f64, f64), size: (f64, f64), class: &str, title: &str) {
        self.push(format_args!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" class=\"{class}\"><title>{}</title></rect>",
            at.0,
            at.1,
            size.0.max(0.5),
            size.1,
            escape(title)
        ));
    }

    pub(super) fn circle(&mut self, at: (f64, f64), radius: f64, class: &str) {
        self.push(format_args!(
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius}\" class=\"{class}\"/>",
            at.0, at.1
        ));
    }

    pub(super) fn polyline(&mut self, points: &[(f64, f64)], class: &str, title: &str) {
        let mut path = String::new();
        for (x, y) in points {
            put(&mut path, format_args!("{x:.1},{y:.1} "));
        }
        self.push(format_args!(
            "<polyline points=\"{}\" class=\"{class}\"><title>{}</title></polyline>",
            path.trim_end(),
            escape(title)
        ));
    }

    /// Many dots as one path: far smaller than a circle each.
    pub(super) fn dots(&mut self, points: &[(f64, f64)], class: &str) {
        let mut path = String::new();
        for (x, y) in points {
            put(&mut path, format_args!("M{x:.1} {y:.1}h0"));
        }
        self.push(format_args!("<path d=\"{path}\" class=\"{class}\"/>"));
    }

    pub(super) fn text(&mut self, at: (f64, f64), anchor: Anchor, class: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.push(format_args!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" class=\"{class}\">{}</text>",
            at.0,
            at.1,
            escape(text)
        ));
    }

    /// The whole element; `label` says what it shows to those who cannot see it.
    pub(super) fn finish(self, label: &str) -> String {
        format!(
            "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">{}</svg>",
            self.width,
            self.height,
            escape(label),
            self.body
        )
    }

    fn push(&mut self, arguments: Arguments<'_>) {
        put(&mut self.body, arguments);
    }
}

fn put(text: &mut String, arguments: Arguments<'_>) {
    // Writing to a string cannot fail.
    let _written = text.write_fmt(arguments);
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
