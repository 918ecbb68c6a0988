//! The archive's file as people have it, and what lift gains on one that is made like it.
#![allow(dead_code, reason = "the bench uses the rest of these files")]
#![allow(
    clippy::disallowed_methods,
    reason = "figures of one machine, held against wide bounds"
)]

#[path = "benches/learn/archive.rs"]
mod archive;
#[path = "benches/learn/dice.rs"]
mod dice;
#[path = "benches/learn/upworthy.rs"]
mod upworthy;

// Other clones that share a target folder build their own: the paths below are this one's.
const _: Option<&str> = option_env!("LESSONLOOP_ROOT");

use archive::{Headline, parse, read};
use dice::Dice;
use std::path::Path;
use upworthy::{fitting, gain};

#[test]
fn a_file_that_is_not_there_or_too_small_is_named() {
    let folder = std::env::temp_dir();
    let missing = folder.join("no such archive.csv");
    let error = upworthy::measure(&missing).unwrap_err();
    assert!(error.contains("no such archive.csv"), "{error}");
    let file = folder.join(format!("archive-{}.csv", std::process::id()));
    std::fs::write(
        &file,
        "test_id,headline,impressions,clicks\na,One,3000,30\n",
    )
    .unwrap();
    let error = upworthy::measure(&file).unwrap_err();
    std::fs::remove_file(&file).unwrap();
    assert!(
        error.contains("0 headlines have 400 views or more beside another of their test"),
        "{error}"
    );
}

#[test]
fn variants_of_the_file_are_read() {
    let plain =
        "test_id,headline,impressions,clicks\na,One,3000,30\na,Two,3100,50\nb,Three,4000,0\n";
    let wanted = parse(plain).unwrap();
    assert_eq!(wanted.len(), 3);
    assert_eq!(
        (wanted[1].test, wanted[1].views, wanted[1].clicks),
        (0, 3_100, 50)
    );
    for same in [
        // As the archive has it: an unnamed first column, others between, headlines with all that CSV can hold.
        "\u{feff},created_at,clickability_test_id,headline,eyecatcher_id,impressions,clicks,winner\r\n\
         0,2014,a,\"One, or \"\"more\"\"?\",x,3000,30,FALSE\r\n\
         1,2014,a,\"Two\r\nlines\",x,3100,50,TRUE\r\n\
         2,2014,b,5\" is enough,x,4000,0,FALSE",
        "Clicks, Impressions ,Test_ID,HEADLINE\r30.0,3000,a,One\r50,3100.0,a,Two\r\r0,4000,b,Three\r",
        // One headline with other pictures, also where rows of others lie between.
        "test_id,headline,impressions,clicks,eyecatcher_id\na,One,1000,10,p\na,Two,3100,50,p\na, One ,2000,20,q\nb,Three,4000,0,p\n",
        "test_id,impressions,clicks,headline\na,3000,30,\na,3100,50,\"\"\nc,0,0,never shown\nb,4000,0,x\n,,,\n",
    ] {
        let read = parse(same).unwrap();
        let counts = |all: &[Headline]| {
            all.iter()
                .map(|one| (one.views, one.clicks))
                .collect::<Vec<_>>()
        };
        assert_eq!(counts(&read), counts(&wanted), "{same}");
        assert!(read[0].test == read[1].test && read[1].test != read[2].test);
    }
}

#[test]
fn what_is_wrong_is_named() {
    for (text, said) in [
        ("", "empty"),
        (
            "id,headline,impressions,clicks\n",
            "no column test_id; it has id, headline, impressions, clicks",
        ),
        ("test_id;headline;impressions;clicks\n", "no column test_id"),
        ("test_id,impressions,clicks\n", "no column headline"),
        ("test_id,headline,impressions\n", "no column clicks"),
        (
            "test_id,headline,impressions,clicks\na,One,3000\n",
            "line 2 has 3 fields, the header 4",
        ),
        (
            "test_id,headline,impressions,clicks\n\na,One,many,3\n",
            "line 3: impressions is `many`",
        ),
        (
            "test_id,headline,impressions,clicks\na,One,3000,-3\n",
            "line 2: clicks is `-3`",
        ),
        (
            "test_id,headline,impressions,clicks\na,One,3000,2.5\n",
            "line 2: clicks is `2.5`",
        ),
        (
            "test_id,headline,impressions,clicks\na,One,30,31\n",
            "line 2: 31 clicks of 30 impressions",
        ),
        (
            "test_id,headline,impressions,clicks\n,One,30,3\n",
            "line 2: test_id is empty",
        ),
        (
            "test_id,headline,impressions,clicks\na,\"One,30,3\n",
            "quote of line 2 is never closed",
        ),
        (
            "test_id,headline,impressions,clicks\na,One,4294967295,3\na,One,1,0\n",
            "line 3: the headline has more than 4294967295 views",
        ),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(said), "{text}: {error}");
    }
}

/// A small archive, made up: 24 situations of one plain, one better and one worse headline with two pictures each, rates
/// from 2 % to 8 %, headlines that matter in the third with the lowest; a test of pictures alone, a headline with too few views, and one that was never shown.
#[test]
fn pictures_are_put_together_and_arms_that_leave_no_truth_are_left_out() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/archive_made_up.csv");
    let all = read(&file).unwrap();
    assert_eq!(all.len(), 24 * 3 + 2, "a headline is one arm of its test");
    // The first has pictures of 1,585 and 1,525 views.
    assert_eq!((all[0].views, all[0].clicks), (3_110, 62));
    for views in [200, 1_000] {
        let kept = fitting(&all, views);
        assert_eq!(kept.len(), 24 * 3, "{views}");
        assert!(kept.iter().all(|one| one.views >= 2 * views));
    }
    // At 1,700 views some headlines have too few left to be measured on, and leave others alone in their test.
    let kept = fitting(&all, 1_700);
    assert!(kept.len() < 24 * 3 && kept.iter().all(|one| one.views >= 3_400));
    for one in &kept {
        assert!(kept.iter().filter(|other| other.test == one.test).count() > 1);
    }
    let gained = upworthy::measure(&file).unwrap();
    assert_eq!(
        gained.iter().map(|one| one.views).collect::<Vec<_>>(),
        [200, 1_000]
    );
    let of = |name: &str| {
        gained[1]
            .arms
            .iter()
            .find(|(arm, _)| *arm == name)
            .unwrap()
            .1
    };
    // The raw rate picks the situations that are clicked anyway, the worse headlines of theirs among them.
    assert!(of("lift") > of("raw rate") + 0.005, "{gained:?}");
    assert!(of("oracle") >= of("lift"), "{gained:?}");
}

/// A made-up archive whose rates vary as the real one's do: 89 % between tests, each headline's rate a factor of its
/// test's.
fn made_up() -> Vec<Headline> {
    let mut dice = Dice::new(4);
    let mut headlines = Vec::new();
    let normal = |dice: &mut Dice| (0..12).map(|_| dice.unit()).sum::<f64>() - 6.0;
    for test in 0..3_771 {
        let mean = 0.0124 * (0.62 * normal(&mut dice)).exp();
        for _ in 0..2 + dice.below(5) {
            let rate = mean * (0.21 * normal(&mut dice)).exp();
            let views = 3_000 + dice.below(3_000) as u32;
            let clicks = (0..views).filter(|_| dice.chance(rate)).count() as u32;
            headlines.push(Headline {
                test,
                views,
                clicks,
            });
        }
    }
    headlines
}

#[test]
fn lift_gains_far_more_than_raw_rates() {
    let gained = gain(&made_up(), 1_000);
    let of = |name: &str| gained.arms.iter().find(|(arm, _)| *arm == name).unwrap().1;
    let (raw, lift) = (of("raw rate"), of("lift"));
    assert!(lift >= 1.8 * raw, "{gained:?}");
    assert!(
        lift >= 0.95 * of("rate minus the test's mean"),
        "{gained:?}"
    );
    assert!(of("oracle") > lift, "{gained:?}");
}
