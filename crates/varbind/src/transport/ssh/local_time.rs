//! Times of day in the time zone of this host.

#![expect(unsafe_code, reason = "the C library alone knows the time zone")]

/// Seconds since 1970 of a date and time, given in the time zone of this host.
pub(crate) fn seconds(
    year: i32,
    month: i32,
    day: i32,
    hour: i32,
    minute: i32,
    second: i32,
) -> Option<i64> {
    // SAFETY: a `tm` of zeros is a valid one; its pointer to the name of a zone is only written by the call.
    let mut time: libc::tm = unsafe { std::mem::zeroed() };
    time.tm_year = year.checked_sub(1900)?;
    time.tm_mon = month - 1;
    time.tm_mday = day;
    time.tm_hour = hour;
    time.tm_min = minute;
    time.tm_sec = second;
    // Whether it is summer time is to be found out.
    time.tm_isdst = -1;
    // SAFETY: `time` may be read and written.
    let seconds = unsafe { libc::mktime(&raw mut time) };
    #[allow(
        clippy::useless_conversion,
        reason = "time_t has 32 bits on some processors"
    )]
    let seconds = i64::from(seconds);
    (seconds != -1).then_some(seconds)
}
