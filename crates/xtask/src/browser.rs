//! Chromium and its driver, for the tests that need a browser.

use std::path::PathBuf;

use anyhow::Result;

use crate::cache::Cache;
use crate::debian;
use crate::fault::fault;
use crate::run;

const CHROMIUM: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// The browser: `$CHROMIUM`, or the first that is installed.
pub fn chromium(cache: &Cache) -> Result<PathBuf> {
    given("CHROMIUM")
        .or_else(|| run::find(cache, &CHROMIUM))
        .ok_or_else(|| {
            fault(
                "no Chromium here",
                "install Chromium or Chrome, or set CHROMIUM to its path",
            )
        })
}

/// The driver: `$CHROMEDRIVER`, or the first that is installed.
pub fn chromedriver(cache: &Cache) -> Result<PathBuf> {
    given("CHROMEDRIVER")
        .or_else(|| run::find(cache, &["chromedriver"]))
        .ok_or_else(|| {
            fault(
                "no chromedriver here",
                "install the chromedriver of the browser's version, or set CHROMEDRIVER to its path",
            )
        })
}

/// Installs the browser and its driver where the distribution has them.
pub fn ensure(cache: &Cache) -> Result<String> {
    if chromium(cache).is_ok() && chromedriver(cache).is_ok() {
        return Ok("already there".into());
    }
    let installed = debian::install(cache, &["chromium", "chromium-driver"]);
    chromium(cache)?;
    chromedriver(cache)?;
    installed.map(|()| String::new())
}

fn given(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable)
        .map(PathBuf::from)
        .filter(|at| at.is_file())
}
