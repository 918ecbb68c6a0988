//! How code is compiled.

/// How code is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// For daily work: quick to compile, not optimised further.
    Dev,
    /// For shipping.
    Release,
}

impl Profile {
    /// The quick one, or the one for shipping.
    pub fn of(quick: bool) -> Self {
        if quick { Self::Dev } else { Self::Release }
    }

    /// The name of cargo's folder for it.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Dev => "debug",
            Self::Release => "release",
        }
    }

    /// What to tell cargo or trunk.
    pub fn flag(self) -> Option<&'static str> {
        (self == Self::Release).then_some("--release")
    }
}
