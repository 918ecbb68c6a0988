//! Routing: a method and a path to the row of [`lesson_types::ENDPOINTS`] that they mean.

use crate::http::fault::clip;
use crate::http::path::parse;
use crate::http::validate;
use lesson_types::{
    ApiError, ENDPOINTS, Embeds, Endpoint, EndpointName, ErrorCode, Field, FieldType, Method,
    endpoints,
};
use serde_json::{Map, Value};

const METHODS: [Method; 3] = [Method::Get, Method::Post, Method::Patch];

/// A request's row, with what its path says.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// Its row.
    pub endpoint: &'static Endpoint,
    /// The parts of the path that the request fills, by name.
    parts: Vec<(&'static str, String)>,
    query: Map<String, Value>,
}

impl Route {
    /// True if it is the route of this endpoint.
    pub fn is(&self, name: EndpointName) -> bool {
        self.endpoint.name == name
    }

    /// True if a text of the request is compared with lessons by its meaning.
    pub fn embeds(&self) -> bool {
        match self.endpoint.embeds {
            Embeds::Never => false,
            Embeds::Always => true,
            Embeds::With(parameter) => self.query.contains_key(parameter),
        }
    }

    /// A part of the path, as the handler takes it.
    pub(crate) fn part<'a, T: Part<'a>>(&'a self, name: &str) -> Result<T, ApiError> {
        let held = self.parts.iter().find(|(held, _)| *held == name);
        T::read(held.map_or("", |(_, text)| text))
    }

    /// A part of the path as text, where the path has it.
    pub(crate) fn text_part(&self, name: &str) -> Option<String> {
        let held = self.parts.iter().find(|(held, _)| *held == name)?;
        Some(held.1.clone())
    }

    /// The query parameters.
    pub(crate) fn query<T: serde::de::DeserializeOwned>(&self) -> Result<T, ApiError> {
        validate::read(Value::Object(self.query.clone()))
    }
}

/// Type that a part of a path is read as.
pub(crate) trait Part<'a>: Sized {
    fn read(text: &'a str) -> Result<Self, ApiError>;
}

impl<'a> Part<'a> for &'a str {
    fn read(text: &'a str) -> Result<Self, ApiError> {
        Ok(text)
    }
}

impl Part<'_> for u32 {
    fn read(text: &str) -> Result<Self, ApiError> {
        revision(text)
    }
}

/// The request that a method and a path mean.
pub fn route(method: Method, path: &str) -> Result<Route, ApiError> {
    let target = parse(path)?;
    let rows = rows(&target.segments);
    let Some((endpoint, parts)) = rows
        .iter()
        .filter(|(row, _)| row.method == method)
        // `/v1/lessons/merge` is one of its own, `merge` no slug.
        .min_by_key(|(_, parts)| parts.len())
    else {
        return Err(match methods_of(&rows).as_slice() {
            [] => unknown(path),
            allowed => wrong_method(path, allowed, method.as_str()),
        });
    };
    let query = match endpoint.query {
        Some(_) => fields(endpoint.parameters, target.query)?,
        None => no_query(&target.query)?,
    };
    let route = Route {
        endpoint,
        parts: parts
            .iter()
            .map(|(name, text)| (*name, (*text).to_owned()))
            .collect(),
        query,
    };
    check_query(&route)?;
    for (name, text) in parts {
        match *name {
            "slug" => validate::slug("slug", text)?,
            "rev" => drop(revision(text)?),
            _ => {}
        }
    }
    Ok(route)
}

/// The parts of a path that a request fills, by name.
type Parts<'a> = Vec<(&'static str, &'a str)>;

/// The rows whose path this is, with its parts.
fn rows(segments: &[String]) -> Vec<(&'static Endpoint, Parts<'_>)> {
    ENDPOINTS
        .iter()
        .filter_map(|row| Some((row, matched(row.path, segments)?)))
        .collect()
}

/// The parts of a path, where it has the form of `template`.
fn matched<'a>(template: &'static str, segments: &'a [String]) -> Option<Parts<'a>> {
    let mut wanted = template.split('/').skip(1);
    let mut parts = Parts::new();
    for segment in segments {
        let wanted = wanted.next()?;
        match wanted
            .strip_prefix('{')
            .and_then(|name| name.strip_suffix('}'))
        {
            Some(name) => parts.push((name, segment)),
            None if wanted == segment => {}
            None => return None,
        }
    }
    wanted.next().is_none().then_some(parts)
}

macro_rules! check_queries {
    ($(
        $(#[doc = $summary:literal])+
        $name:ident: $method:ident $path:literal
        $(, path $($part:ident)+)? $(, query $query:ident)? $(, body $body:ident)? $(, answer $answer:ident)?,
        from $from:ident { $($field:tt)* } $(about { $($about:tt)* })?;
    )*) => {
        /// Refuses query parameters that are none of the row's type, before anything is waited for.
        fn check_query(route: &Route) -> Result<(), ApiError> {
            match route.endpoint.name {
                $($(EndpointName::$name => route.query::<lesson_types::$query>().map(drop),)?)*
                _ => Ok(()),
            }
        }
    };
}

endpoints!(check_queries);

fn unknown(path: &str) -> ApiError {
    ApiError::new(
        ErrorCode::NotFound,
        format!(
            "there is no `{}`; paths begin with /v1, such as /v1/recommend or /v1/lessons",
            clip(path)
        ),
    )
    .at("path")
}

/// The refusal of a method that a path does not take.
pub fn wrong_method(path: &str, allowed: &[Method], given: &str) -> ApiError {
    let names: Vec<&str> = allowed.iter().map(|method| method.as_str()).collect();
    ApiError::new(
        ErrorCode::MethodNotAllowed,
        format!(
            "`{}` takes {}, not {}",
            clip(path),
            names.join(" or "),
            clip(given)
        ),
    )
    .at("method")
}

/// The methods that a path takes; none where there is no such path, all where it can't be read.
pub fn methods(path: &str) -> Vec<Method> {
    match parse(path) {
        Ok(target) => methods_of(&rows(&target.segments)),
        Err(_) => METHODS.to_vec(),
    }
}

fn methods_of(rows: &[(&'static Endpoint, Parts<'_>)]) -> Vec<Method> {
    let mut all = METHODS.to_vec();
    all.retain(|method| rows.iter().any(|(row, _)| row.method == *method));
    all
}

fn no_query(query: &[(String, String)]) -> Result<Map<String, Value>, ApiError> {
    match query.first() {
        None => Ok(Map::new()),
        Some((name, _)) => Err(ApiError::invalid(
            clip(name),
            format!(
                "this request takes no query parameter; leave `{}` out of the path",
                clip(name)
            ),
        )),
    }
}

fn revision(text: &str) -> Result<u32, ApiError> {
    text.parse().ok().filter(|rev| *rev > 0).ok_or_else(|| {
        ApiError::invalid(
            "rev",
            format!("`{}` is no revision; use a whole number from 1", clip(text)),
        )
    })
}

/// Parameters as fields, each of the kind that the table says. One that is not in it is text, and its type refuses it.
fn fields(table: &[Field], query: Vec<(String, String)>) -> Result<Map<String, Value>, ApiError> {
    let mut fields = Map::new();
    for (name, text) in query {
        let wrong = |wanted: &str| {
            ApiError::invalid(&name, format!("{name} is `{}`; use {wanted}", clip(&text)))
        };
        let known = table.iter().find(|field| field.name == name);
        let value = match known.map(|field| field.of) {
            Some(FieldType::Number) => {
                let number = text.parse::<u32>().map(Value::from);
                number.map_err(|_| wrong("a whole number"))?
            }
            Some(FieldType::Flag) => {
                let flag = text.parse::<bool>().map(Value::from);
                flag.map_err(|_| wrong("true or false"))?
            }
            None
            | Some(FieldType::Word | FieldType::Text(_) | FieldType::Open | FieldType::Fields(_)) => {
                Value::String(text)
            }
        };
        if fields.contains_key(&name) {
            return Err(ApiError::invalid(
                clip(&name),
                format!("`{}` is given twice; give it once", clip(&name)),
            ));
        }
        fields.insert(name, value);
    }
    Ok(fields)
}
