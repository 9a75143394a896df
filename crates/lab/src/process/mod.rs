//! What a process uses, and on which cores it runs.

mod cpu;
mod cpu_share;
mod listening;
mod load;
mod machine;
mod memory;
mod parent;
mod placement;
mod scheduling;
mod usage;

pub use cpu::{CpuReading, cpu_time};
pub(crate) use cpu_share::remove_shares_of;
pub use cpu_share::{CpuShare, NoCpuShare};
pub use listening::{is_listened_at, listener};
pub use load::ProcessorTime;
pub use machine::{MachineState, MachineWatch, Pace, UsualPace};
pub use memory::pss;
pub use parent::end_with_parent;
pub use placement::{Cores, place, place_in_turns, place_on, run_when_idle, take_turns};
pub(crate) use scheduling::{Policy, set_policy};
pub use usage::{Usage, usage_of};
