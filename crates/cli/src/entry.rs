//! Where the program begins on Linux with the GNU C library, and a function of mathematics that need not come from there.
//!
//! Before `main`, Rust's standard library reads all mappings of the process, to tell an overflow of the main thread's stack
//! from other faults. That takes longer than many a request, and each thread gets a stack for it; an overflow ends the
//! program either way. What else the library does before `main` is done here.
#![expect(
    unsafe_code,
    reason = "the C library enters at a function of this name, and has no safe interface to signals"
)]

use std::ffi::{CStr, c_char, c_int};

/// Enters the program. The standard library takes the arguments from the C library by itself.
#[unsafe(no_mangle)]
extern "C" fn main(_count: c_int, _arguments: *const *const c_char) -> c_int {
    open_standard_files();
    // SAFETY: no other thread runs yet, and ignoring a signal calls nothing.
    unsafe {
        // Who writes to a pipe that nobody reads gets an error, and says so.
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
    }
    // Writes what waits in the standard output.
    std::process::exit(crate::run().into())
}

/// Where the program is started without standard files, none of its own shall take their places.
fn open_standard_files() {
    const NULL_DEVICE: &CStr = c"/dev/null";
    for file in [libc::STDIN_FILENO, libc::STDOUT_FILENO, libc::STDERR_FILENO] {
        // SAFETY: asking for the flags of a file descriptor changes nothing, whether there is one or not.
        let is_open = unsafe { libc::fcntl(file, libc::F_GETFD) } >= 0;
        // SAFETY: the name ends with a zero. The lowest free number is given out, which is this one.
        if !is_open && unsafe { libc::open(NULL_DEVICE.as_ptr(), libc::O_RDWR) } < 0 {
            std::process::abort();
        }
    }
}

/// x to the power of y, for the one caller that there is (statistics in a scheduler of tokio's): otherwise each start would
/// load the system's libm.
#[unsafe(no_mangle)]
extern "C" fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}
