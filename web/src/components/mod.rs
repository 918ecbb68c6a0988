//! Pieces that several pages share.

mod badge;
mod chart;
mod charts;
mod copy;
mod decay;
mod dialog;
mod explain;
mod field;
mod figures;
mod lift;
mod loaded;
mod measured;
mod notice;
mod pick;
mod plot;
mod prose;
mod reason;
mod steps;
mod table;
#[cfg(all(test, target_arch = "wasm32"))]
mod tests;
mod toast;
mod versus;
mod when;

pub use badge::{BadgeChip, EffectChip, RelevanceChip, TrustChip, counted};
pub use chart::{ChartFrame, Mark, Numbers, Plotted, Series, Unit, csv_cell};
pub use charts::{Band, Bands, Funnel, FunnelStep};
pub use copy::CopyButton;
pub use decay::{DecayCurve, DecaySpark};
pub use dialog::Dialog;
pub use explain::Explain;
pub use field::{Area, Choice, Pick, TextField, submit_by_key};
pub use figures::{IntervalBar, Sparkline, points, points_to};
pub use lift::{LiftCell, LiftChip, LiftHero, from_runs, lift_words};
pub use loaded::{Loaded, Skeleton};
pub use measured::MeasuredNote;
pub use notice::{Chip, Empty, ErrorNote, Loading, OnServerNote, Page};
pub use pick::{Popover, Segmented, Tabs};
pub use plot::{BarChart, LineChart};
pub use prose::Prose;
pub use reason::ReasonDialog;
pub use steps::{Step, StepChart};
pub use table::{Column, DataTable, Sorted};
pub use toast::{ToastList, Toasts, use_toasts};
pub use versus::{Edited, Versus};
pub use when::When;
