//! What measurements consist of.
//!
//! Latencies and CPU times are in microseconds unless a name says otherwise, memory and traffic in octets.

mod configuration;
mod environment;
mod estimate;
mod session_result;
mod traffic;

pub use configuration::{Mode, Outcome, Placement, TransportKind};
pub use environment::{Environment, SubjectDescription};
pub use estimate::{CpuTime, Estimate};
pub use session_result::{BreakEven, MemoryPoint, MemoryResult, Wire, WireResult};
pub use traffic::Traffic;
