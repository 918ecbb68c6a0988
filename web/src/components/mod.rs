//! Pieces that several pages share.

mod badge;
mod charts;
mod copy;
mod decay;
mod dialog;
mod explain;
mod field;
mod notice;
mod prose;
mod reason;
mod steps;
mod toast;
mod versus;

pub use badge::{BadgeChip, RelevanceChip, TrustChip};
pub use charts::{Band, Bands, Columns, Funnel, FunnelStep};
pub use copy::CopyButton;
pub use decay::{DecayCurve, DecaySpark};
pub use dialog::Dialog;
pub use explain::Explain;
pub use field::{Area, Choice, Pick, TextField};
pub use notice::{Empty, ErrorNote, Loading, Page};
pub use prose::Prose;
pub use reason::ReasonDialog;
pub use steps::{Step, StepChart};
pub use toast::{ToastList, Toasts, use_toasts};
pub use versus::Versus;
