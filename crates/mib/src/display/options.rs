/// How names are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NameStyle {
    /// `IF-MIB::ifDescr.1` (`-OS`).
    #[default]
    Module,
    /// `ifDescr.1` (`-Os`).
    Suffix,
    /// `.iso.org.dod.internet.mgmt.mib-2.interfaces.ifTable.ifEntry.ifDescr.1` (`-Of`).
    Full,
    /// `.1.3.6.1.2.1.2.2.1.2.1` (`-On`).
    Numeric,
    /// `interfaces.ifTable.ifEntry.ifDescr.1`: full without a usual beginning (`-Ou`).
    Ucd,
}

/// How octet strings without a display hint are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StringStyle {
    /// As text if all of it prints, otherwise in hexadecimal.
    #[default]
    Guess,
    /// As text, with dots for what does not print (`-Oa`).
    Ascii,
    /// In hexadecimal (`-Ox`).
    Hexadecimal,
}

/// How variable bindings are written: the `-O` options of Net-SNMP's tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutputOptions {
    /// How names are written (`f`, `n`, `s`, `S`, `u`).
    pub names: NameStyle,
    /// Without types, and with a space instead of ` = ` (`q`).
    pub quick: bool,
    /// Without types, but with ` = ` (`Q`, which implies `quick`).
    pub quick_with_equals: bool,
    /// Only the values (`v`).
    pub values_only: bool,
    /// Enumerations as numbers (`e`).
    pub numeric_enumerations: bool,
    /// TimeTicks as a number (`t`).
    pub numeric_time_ticks: bool,
    /// Octet strings without a display hint (`a`, `x`).
    pub strings: StringStyle,
    /// Text beside hexadecimal (`T`).
    pub hexadecimal_with_text: bool,
    /// Without units (`U`).
    pub without_units: bool,
    /// Indexes as numbers (`b`).
    pub numeric_indexes: bool,
    /// Indexes in brackets (`X`).
    pub extended_indexes: bool,
    /// With `\` before quotes in names, for shells (`E`).
    pub escape_quotes: bool,
    /// At least two digits for each octet that a display hint writes in hexadecimal (`0`).
    pub two_digit_hexadecimal: bool,
    /// Line breaks in strings as they are, as Net-SNMP writes them (`L`, which Net-SNMP does not have).
    pub line_breaks: bool,
    /// Everything on one line: long hexadecimal is not wrapped, and line breaks are escaped in any case.
    pub one_line: bool,
}

impl OutputOptions {
    /// The letters that are known.
    pub const LETTERS: &'static str = "0abeEfLnqQsStTuUvxX";

    /// Reads letters as they stand behind `-O`.
    ///
    /// # Errors
    /// When a letter is unknown.
    ///
    /// ```
    /// use varbind_mib::OutputOptions;
    /// let options = OutputOptions::parse("qn")?;
    /// assert!(options.quick);
    /// assert_eq!(OutputOptions::parse("qZ").map_err(|error| error.letter), Err('Z'));
    /// # Ok::<(), varbind_mib::UnknownOutputOption>(())
    /// ```
    pub fn parse(letters: &str) -> Result<Self, UnknownOutputOption> {
        let mut options = Self::default();
        options.apply(letters)?;
        Ok(options)
    }

    /// Adds letters to what was chosen before; of letters that exclude each other the last one counts.
    ///
    /// # Errors
    /// When a letter is unknown.
    pub fn apply(&mut self, letters: &str) -> Result<(), UnknownOutputOption> {
        for letter in letters.chars() {
            match letter {
                '0' => self.two_digit_hexadecimal = true,
                'a' => self.strings = StringStyle::Ascii,
                'b' => self.numeric_indexes = true,
                'e' => self.numeric_enumerations = true,
                'E' => self.escape_quotes = true,
                'f' => self.names = NameStyle::Full,
                'L' => self.line_breaks = true,
                'n' => self.names = NameStyle::Numeric,
                'q' => self.quick = true,
                'Q' => {
                    self.quick = true;
                    self.quick_with_equals = true;
                }
                's' => self.names = NameStyle::Suffix,
                'S' => self.names = NameStyle::Module,
                't' => self.numeric_time_ticks = true,
                'T' => self.hexadecimal_with_text = true,
                'u' => self.names = NameStyle::Ucd,
                'U' => self.without_units = true,
                'v' => self.values_only = true,
                'x' => self.strings = StringStyle::Hexadecimal,
                'X' => self.extended_indexes = true,
                _ => return Err(UnknownOutputOption { letter }),
            }
        }
        Ok(())
    }
}

/// A letter behind `-O` that is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown output option {:?} behind -O, known are {}", .letter, OutputOptions::LETTERS)]
pub struct UnknownOutputOption {
    /// The letter.
    pub letter: char,
}
