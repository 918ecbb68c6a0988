//! Profiles that code is compiled with.

/// Profile that code is compiled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// For daily work: checks overflow and assertions, and keeps what it compiled in pieces.
    Dev,
    /// To be served on this machine and for suites: behaves as what is shipped, without the wait for its last percents.
    Quick,
    /// For shipping.
    Release,
}

impl Profile {
    /// The name of cargo's folder for it.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Dev => "debug",
            Self::Quick => "quick",
            Self::Release => "release",
        }
    }

    /// Returns cargo's name of it.
    fn name(self) -> &'static str {
        match self {
            Self::Dev => "dev",
            Self::Quick => "quick",
            Self::Release => "release",
        }
    }

    /// Returns the arguments for cargo.
    pub fn for_cargo(self) -> [&'static str; 2] {
        ["--profile", self.name()]
    }

    /// The feature of the module and of the dashboard with which they share what they stand on, and the tests in a browser
    /// share it with both. A release has no need of it and would grow by what others ask for.
    pub fn unified(self) -> Option<&'static str> {
        (self == Self::Quick).then_some("unified")
    }
}
