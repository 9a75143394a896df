//! The applications of RFC 3413.

pub mod command_generator;
