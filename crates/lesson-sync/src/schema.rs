//! The version of the server's schema, and the words for a server of another one.

/// The version of `supabase/migrations` that is needed, as `lessonloop.schema_version()` tells it: 1.
pub const SCHEMA_VERSION: u32 = 1;

/// Remedy for a server whose functions are not those of this version.
pub(crate) const MIGRATE: &str = "It needs version 1 of the schema: apply all files of supabase/migrations to the project, in the order of their names; if it has them, reload the page.";

/// Beginning of the message about a server that lacks a function.
pub(crate) const LACKS: &str = "The project lacks a function of Lessonloop";

/// The words for a server that tells this version of its schema, which is older; 0 where it tells none.
pub(crate) fn older(version: u32) -> String {
    match version {
        0 => "The server's schema is of Lessonloop 0.1.0-pre, which is not upgraded: empty its database or begin a new project, and apply all files of supabase/migrations there.".to_owned(),
        _ => format!("The server has version {version} of the schema. {MIGRATE}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{MIGRATE, SCHEMA_VERSION};

    // Other clones that share a target folder build their own: the path below is this one's.
    const _: Option<&str> = option_env!("LESSONLOOP_ROOT");

    #[test]
    fn the_words_name_the_version_that_the_migrations_have() {
        assert!(MIGRATE.contains(&format!("version {SCHEMA_VERSION} of the schema")));
        let first = std::fs::read_dir(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../supabase/migrations"
        ))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .min()
        .unwrap();
        let sql = std::fs::read_to_string(first).unwrap();
        let function = sql
            .split("function lessonloop.schema_version()")
            .nth(1)
            .unwrap();
        let version = function
            .split("select")
            .nth(1)
            .unwrap()
            .split_whitespace()
            .next();
        assert_eq!(version, Some(&*SCHEMA_VERSION.to_string()));
    }
}
