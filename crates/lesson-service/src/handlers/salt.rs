//! Random words that the host draws.

use crate::host::Host;

/// 32 hexadecimal digits: a salt.
pub(crate) fn fresh(host: &impl Host) -> String {
    let mut random = [0; 16];
    host.random(&mut random);
    random.iter().map(|byte| format!("{byte:02x}")).collect()
}
