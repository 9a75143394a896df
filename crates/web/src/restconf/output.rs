use crate::schema;
use crate::value::Form;
use crate::xml::escape;

/// How data is written (RFC 8040 section 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Json,
    Xml,
}

impl Encoding {
    pub(crate) const fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/yang-data+json",
            Self::Xml => "application/yang-data+xml",
        }
    }

    /// The encoding that a media type means.
    pub(crate) fn of_media_type(name: &str) -> Option<Self> {
        match name {
            "application/yang-data+json" | "application/json" => Some(Self::Json),
            "application/yang-data+xml" | "application/xml" | "text/xml" => Some(Self::Xml),
            _ => None,
        }
    }
}

/// The namespace of a module in XML.
pub(crate) fn namespace(module: &str) -> String {
    if module.starts_with("ietf-") {
        format!("urn:ietf:params:xml:ns:yang:{module}")
    } else {
        schema::namespace(module)
    }
}

/// The name of a node; its module is written where it differs from the module of the node around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'n> {
    pub(crate) module: Option<&'n str>,
    pub(crate) name: &'n str,
}

impl<'n> Name<'n> {
    pub(crate) const fn plain(name: &'n str) -> Self {
        Self { module: None, name }
    }

    pub(crate) const fn of(module: &'n str, name: &'n str) -> Self {
        Self {
            module: Some(module),
            name,
        }
    }

    /// The name of a node of `module` within one of `parent`.
    pub(crate) fn within(parent: Option<&str>, module: &'n str, name: &'n str) -> Self {
        if parent == Some(module) {
            Self::plain(name)
        } else {
            Self::of(module, name)
        }
    }
}

/// Data nodes, written one behind the other as they are read.
#[derive(Debug)]
pub(crate) struct Output {
    encoding: Encoding,
    octets: Vec<u8>,
    /// Whether something is before the next member, in JSON.
    follows: bool,
}

/// A place to go back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    length: usize,
    follows: bool,
}

impl Output {
    pub(crate) fn new(encoding: Encoding) -> Self {
        let mut octets = Vec::with_capacity(4096);
        if encoding == Encoding::Json {
            octets.push(b'{');
        }
        Self {
            encoding,
            octets,
            follows: false,
        }
    }

    pub(crate) const fn len(&self) -> usize {
        self.octets.len()
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        if self.encoding == Encoding::Json {
            self.octets.push(b'}');
        }
        self.octets
    }

    pub(crate) const fn mark(&self) -> Mark {
        Mark {
            length: self.octets.len(),
            follows: self.follows,
        }
    }

    /// Forgets what was written since.
    pub(crate) fn go_back(&mut self, mark: Mark) {
        self.octets.truncate(mark.length);
        self.follows = mark.follows;
    }

    fn comma(&mut self) {
        if self.follows {
            self.octets.push(b',');
        }
        self.follows = true;
    }

    fn member(&mut self, name: Name<'_>) {
        self.comma();
        self.octets.push(b'"');
        if let Some(module) = name.module {
            self.octets.extend_from_slice(module.as_bytes());
            self.octets.push(b':');
        }
        self.octets.extend_from_slice(name.name.as_bytes());
        self.octets.extend_from_slice(b"\":");
    }

    fn start_tag(&mut self, name: Name<'_>) {
        self.octets.push(b'<');
        self.octets.extend_from_slice(name.name.as_bytes());
        if let Some(module) = name.module {
            self.octets.extend_from_slice(b" xmlns=\"");
            self.octets.extend_from_slice(namespace(module).as_bytes());
            self.octets.push(b'"');
        }
        self.octets.push(b'>');
    }

    fn end_tag(&mut self, name: Name<'_>) {
        self.octets.extend_from_slice(b"</");
        self.octets.extend_from_slice(name.name.as_bytes());
        self.octets.push(b'>');
    }

    pub(crate) fn open(&mut self, name: Name<'_>) {
        match self.encoding {
            Encoding::Json => {
                self.member(name);
                self.octets.push(b'{');
                self.follows = false;
            }
            Encoding::Xml => self.start_tag(name),
        }
    }

    pub(crate) fn close(&mut self, name: Name<'_>) {
        match self.encoding {
            Encoding::Json => {
                self.octets.push(b'}');
                self.follows = true;
            }
            Encoding::Xml => self.end_tag(name),
        }
    }

    pub(crate) fn open_list(&mut self, name: Name<'_>) {
        if self.encoding == Encoding::Json {
            self.member(name);
            self.octets.push(b'[');
            self.follows = false;
        }
    }

    pub(crate) fn close_list(&mut self) {
        if self.encoding == Encoding::Json {
            self.octets.push(b']');
            self.follows = true;
        }
    }

    pub(crate) fn open_entry(&mut self, name: Name<'_>) {
        match self.encoding {
            Encoding::Json => {
                self.comma();
                self.octets.push(b'{');
                self.follows = false;
            }
            Encoding::Xml => self.start_tag(name),
        }
    }

    pub(crate) fn close_entry(&mut self, name: Name<'_>) {
        self.close(name);
    }

    pub(crate) fn leaf(&mut self, name: Name<'_>, text: &str, form: Form) {
        match self.encoding {
            Encoding::Json => {
                self.member(name);
                self.scalar(text, form);
            }
            Encoding::Xml => {
                self.start_tag(name);
                escape(text, &mut self.octets);
                self.end_tag(name);
            }
        }
    }

    pub(crate) fn leaf_list(&mut self, name: Name<'_>, texts: &[String]) {
        self.open_list(name);
        for text in texts {
            match self.encoding {
                Encoding::Json => {
                    self.comma();
                    self.scalar(text, Form::String);
                }
                Encoding::Xml => self.leaf(name, text, Form::String),
            }
        }
        self.close_list();
    }

    fn scalar(&mut self, text: &str, form: Form) {
        match form {
            Form::Number => self.octets.extend_from_slice(text.as_bytes()),
            Form::String => write_json_string(text, &mut self.octets),
        }
    }
}

/// Appends a string of JSON (RFC 8259 section 7).
fn write_json_string(text: &str, octets: &mut Vec<u8>) {
    octets.push(b'"');
    for character in text.chars() {
        match character {
            '"' => octets.extend_from_slice(b"\\\""),
            '\\' => octets.extend_from_slice(b"\\\\"),
            '\0'..='\u{1f}' => {
                let escaped = format!("\\u{:04x}", u32::from(character));
                octets.extend_from_slice(escaped.as_bytes());
            }
            _ => octets.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    octets.push(b'"');
}
