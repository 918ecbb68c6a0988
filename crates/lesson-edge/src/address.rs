//! The network by which a client's key look-ups are counted.

use std::net::{IpAddr, Ipv6Addr};

/// Characters of an address that are compared; an IPv6 address has 45 at most.
const LONGEST: usize = 64;

/// The network that one subscriber has: an IPv4 address, or the /64 of an IPv6 address, in which
/// a subscriber may use any address (RFC 6177). A text that is no address is taken as it is, shortened.
pub(crate) fn network(client: &str) -> String {
    match client.trim().parse::<IpAddr>().map(|at| at.to_canonical()) {
        Ok(IpAddr::V4(at)) => at.to_string(),
        Ok(IpAddr::V6(at)) => {
            let [a, b, c, d, ..] = at.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).to_string()
        }
        Err(_) => client.trim().chars().take(LONGEST).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::network;

    #[test]
    fn one_subscriber_is_one_network() {
        for (client, of) in [
            ("192.0.2.7", "192.0.2.7"),
            (" 192.0.2.7 ", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("2001:db8:1:2::9", "2001:db8:1:2::"),
            ("2001:db8:1:3::9", "2001:db8:1:3::"),
            ("", ""),
            ("unix", "unix"),
        ] {
            assert_eq!(network(client), of, "{client}");
        }
        assert_eq!(network(&"x".repeat(10_000)).len(), 64);
    }
}
