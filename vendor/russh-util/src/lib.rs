pub mod runtime;
pub mod time;
