//! What an attribute, a property, a class or a style is set to, once or for as long as it is drawn.

use std::borrow::Cow;

/// What something is set to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Not there.
    Absent,
    /// There, without a text of its own.
    On,
    /// There.
    Text(Cow<'static, str>),
}

/// A value, or what tells it.
pub enum Setting {
    /// It stays.
    Fixed(Value),
    /// It follows what is read.
    Living(Box<dyn FnMut() -> Value>),
}

/// What an attribute can be set to.
pub trait IntoSetting {
    /// As a setting.
    fn into_setting(self) -> Setting;
}

impl Setting {
    /// The value now.
    pub fn value(self) -> Value {
        match self {
            Self::Fixed(value) => value,
            Self::Living(mut value) => value(),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(Cow::Owned(text.to_owned()))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<bool> for Value {
    fn from(on: bool) -> Self {
        if on { Self::On } else { Self::Absent }
    }
}

impl IntoSetting for &str {
    fn into_setting(self) -> Setting {
        Setting::Fixed(self.into())
    }
}

impl IntoSetting for String {
    fn into_setting(self) -> Setting {
        Setting::Fixed(self.into())
    }
}

impl IntoSetting for bool {
    fn into_setting(self) -> Setting {
        Setting::Fixed(self.into())
    }
}

impl IntoSetting for u32 {
    fn into_setting(self) -> Setting {
        self.to_string().into_setting()
    }
}

impl IntoSetting for i32 {
    fn into_setting(self) -> Setting {
        self.to_string().into_setting()
    }
}

impl<T: IntoSetting> IntoSetting for Option<T> {
    fn into_setting(self) -> Setting {
        match self {
            Some(value) => value.into_setting(),
            None => Setting::Fixed(Value::Absent),
        }
    }
}

impl<F, T> IntoSetting for F
where
    F: FnMut() -> T + 'static,
    T: IntoSetting,
{
    fn into_setting(mut self) -> Setting {
        Setting::Living(Box::new(move || self().into_setting().value()))
    }
}
