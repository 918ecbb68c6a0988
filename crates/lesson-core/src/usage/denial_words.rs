//! Words by which a sentence denies the lesson that it names.

/// Nouns and articles between a governing word and the name: "ignoring the advice of 'x'".
pub(super) const FILLERS: [&str; 17] = [
    "the", "a", "this", "that", "what", "our", "my", "lesson", "lessons", "skill", "skills",
    "warning", "advice", "rule", "guidance", "pattern", "strategy",
];

/// Words that negate what follows them. "not only" and "not just" don't.
pub(super) const NEGATORS: [&str; 9] = [
    "not", "cannot", "never", "nor", "neither", "without", "no", "against", "hardly",
];

/// Governing words that reject the name after them.
pub(super) const REJECTING: [&str; 16] = [
    "despite",
    "notwithstanding",
    "against",
    "unlike",
    "although",
    "though",
    "while",
    "whilst",
    "versus",
    "outside",
    "beyond",
    "beats",
    "beat",
    "trumps",
    "outweighs",
    "supersedes",
];

/// The same, of two words.
pub(super) const REJECTING_PAIRS: [(&str, &str); 29] = [
    ("pass", "on"),
    ("turned", "down"),
    ("turning", "down"),
    ("turn", "down"),
    ("off", "on"),
    ("passed", "on"),
    ("passing", "on"),
    ("passed", "over"),
    ("ruled", "out"),
    ("ruling", "out"),
    ("left", "out"),
    ("leaving", "out"),
    ("set", "aside"),
    ("setting", "aside"),
    ("put", "aside"),
    ("instead", "of"),
    ("spite", "of"),
    ("regardless", "of"),
    ("irrespective", "of"),
    ("defiance", "of"),
    ("violation", "of"),
    ("breach", "of"),
    ("rather", "than"),
    ("contrary", "to"),
    ("opposed", "to"),
    ("counter", "to"),
    ("even", "if"),
    ("conflict", "with"),
    ("contradiction", "to"),
];

/// Beginnings of verbs (and a noun) whose object is rejected.
pub(super) const REJECT_STEMS: [&str; 51] = [
    "ignor",
    "disregard",
    "reject",
    "overrid",
    "overrul",
    "overrod",
    "bypass",
    "dismiss",
    "violat",
    "breach",
    "break",
    "broke",
    "contradict",
    "discount",
    "discard",
    "defy",
    "defied",
    "defies",
    "flout",
    "waiv",
    "abandon",
    "dropp",
    "skip",
    "disagree",
    "doubt",
    "distrust",
    "mistrust",
    "neglect",
    "sidestep",
    "circumvent",
    "oppos",
    "deviat",
    "depart",
    "exception",
    "overlook",
    "forgo",
    "suspend",
    "challeng",
    "refus",
    "disput",
    "replac",
    "swap",
    "supersed",
    "retir",
    "forgot",
    "forget",
    "unaware",
    "postpon",
    "defer",
    "unrelat",
    "orthogonal",
];

/// Verbs whose object is applied, unless they are negated.
pub(super) const APPLY: [&str; 11] = [
    "use", "uses", "used", "using", "let", "letting", "rely", "relies", "relied", "relying",
    "based",
];

/// Beginnings of more of them.
pub(super) const APPLY_STEMS: [&str; 19] = [
    "apply",
    "appli",
    "follow",
    "heed",
    "obey",
    "respect",
    "trust",
    "honour",
    "honor",
    "accept",
    "adopt",
    "implement",
    "invok",
    "consider",
    "need",
    "want",
    "agree",
    "regard",
    "bother",
];

/// Verbs of opinion: "I don't think 'x' applies".
pub(super) const OPINIONS: [&str; 10] = [
    "think",
    "believe",
    "sure",
    "convinced",
    "feel",
    "find",
    "see",
    "say",
    "expect",
    "suppose",
];

/// Prepositions that belong to the verb before them.
pub(super) const PREPOSITIONS: [&str; 9] =
    ["on", "with", "to", "by", "from", "for", "in", "of", "about"];

/// Words that a negation reaches across.
pub(super) const LIGHT: [&str; 48] = [
    "to", "be", "been", "being", "am", "is", "are", "was", "were", "will", "would", "should",
    "have", "has", "had", "do", "did", "does", "can", "could", "may", "must", "i", "we", "they",
    "us", "me", "i'm", "i've", "i'll", "i'd", "we're", "we've", "we'll", "really", "actually",
    "even", "simply", "yet", "longer", "going", "planning", "reason", "point", "intend", "for",
    "in", "ever",
];

/// Cues that begin a phrase of their own, so that a negated auxiliary before them stands alone:
/// "I won't, based on 'x'".
pub(super) const PARTICIPLES: [&str; 4] = ["applying", "using", "following", "based"];

/// Beginnings of verbs that refuse what follows as "to …" or "…ing".
pub(super) const REFUSALS: [&str; 8] = [
    "refus", "declin", "fail", "neglect", "avoid", "stop", "quit", "skip",
];

/// Verbs that can be negated themselves.
pub(super) const AUXILIARIES: [&str; 19] = [
    "is", "are", "was", "were", "has", "have", "had", "does", "do", "did", "will", "would",
    "should", "can", "could", "must", "may", "might", "need",
];

/// Verbs for what a lesson that forbids does not do: "'x' does not allow this" applies it.
pub(super) const FORBIDDEN: [&str; 17] = [
    "let",
    "allow",
    "permit",
    "want",
    "like",
    "support",
    "recommend",
    "advise",
    "approve",
    "endorse",
    "favour",
    "favor",
    "leave",
    "justify",
    "tolerate",
    "encourage",
    "suggest",
];

/// Beginnings of words by which a lesson fits, or would.
pub(super) const FITTING: [&str; 17] = [
    "appl",
    "relevan",
    "fit",
    "hold",
    "help",
    "matter",
    "necessar",
    "need",
    "requir",
    "appropriate",
    "use",
    "followed",
    "valid",
    "right",
    "correct",
    "work",
    "suit",
];

/// Words by which a lesson does not fit: "'x' is outdated".
pub(super) const UNFITTING: [&str; 9] = [
    "irrelevant",
    "inapplicable",
    "outdated",
    "obsolete",
    "wrong",
    "moot",
    "too",
    "overly",
    "overcautious",
];

/// Words that go on in spite of what was said: "I know 'x' but I enter anyway".
pub(super) const ANYWAY: [&str; 4] = ["anyway", "regardless", "nonetheless", "nevertheless"];
