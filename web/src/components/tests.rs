//! The shared pieces in a browser: what a person does with them, and what a screen reader is told.

use super::{
    BarChart, ChartFrame, Column, DataTable, LineChart, Mark, Plotted, Popover, Segmented, Series,
    Sorted, Tabs, Unit,
};
use leptos::prelude::*;
use leptos::task::tick;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{Element, HtmlElement, KeyboardEvent, KeyboardEventInit};

wasm_bindgen_test_configure!(run_in_browser);

/// Draws `view` in a fresh part of the page; it is removed with what is returned.
struct Drawn {
    root: HtmlElement,
    _held: Box<dyn std::any::Any>,
}

impl Drawn {
    fn new<V: IntoView + 'static>(view: impl FnOnce() -> V + 'static) -> Self
    where
        V::State: 'static,
    {
        let root: HtmlElement = document()
            .create_element("div")
            .expect("an element")
            .unchecked_into();
        document()
            .body()
            .expect("a body")
            .append_child(&root)
            .expect("it is put there");
        let held = leptos::mount::mount_to(root.clone(), view);
        Self {
            root,
            _held: Box::new(held),
        }
    }

    fn one(&self, selector: &str) -> HtmlElement {
        let found = self.root.query_selector(selector).expect("a selector");
        found
            .unwrap_or_else(|| panic!("{selector} is not in {}", self.root.inner_text()))
            .unchecked_into()
    }

    fn has(&self, selector: &str) -> bool {
        self.root
            .query_selector(selector)
            .expect("a selector")
            .is_some()
    }

    fn texts(&self, selector: &str) -> Vec<String> {
        let found = self.root.query_selector_all(selector).expect("a selector");
        (0..found.length())
            .filter_map(|at| found.get(at)?.text_content())
            .collect()
    }
}

impl Drop for Drawn {
    fn drop(&mut self) {
        self.root.remove();
    }
}

fn press(element: &Element, key: &str) {
    let init = KeyboardEventInit::new();
    init.set_key(key);
    init.set_bubbles(true);
    init.set_cancelable(true);
    let event =
        KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init).expect("an event");
    element.dispatch_event(&event).expect("it is heard");
}

/// Waits until a change is drawn, once the reactive graph has run, and focus is set, after the next frame.
async fn settle() {
    tick().await;
    let framed = js_sys::Promise::new(&mut |resolve, _| {
        request_animation_frame(move || {
            let _ = resolve.call0(&wasm_bindgen::JsValue::NULL);
        });
    });
    let _ = wasm_bindgen_futures::JsFuture::from(framed).await;
    tick().await;
}

type Row = (&'static str, Option<f64>);

fn table(rows: RwSignal<Vec<Row>>) -> impl IntoView {
    let columns = vec![
        Column::new("Name", |row: &Row| row.0.into_any()).wide(),
        Column::new("Score", |row: &Row| row.1.map(|n| n.to_string()).into_any())
            .num()
            .by(|row: &Row| row.1),
    ];
    view! { <DataTable caption="Scores" columns rows sorted=Sorted { column: 1, down: true } none="No score." testid="scores"/> }
}

#[wasm_bindgen_test]
async fn a_table_sorts_by_its_columns_and_says_how() {
    let rows = RwSignal::new(vec![("a", Some(1.0)), ("b", None), ("c", Some(3.0))]);
    let drawn = Drawn::new(move || table(rows));
    settle().await;
    let names = || drawn.texts("tbody th");
    assert_eq!(names(), ["c", "a", "b"]);
    assert_eq!(
        drawn
            .one("th[aria-sort]")
            .get_attribute("aria-sort")
            .as_deref(),
        Some("descending")
    );
    drawn.one(".sort").click();
    settle().await;
    assert_eq!(names(), ["b", "a", "c"]);
    assert_eq!(
        drawn
            .one("th[aria-sort]")
            .get_attribute("aria-sort")
            .as_deref(),
        Some("ascending")
    );
    // Newer rows come in the order that was chosen.
    rows.set(vec![("x", Some(9.0)), ("y", Some(2.0))]);
    settle().await;
    assert_eq!(names(), ["y", "x"]);
    rows.set(Vec::new());
    settle().await;
    assert!(drawn.root.inner_text().contains("No score."));
}

fn plotted() -> Plotted {
    Plotted {
        labels: ["1 Nov", "2 Nov", "3 Nov"].map(str::to_owned).to_vec(),
        series: vec![Series {
            name: "with lessons".into(),
            tone: "c1",
            values: vec![Some(0.5), None, Some(0.75)],
            range: vec![Some((0.4, 0.6)), None, Some((0.6, 0.9))],
            of: vec![20, 0, 40],
            ..Series::default()
        }],
        marks: vec![Mark {
            at: 2,
            label: "2 lessons added".into(),
        }],
    }
}

#[wasm_bindgen_test]
async fn a_chart_is_read_by_keyboard() {
    let drawn = Drawn::new(|| {
        view! { <LineChart caption="Success" plotted=Signal::stored(plotted()) unit=Unit::Share/> }
    });
    settle().await;
    let plot = drawn.one("[data-testid=plot]");
    assert_eq!(plot.get_attribute("aria-label").as_deref(), Some("Success"));
    assert!(!drawn.has("[data-testid=plot-tip]"));
    press(&plot, "End");
    settle().await;
    let spoken = || {
        drawn
            .one("[role=status]")
            .text_content()
            .unwrap_or_default()
    };
    assert_eq!(
        spoken(),
        "3 Nov: with lessons 75% (60%–90%) of 40, 2 lessons added "
    );
    assert!(
        drawn
            .one("[data-testid=plot-tip]")
            .inner_text()
            .contains("75%")
    );
    press(&plot, "ArrowLeft");
    settle().await;
    assert_eq!(spoken(), "2 Nov: with lessons –");
    press(&plot, "Escape");
    settle().await;
    assert!(!drawn.has("[data-testid=plot-tip]"));
    // The gap is no line: two strokes, each begun anew.
    let d = drawn
        .one("path.plot-line")
        .get_attribute("d")
        .unwrap_or_default();
    assert_eq!(d.matches('M').count(), 2, "{d}");
}

#[wasm_bindgen_test]
async fn columns_stand_on_each_other_within_the_axis() {
    let counts = Plotted {
        labels: vec!["Mon".into(), "Tue".into()],
        series: [("success", "c1", [3.0, 0.0]), ("failure", "c3", [1.0, 2.0])]
            .map(|(name, tone, values)| Series {
                name: name.into(),
                tone,
                values: values.map(Some).to_vec(),
                ..Series::default()
            })
            .to_vec(),
        marks: Vec::new(),
    };
    let drawn = Drawn::new(move || {
        view! { <BarChart caption="Runs" plotted=Signal::stored(counts) unit=Unit::Count/> }
    });
    settle().await;
    let rects = drawn.root.query_selector_all("rect").expect("a selector");
    let of = |at: u32, name: &str| {
        let rect: Element = rects.get(at).expect("a column").unchecked_into();
        rect.get_attribute(name).unwrap_or_default()
    };
    assert_eq!(rects.length(), 3, "nothing is drawn for none");
    // Three and one of four: the whole height.
    assert_eq!(
        (of(0, "y"), of(0, "height")),
        ("25".to_owned(), "75".to_owned())
    );
    assert_eq!(
        (of(1, "y"), of(1, "height")),
        ("0".to_owned(), "25".to_owned())
    );
    assert_eq!(
        drawn.texts(".plot-end").first().map(String::as_str),
        Some("0")
    );
}

#[wasm_bindgen_test]
async fn a_chart_shows_its_numbers_as_a_table() {
    let numbers = plotted().numbers("Up to", Unit::Share);
    let drawn = Drawn::new(move || {
        view! {
            <ChartFrame id="success" title="Success" numbers=Signal::stored(numbers)>
                <p id="drawing">"drawing"</p>
            </ChartFrame>
        }
    });
    settle().await;
    assert!(drawn.has("#drawing"));
    let button = drawn.one("[data-testid=success-table]");
    button.click();
    settle().await;
    assert_eq!(
        button.get_attribute("aria-pressed").as_deref(),
        Some("true")
    );
    assert!(!drawn.has("#drawing"));
    assert_eq!(
        drawn.texts("tbody tr:last-child > *"),
        ["3 Nov", "75%", "60%", "90%", "40"]
    );
    button.click();
    settle().await;
    assert!(drawn.has("#drawing"));
}

#[wasm_bindgen_test]
async fn tabs_are_walked_by_arrow_keys() {
    let value = RwSignal::new(1);
    let drawn = Drawn::new(move || {
        view! {
            <Tabs id="by" label="By" options=vec![(1, "One"), (2, "Two"), (3, "Three")] value/>
            <div role="tabpanel" id="by-panel"></div>
        }
    });
    settle().await;
    let list = drawn.one("[role=tablist]");
    press(&list, "ArrowRight");
    settle().await;
    assert_eq!(value.get_untracked(), 2);
    assert_eq!(
        document()
            .active_element()
            .map(|element| element.id())
            .as_deref(),
        Some("by-tab-1")
    );
    press(&list, "ArrowLeft");
    press(&list, "ArrowLeft");
    settle().await;
    assert_eq!(value.get_untracked(), 3, "before the first comes the last");
    assert_eq!(drawn.texts("[aria-selected=true]"), ["Three"]);
    assert_eq!(
        drawn.texts("[tabindex='0']"),
        ["Three"],
        "one stop of the Tab key"
    );
}

#[wasm_bindgen_test]
async fn one_of_a_few_is_chosen() {
    let value = RwSignal::new(7);
    let drawn = Drawn::new(move || {
        view! { <Segmented label="Days" options=vec![(7, "7d"), (30, "30d")] value testid="days"/> }
    });
    settle().await;
    drawn.one("[data-testid=days-30d]").click();
    settle().await;
    assert_eq!(value.get_untracked(), 30);
    assert_eq!(drawn.texts("[aria-pressed=true]"), ["30d"]);
}

#[wasm_bindgen_test]
async fn what_opens_below_a_button_closes_by_escape_and_elsewhere() {
    let open = RwSignal::new(false);
    let drawn = Drawn::new(move || {
        view! {
            <Popover id="filter" label="Filter" open><button type="button" id="inside">"Inside"</button></Popover>
            <button type="button" id="outside">"Outside"</button>
        }
    });
    settle().await;
    let button = drawn.one("#filter-button");
    button.click();
    settle().await;
    assert_eq!(
        button.get_attribute("aria-expanded").as_deref(),
        Some("true")
    );
    press(&drawn.one("#inside"), "Escape");
    settle().await;
    assert!(!drawn.has("#inside"));
    assert_eq!(
        document()
            .active_element()
            .map(|element| element.id())
            .as_deref(),
        Some("filter-button")
    );
    button.click();
    settle().await;
    let down = |element: &HtmlElement| {
        let init = web_sys::EventInit::new();
        init.set_bubbles(true);
        let event =
            web_sys::Event::new_with_event_init_dict("pointerdown", &init).expect("an event");
        element.dispatch_event(&event).expect("it is heard");
    };
    down(&drawn.one("#inside"));
    settle().await;
    assert!(open.get_untracked(), "a press inside leaves it open");
    down(&drawn.one("#outside"));
    settle().await;
    assert!(!open.get_untracked());
}
