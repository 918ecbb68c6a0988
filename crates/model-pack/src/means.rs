//! The means of vectors of sentences that say little, each in 25 languages (`data/common.tsv`, a language each row): what the
//! vectors of an encoder's texts have in common, whatever they say.

use lesson_embed::{EmbedError, Model, PackSource, TableKind, write_pack};

use crate::fault::{Fault, Result};

const SENTENCES: &str = include_str!("../data/common.tsv");

/// Puts the means into `source`: of the sentences as texts that are looked for, by language, and as texts that are found. They are
/// embedded with the whole table at four bits, so that they don't depend on which rows are coded.
pub fn add(source: &mut PackSource) -> Result<()> {
    let (table, usage) = (source.table, source.usage.clone());
    source.table = TableKind::Coded {
        plain: source.dims.vocab,
    };
    source.usage.query_means.clear();
    source.usage.passage_mean.clear();
    let pack = write_pack(source).map_err(Fault::new)?;
    (source.table, source.usage) = (table, usage);
    let model = Model::load(pack).map_err(Fault::new)?;
    let rows = SENTENCES.lines().map(|row| row.split('\t').skip(1));
    let mut query_means = Vec::new();
    for row in rows.clone() {
        query_means.extend(mean(row, |text| model.embed_query(text))?);
    }
    source.usage.query_means = query_means;
    source.usage.passage_mean = mean(rows.flatten(), |text| model.embed(text))?;
    Ok(())
}

fn mean<'a>(
    texts: impl Iterator<Item = &'a str>,
    embed: impl Fn(&str) -> std::result::Result<Vec<f32>, EmbedError>,
) -> Result<Vec<f32>> {
    let mut sum: Vec<f32> = Vec::new();
    let mut count = 0.0;
    for text in texts {
        let vector = embed(text).map_err(Fault::new)?;
        sum.resize(vector.len(), 0.0);
        for (sum, v) in sum.iter_mut().zip(vector) {
            *sum += v;
        }
        count += 1.0;
    }
    Ok(sum.into_iter().map(|sum| sum / count).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_says_all_sentences() {
        let mut languages = std::collections::BTreeSet::new();
        for row in SENTENCES.lines() {
            let parts: Vec<&str> = row.split('\t').collect();
            assert_eq!(parts.len(), 9, "{row}");
            assert!(parts.iter().all(|part| !part.trim().is_empty()), "{row}");
            assert!(languages.insert(parts[0]), "{row}");
        }
        assert_eq!(languages.len(), 25);
    }
}
