//! Parses dates and times with `strftime` patterns, as snmp_exporter's library does.

/// A pattern with known directives only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DateTimePattern(Vec<Item>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    Literal(u8),
    Field(Field),
    /// One or more spaces.
    Spaces,
    /// A number that may be padded with a space.
    Padding,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Year,
    ShortYear,
    Century,
    Month,
    LongMonth,
    ShortMonth,
    LongWeekday,
    ShortWeekday,
    Weekday,
    Day,
    DayOfYear,
    Hour,
    Hour12,
    Afternoon,
    Minute,
    Second,
    Unix,
    Fraction,
    Zone,
    Offset,
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];
/// The number of letters of abbreviated months and weekdays.
const SHORT: usize = 3;

/// Directives that abbreviate others.
const COMPOSED: [(u8, &str); 9] = [
    (b'c', "%a %b %e %H:%M:%S %Y"),
    (b'+', "%a %b %e %H:%M:%S %Z %Y"),
    (b'v', "%e-%b-%Y"),
    (b'r', "%I:%M:%S %p"),
    (b'F', "%Y-%m-%d"),
    (b'D', "%m/%d/%y"),
    (b'x', "%m/%d/%y"),
    (b'T', "%H:%M:%S"),
    (b'X', "%H:%M:%S"),
];

impl DateTimePattern {
    /// Parses a pattern.
    pub(super) fn new(text: &str) -> Result<Self, &'static str> {
        let mut items = Vec::new();
        compile(text, &mut items)?;
        Ok(Self(items))
    }

    /// Unix time of a text; `None` if it does not match the pattern.
    pub(crate) fn parse(&self, text: &str) -> Option<i64> {
        let mut reader = Reader(text.as_bytes());
        let mut moment = Moment::default();
        for item in &self.0 {
            match item {
                Item::Literal(octet) => reader.literal(*octet)?,
                Item::Spaces => reader.spaces()?,
                Item::Padding => drop(reader.literal(b' ')),
                Item::Field(field) => moment.read(*field, &mut reader)?,
            }
        }
        reader.0.is_empty().then(|| moment.unix())
    }
}

fn compile(text: &str, items: &mut Vec<Item>) -> Result<(), &'static str> {
    let mut octets = text.bytes();
    while let Some(octet) = octets.next() {
        if octet != b'%' {
            items.push(Item::Literal(octet));
            continue;
        }
        let directive = octets.next().ok_or("it ends with %")?;
        if let Some((_, composed)) = COMPOSED.iter().find(|(letter, _)| *letter == directive) {
            compile(composed, items)?;
            continue;
        }
        if matches!(directive, b'e' | b'k' | b'l') {
            items.push(Item::Padding);
        }
        items.push(Item::Field(match directive {
            b'Y' => Field::Year,
            b'y' => Field::ShortYear,
            b'C' => Field::Century,
            b'm' => Field::Month,
            b'B' => Field::LongMonth,
            b'b' | b'h' => Field::ShortMonth,
            b'A' => Field::LongWeekday,
            b'a' => Field::ShortWeekday,
            b'w' | b'u' => Field::Weekday,
            b'd' | b'e' => Field::Day,
            b'j' => Field::DayOfYear,
            b'H' | b'k' => Field::Hour,
            b'I' | b'l' => Field::Hour12,
            b'p' | b'P' => Field::Afternoon,
            b'M' => Field::Minute,
            b'S' => Field::Second,
            b's' => Field::Unix,
            b'f' => Field::Fraction,
            b'Z' => Field::Zone,
            b'z' => Field::Offset,
            b'R' => {
                compile("%H:%M", items)?;
                continue;
            }
            b't' | b'n' => {
                items.push(Item::Spaces);
                continue;
            }
            b'%' => {
                items.push(Item::Literal(b'%'));
                continue;
            }
            b'G' | b'g' | b'V' | b'U' | b'W' => return Err("weeks of a year are not supported"),
            _ => return Err("it has a directive that is not known"),
        }));
    }
    Ok(())
}

/// The rest of a text.
struct Reader<'t>(&'t [u8]);

impl Reader<'_> {
    fn literal(&mut self, octet: u8) -> Option<()> {
        self.0 = self.0.strip_prefix(&[octet])?;
        Some(())
    }

    fn spaces(&mut self) -> Option<()> {
        let is_space = |octet: &u8| octet.is_ascii_whitespace() || *octet == 0x0b;
        let spaces = self.0.iter().take_while(|octet| is_space(octet)).count();
        self.0 = self.0.get(spaces..)?;
        (spaces > 0).then_some(())
    }

    /// A number with a maximum of digits, within a range.
    fn number(&mut self, digits: usize, range: std::ops::RangeInclusive<i64>) -> Option<i64> {
        let is_digit = |octet: &&u8| octet.is_ascii_digit();
        let count = self.0.iter().take(digits).take_while(is_digit).count();
        let (number, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        let number = std::str::from_utf8(number).ok()?.parse().ok()?;
        range.contains(&number).then_some(number)
    }

    fn two_digits(&mut self, range: std::ops::RangeInclusive<i64>) -> Option<i64> {
        let before = self.0.len();
        let number = self.number(2, range)?;
        (before - self.0.len() == 2).then_some(number)
    }

    /// The number of the word that follows, from 1, ignoring case.
    fn word(&mut self, words: &[&str], letters: usize) -> Option<i64> {
        for (word, number) in words.iter().zip(1..) {
            let word = word.get(..letters).unwrap_or(word).as_bytes();
            if let Some((found, rest)) = self.0.split_at_checked(word.len())
                && found.eq_ignore_ascii_case(word)
            {
                self.0 = rest;
                return Some(number);
            }
        }
        None
    }

    fn is_negative(&mut self) -> bool {
        self.literal(b'-').is_some()
    }
}

/// The fields of a date and time that were parsed so far.
#[derive(Debug)]
struct Moment {
    year: i64,
    century: Option<i64>,
    month: i64,
    day: Option<i64>,
    day_of_year: Option<i64>,
    hour: i64,
    is_afternoon: bool,
    minute: i64,
    second: i64,
    /// Seconds east of Greenwich.
    offset: i64,
}

impl Default for Moment {
    fn default() -> Self {
        Self {
            year: 1900,
            century: None,
            month: 1,
            day: None,
            day_of_year: None,
            hour: 0,
            is_afternoon: false,
            minute: 0,
            second: 0,
            offset: 0,
        }
    }
}

impl Moment {
    fn read(&mut self, field: Field, reader: &mut Reader<'_>) -> Option<()> {
        match field {
            Field::Year => {
                let is_negative = reader.is_negative();
                let year = reader.number(4, 0..=9999)?;
                self.year = if is_negative { -year } else { year };
            }
            Field::ShortYear => {
                let year = reader.number(2, 0..=99)?;
                self.year = year + if year < 69 { 2000 } else { 1900 };
            }
            Field::Century => self.century = Some(reader.number(2, 0..=99)?),
            Field::Month => self.month = reader.number(2, 1..=12)?,
            Field::LongMonth => self.month = reader.word(&MONTHS, usize::MAX)?,
            Field::ShortMonth => self.month = reader.word(&MONTHS, SHORT)?,
            Field::LongWeekday => drop(reader.word(&WEEKDAYS, usize::MAX)?),
            Field::ShortWeekday => drop(reader.word(&WEEKDAYS, SHORT)?),
            Field::Weekday => drop(reader.number(1, 0..=7)?),
            Field::Day => self.day = Some(reader.number(2, 1..=31)?),
            Field::DayOfYear => self.day_of_year = Some(reader.number(3, 1..=366)?),
            Field::Hour => self.hour = reader.number(2, 0..=23)?,
            Field::Hour12 => self.hour = reader.number(2, 1..=12)? % 12,
            Field::Afternoon => self.is_afternoon = reader.word(&["AM", "PM"], 2)? == 2,
            Field::Minute => self.minute = reader.number(2, 0..=59)?,
            Field::Second => self.second = reader.number(2, 0..=60)?,
            Field::Unix => {
                let is_negative = reader.is_negative();
                let unix = reader.number(18, 0..=i64::MAX)?;
                self.take_unix(if is_negative { -unix } else { unix });
            }
            Field::Fraction => drop(reader.number(6, 0..=999_999)?),
            Field::Zone => {
                let is_letter = |octet: &&u8| octet.is_ascii_uppercase();
                let letters = reader.0.iter().take_while(is_letter).count();
                reader.0 = reader.0.get(letters..)?;
                // Abbreviations are ambiguous; Go reads unknown ones as UTC.
                (3..=5).contains(&letters).then_some(())?;
            }
            Field::Offset => self.read_offset(reader)?,
        }
        Some(())
    }

    fn read_offset(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        if reader.literal(b'Z').is_some() {
            self.offset = 0;
            return Some(());
        }
        let is_west = reader.is_negative();
        if !is_west {
            reader.literal(b'+')?;
        }
        let hours = reader.two_digits(0..=23)?;
        let _ = reader.literal(b':');
        let minutes = match reader.0.first() {
            Some(octet) if octet.is_ascii_digit() => reader.two_digits(0..=59)?,
            _ => 0,
        };
        let offset = (hours * 60 + minutes) * 60;
        self.offset = if is_west { -offset } else { offset };
        Some(())
    }

    fn take_unix(&mut self, unix: i64) {
        let (days, seconds) = (unix.div_euclid(86_400), unix.rem_euclid(86_400));
        self.year = 1970;
        self.month = 1;
        self.day = Some(days + 1);
        self.hour = seconds / 3600;
        self.minute = seconds / 60 % 60;
        self.second = seconds % 60;
    }

    fn unix(&self) -> i64 {
        let hour = self.hour + if self.is_afternoon { 12 } else { 0 };
        let year = self.century.map_or(self.year, |century| {
            century * 100 + self.year.rem_euclid(100)
        });
        let (month, day) = match (self.day, self.day_of_year) {
            (None, Some(day)) => (1, day),
            (day, _) => (self.month, day.unwrap_or(1)),
        };
        let date = Date { year, month, day };
        date.unix(hour, self.minute, self.second) - self.offset
    }
}

/// A date of the proleptic Gregorian calendar. Months and days out of range carry over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Date {
    pub(crate) year: i64,
    pub(crate) month: i64,
    pub(crate) day: i64,
}

impl Date {
    /// Unix time of a time of that day, in UTC.
    pub(crate) const fn unix(self, hour: i64, minute: i64, second: i64) -> i64 {
        self.days() * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// Days since 1970-01-01. Years begin in March, so that a leap day comes last.
    const fn days(self) -> i64 {
        let months = self.year * 12 + self.month - 3;
        let (year, month) = (months.div_euclid(12), months.rem_euclid(12));
        let days_before_month = (153 * month + 2) / 5;
        let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        year * 365 + leap_days + days_before_month + self.day - 1 - 719_468
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(pattern: &str, text: &str) -> Option<i64> {
        DateTimePattern::new(pattern).unwrap().parse(text)
    }

    #[test]
    fn texts_are_read_by_patterns() {
        for (pattern, text, unix) in [
            ("%b %d %Y", "Apr 01 2025", 1_743_465_600),
            (
                "%a %b %d %H:%M:%S %Y",
                "Tue Feb 29 12:34:56 2000",
                951_827_696,
            ),
            (
                "%Y-%m-%dT%H:%M:%S%z",
                "2024-03-31T01:02:03+02:00",
                1_711_839_723,
            ),
            ("%F %T", "1970-01-01 00:00:00", 0),
            ("%D %R", "12/31/69 23:59", -60),
            ("%c", "Sat Jan  2 03:04:05 2021", 1_609_556_645),
            ("%I:%M %p %d.%m.%y", "12:30 AM 01.01.24", 1_704_069_000),
            ("%s", "1700000000", 1_700_000_000),
            ("%Y %j", "2023 365", 1_703_980_800),
            ("%d %B %Y %H:%M %Z", "5 may 2023 06:07 UTC", 1_683_266_820),
            ("100%%%t%Y", "100%  1971", 31_536_000),
        ] {
            assert_eq!(parse(pattern, text), Some(unix), "{pattern} {text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for (pattern, text) in [
            ("%b %d %Y", ""),
            ("%b %d %Y", "Foo 01 2025"),
            ("%b %d %Y", "Apr 01 2025 "),
            ("%H:%M", "24:00"),
            ("%m", "13"),
            ("%Y", "n/a"),
            ("%z", "+2"),
        ] {
            assert_eq!(parse(pattern, text), None, "{pattern} {text}");
        }
        assert!(DateTimePattern::new("%Y %").is_err());
        assert!(DateTimePattern::new("%Q").is_err());
    }

    #[test]
    fn months_and_days_count_on() {
        let date = |year, month, day| Date { year, month, day }.unix(0, 0, 0);
        assert_eq!(date(2023, 13, 1), date(2024, 1, 1));
        assert_eq!(date(2023, 0, 1), date(2022, 12, 1));
        assert_eq!(date(2024, 3, 0), date(2024, 2, 29));
    }
}
