//! The tools at hand on every page: the palette, the keys, a page's acts, and a new version of the app.

mod acts;
mod keys;
mod notices;
mod palette;
mod places;
mod sheet;
mod side;
mod singles;
mod spaces;
mod state;
mod update;
mod watched;

pub use acts::Act;
pub use notices::Notices;
pub use palette::Palette;
pub use places::{Place, Places};
pub use sheet::Sheet;
pub use side::Side;
pub use state::{Shell, use_acts};
pub use update::{Update, UpdateNote};
pub use watched::tell_watched;
