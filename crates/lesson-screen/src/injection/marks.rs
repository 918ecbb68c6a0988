//! Things in a text that are no words: a numeric address of the network, a wallet, an address of mail, a
//! file of secrets. Rules speak of them by these names.

/// A numeric address that is not of this machine or a private network.
const ADDRESS: &str = "numericaddress";
const WALLET: &str = "walletaddress";
const MAIL: &str = "mailaddress";
/// A file of variables such as `.env` or `.env.local`.
const VARIABLES: &str = "envfile";
/// The longest of them, in bytes.
const LONGEST: usize = 128;

/// Where each begins in a plain text, and its name. Costs time linear in the text.
pub(super) fn marks(plain: &str) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    let mut at = 0;
    for part in plain.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || "._-@+".contains(c)))
    {
        let word = part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let begin = word.len() - word.trim_start_matches(['.', '_', '-', '@', '+']).len();
        let is_variables = word == ".env"
            || word
                .strip_prefix(".env.")
                .is_some_and(|kind| !matches!(kind, "example" | "sample" | "template" | "test"));
        if let Some(name) = is_variables
            .then_some(VARIABLES)
            .or_else(|| name(&word[begin..]))
        {
            found.push((at + begin, name));
        }
        at += part.len();
    }
    found
}

fn name(word: &str) -> Option<&'static str> {
    if word.len() < 6 || word.len() > LONGEST {
        return None;
    }
    if is_public(word) {
        return Some(ADDRESS);
    }
    let hex = word.strip_prefix("0x");
    if hex.is_some_and(|hex| hex.len() >= 38 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
        || word.starts_with("bc1")
            && word.len() >= 26
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
    {
        return Some(WALLET);
    }
    let (user, host) = word.split_once('@')?;
    (!user.is_empty() && host.contains('.') && !host.contains('@')).then_some(MAIL)
}

/// True if a word is an IPv4 address of the public network.
fn is_public(word: &str) -> bool {
    word.parse::<std::net::Ipv4Addr>().is_ok_and(|address| {
        let apart = address.is_private()
            || address.is_loopback()
            || address.is_link_local()
            || address.is_unspecified()
            || address.is_broadcast()
            || address.is_multicast();
        // Resolvers that everybody knows.
        let known = matches!(
            address.octets(),
            [8, 8, 8 | 4, 8 | 4] | [1, 1 | 0, 1 | 0, 1] | [9, 9, 9, 9]
        );
        !apart && !known
    })
}
