//! Pieces that several pages share.

mod badge;
mod charts;
mod copy;
mod dialog;
mod field;
mod notice;
mod prose;
mod toast;

pub use badge::{BadgeChip, RelevanceChip, TrustChip};
pub use charts::{Bar, BarList, Columns};
pub use copy::CopyButton;
pub use dialog::Dialog;
pub use field::{Area, Choice, Pick, TextField};
pub use notice::{Empty, ErrorNote, Loading, Page};
pub use prose::Prose;
pub use toast::{ToastList, Toasts, use_toasts};
