//! The local stack: what hosted Supabase is to the product, on this machine. PostgreSQL with pgvector, PostgREST, a
//! gateway, and a stand-in for sign-in.

mod gateway;
mod parts;
mod server;
mod sign_in;
mod token;

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread::JoinHandle;

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::cache::{self, Cache};
use crate::fault::{advice, fault};
use crate::run;
use crate::serve::Offer;
use gateway::Gateway;
use parts::Parts;
pub use parts::ensure;
use server::Owner;
pub use server::Server;
use sign_in::{SignIn, User};
use token::TokenKey;

/// SQL for what hosted Supabase has before the first migration.
const BOOTSTRAP: &str = include_str!("bootstrap.sql");

/// The superuser. It is not `postgres`, which is an ordinary role there.
const SUPERUSER: &str = "supabase_admin";

/// Rows that REST answers with at most, as on hosted Supabase.
const MAX_ROWS: u32 = 1000;

/// Users who may sign in.
const SAMPLE_USERS: [&str; 2] = ["ada@lessonloop.test", "ben@lessonloop.test"];

/// Lifetime of the data.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Data {
    /// It stays for the next start.
    Kept,
    /// It starts empty and is removed at the end.
    Fresh,
}

/// A running stack; it ends when this is dropped, or with the process.
pub struct Stack {
    /// Where clients connect.
    pub url: String,
    /// The publishable key.
    pub key: String,
    tokens: TokenKey,
    secrets: Secrets,
    database: u16,
    psql: PathBuf,
    gateway: JoinHandle<()>,
    // Dropped in this order: first who asks, then who answers, then the data.
    _postgrest: Server,
    _postgres: Server,
    folder: Folder,
    _lock: Option<std::fs::File>,
}

/// Where the data is. It is removed last, if at all.
struct Folder {
    at: PathBuf,
    data: Data,
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.data == Data::Fresh {
            let _ = std::fs::remove_dir_all(&self.at);
        }
    }
}

impl Stack {
    /// Brings everything up, with all migrations applied.
    pub fn start(cache: &Cache, data: Data, port: Option<u16>) -> Result<Self> {
        let owner = Owner::find(cache)?;
        let (parts, home) = parts::open(cache)?;
        let (folder, lock) = folder(&home, data)?;
        let secrets = Secrets::of(&folder.at)?;
        let at = folder.at.join("postgres");
        if !at.join("PG_VERSION").exists() {
            make_database(cache, &parts, owner, &folder.at, &at, &secrets)?;
        }

        let database = free_port()?;
        let mut arguments = vec!["-D".to_owned(), at.display().to_string()];
        let settings = [
            format!("port={database}"),
            "listen_addresses=127.0.0.1".into(),
            "unix_socket_directories=".into(),
            // Data that is thrown away need not survive the machine's own end, only the server's.
            format!("fsync={}", if data == Data::Kept { "on" } else { "off" }),
        ];
        for setting in settings {
            arguments.extend(["-c".to_owned(), setting]);
        }
        let postgres = Server::start(
            "PostgreSQL",
            owner.program(cache, Path::new("sh"))?,
            "INT",
            &parts.postgres("postgres"),
            &arguments,
            folder.at.join("postgres.log"),
        )?;
        let psql = parts.postgres("psql");
        let ask = |user: &str| -> Result<Command> {
            let mut command = run::program(cache, &psql)?;
            command.envs(connection(database, user, &secrets)).args([
                "-X",
                "-q",
                "-A",
                "-t",
                "-v",
                "ON_ERROR_STOP=1",
            ]);
            Ok(command)
        };
        postgres.wait(|| {
            ask(SUPERUSER).is_ok_and(|mut psql| {
                psql.args(["-c", "select 1"]);
                run::answer(psql).is_some()
            })
        })?;
        migrate(cache, &folder.at, &secrets, &ask)?;

        let tokens = TokenKey::of(&secrets.tokens)?;
        let rest = free_port()?;
        let mut base = owner.program(cache, Path::new("sh"))?;
        base.envs([
            (
                "PGRST_DB_URI",
                format!(
                    "postgres://authenticator:{}@127.0.0.1:{database}/postgres",
                    secrets.database
                ),
            ),
            ("PGRST_DB_SCHEMAS", "public".into()),
            ("PGRST_DB_EXTRA_SEARCH_PATH", "public, extensions".into()),
            ("PGRST_DB_ANON_ROLE", "anon".into()),
            ("PGRST_DB_MAX_ROWS", MAX_ROWS.to_string()),
            ("PGRST_DB_POOL", "16".into()),
            ("PGRST_JWT_SECRET", secrets.key_set(&tokens)),
            ("PGRST_SERVER_HOST", "127.0.0.1".into()),
            ("PGRST_SERVER_PORT", rest.to_string()),
        ]);
        let postgrest = Server::start(
            "PostgREST",
            base,
            "TERM",
            &parts.postgrest(),
            &[],
            folder.at.join("postgrest.log"),
        )?;
        postgrest.wait(|| answers(rest))?;

        let key = secrets.publishable_key();
        let refreshing = TokenKey::of(&format!("refresh {}", secrets.tokens))?;
        let (address, gateway) = gateway::start(
            Gateway {
                postgrest: rest,
                key: key.clone(),
                sign_in: SignIn::new(secrets.users.clone(), tokens.clone(), refreshing),
            },
            port,
        )?;
        Ok(Self {
            url: format!("http://{address}"),
            key,
            tokens,
            secrets,
            database,
            folder,
            psql,
            gateway,
            _postgrest: postgrest,
            _postgres: postgres,
            _lock: lock,
        })
    }

    /// Variables by which a suite finds the stack, and gets round it to prepare and to check.
    pub fn variables(&self, cache: &Cache) -> Vec<(&'static str, String)> {
        let mut all = connection(self.database, SUPERUSER, &self.secrets);
        let user = &self.secrets.users[0];
        all.extend([
            ("LESSONLOOP_STACK_URL", self.url.clone()),
            ("LESSONLOOP_STACK_KEY", self.key.clone()),
            (
                "LESSONLOOP_STACK_JWK",
                self.tokens.private_jwk().to_string(),
            ),
            ("LESSONLOOP_STACK_SECRET", self.secrets.tokens.clone()),
            ("LESSONLOOP_STACK_EMAIL", user.email.clone()),
            ("LESSONLOOP_STACK_PASSWORD", user.password.clone()),
            ("LESSONLOOP_STACK_PSQL", self.psql.display().to_string()),
            (
                "LESSONLOOP_STACK_DATA",
                self.folder.at.join("postgres").display().to_string(),
            ),
            (
                "LESSONLOOP_STACK_MIGRATIONS",
                cache.root.join(MIGRATIONS).display().to_string(),
            ),
        ]);
        all
    }

    /// Where the stack keeps what it needs at its next start.
    pub fn folder(&self) -> &Path {
        &self.folder.at
    }

    /// Returns what a page may know to fill its form in: no password.
    pub fn offer(&self) -> Offer {
        Offer {
            url: self.url.clone(),
            key: self.key.clone(),
            email: self
                .secrets
                .users
                .first()
                .map(|user| user.email.clone())
                .unwrap_or_default(),
            edge: Arc::default(),
        }
    }

    /// Describes what a person needs to connect.
    pub fn describe(&self) -> String {
        let mut lines = vec![
            format!("URL              {}", self.url),
            format!("publishable key  {}", self.key),
        ];
        for user in &self.secrets.users {
            lines.push(format!(
                "user             {}  password {}",
                user.email, user.password
            ));
        }
        lines.push(format!("data             {}", self.folder.at.display()));
        lines.push("Sign-in is a stand-in that knows these users only.".into());
        if let Some(user) = self.secrets.users.first() {
            let body = json!({ "email": user.email, "password": user.password });
            lines.push(format!(
                "  curl '{}/auth/v1/token?grant_type=password' -H 'apikey: {}' -d '{body}'",
                self.url, self.key
            ));
        }
        lines.join("\n")
    }

    /// Serves until the process ends.
    pub fn serve(self) {
        let Self { gateway, .. } = &self;
        while !gateway.is_finished() {
            std::thread::park();
        }
    }
}

const MIGRATIONS: &str = "supabase/migrations";

/// The data's folder. Kept data is for one stack at a time; what ended stacks left of theirs is removed.
fn folder(home: &Cache, data: Data) -> Result<(Folder, Option<std::fs::File>)> {
    if data == Data::Kept {
        let at = home.dir("kept")?;
        let mark = at.join(".lock");
        let lock = std::fs::File::create(&mark)
            .with_context(|| advice(mark.display(), "free some space"))?;
        lock.try_lock().map_err(|_| {
            fault(
                "another stack runs on this data",
                "end it, or use the one that runs",
            )
        })?;
        return Ok((Folder { at, data }, Some(lock)));
    }
    let shelf = home.dir("fresh")?;
    for old in
        std::fs::read_dir(&shelf).with_context(|| advice(shelf.display(), "free some space"))?
    {
        let old = old.with_context(|| advice(shelf.display(), "free some space"))?;
        if !Path::new("/proc").join(old.file_name()).exists() {
            let _ = std::fs::remove_dir_all(old.path());
        }
    }
    let at = shelf.join(std::process::id().to_string());
    cache::fresh_dir(&at)?;
    Ok((Folder { at, data }, None))
}

/// Passwords, the secret that tokens' keys are made of, and the users; made once for a folder.
struct Secrets {
    database: String,
    tokens: String,
    users: Vec<User>,
}

impl Secrets {
    /// The publishable key, the same at every start.
    fn publishable_key(&self) -> String {
        let digest = Sha256::digest(format!("publishable {}", self.tokens));
        format!("sb_publishable_{}", hex::encode(&digest[..16]))
    }

    /// The keys by which PostgREST checks tokens: the one that signs them, and the shared secret of a project that has not taken its
    /// legacy one out of use yet.
    fn key_set(&self, tokens: &TokenKey) -> String {
        let legacy =
            json!({ "kty": "oct", "k": URL_SAFE_NO_PAD.encode(&self.tokens), "alg": "HS256" });
        json!({ "keys": [tokens.jwk(), legacy] }).to_string()
    }

    fn of(folder: &Path) -> Result<Self> {
        use std::io::Write as _;
        use std::os::unix::fs::OpenOptionsExt as _;
        let at = folder.join("secrets.json");
        let remedy = format!("remove {} to start with empty data", folder.display());
        if !at.exists() {
            let mut users = Vec::new();
            for email in SAMPLE_USERS {
                users.push(
                    json!({ "id": token::uuid()?, "email": email, "password": token::random(8)? }),
                );
            }
            let made = json!({ "database": token::random(16)?, "tokens": token::random(32)?, "users": users });
            std::fs::OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&at)
                .and_then(|mut file| file.write_all(made.to_string().as_bytes()))
                .with_context(|| advice(at.display(), &remedy))?;
        }
        let bytes = std::fs::read(&at).with_context(|| advice(at.display(), &remedy))?;
        let held: Value =
            serde_json::from_slice(&bytes).with_context(|| advice(at.display(), &remedy))?;
        let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let users: Vec<User> = held["users"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|user| User {
                id: text(user, "id"),
                email: text(user, "email"),
                password: text(user, "password"),
            })
            .collect();
        if users.is_empty() {
            return Err(fault(
                format_args!("{} names no users", at.display()),
                remedy,
            ));
        }
        Ok(Self {
            database: text(&held, "database"),
            tokens: text(&held, "tokens"),
            users,
        })
    }
}

fn make_database(
    cache: &Cache,
    parts: &Parts,
    owner: Owner,
    folder: &Path,
    at: &Path,
    secrets: &Secrets,
) -> Result<()> {
    cache::fresh_dir(at)?;
    owner.own(at)?;
    let password = folder.join("password");
    std::fs::write(&password, &secrets.database)
        .with_context(|| advice(password.display(), "free some space"))?;
    owner.own(&password)?;
    let mut initdb = owner.program(cache, &parts.postgres("initdb"))?;
    initdb
        .arg("-D")
        .arg(at)
        .args(["-U", SUPERUSER, "--auth=scram-sha-256", "--no-sync"])
        .args(["--encoding=UTF8", "--locale=C.UTF-8"])
        .arg(format!("--pwfile={}", password.display()));
    let made = run::quiet(
        cache,
        "initdb",
        initdb,
        None,
        "read the log; the machine needs the locale C.UTF-8",
    );
    let _ = std::fs::remove_file(&password);
    made
}

/// Applies all migrations, each of which may be applied again, as the role that hosted Supabase applies them as.
fn migrate(
    cache: &Cache,
    folder: &Path,
    secrets: &Secrets,
    ask: &dyn Fn(&str) -> Result<Command>,
) -> Result<()> {
    let mut first = BOOTSTRAP.to_owned();
    for role in ["authenticator", "postgres"] {
        first.push_str(&format!(
            "alter role {role} password '{}';\n",
            secrets.database
        ));
    }
    for user in &secrets.users {
        first.push_str(&format!(
            "insert into auth.users (id, email) values ('{}', '{}') on conflict do nothing;\n",
            user.id, user.email
        ));
    }
    let bootstrap = folder.join("bootstrap.sql");
    std::fs::write(&bootstrap, first)
        .with_context(|| advice(bootstrap.display(), "free some space"))?;
    // The first file refuses data of another schema, with nothing changed.
    let remedy = format!(
        "fix what PostgreSQL names; or, if its data may go, remove {} to start with empty data",
        folder.display()
    );
    let mut psql = ask(SUPERUSER)?;
    psql.arg("-1").arg("-f").arg(&bootstrap);
    let done = run::quiet(cache, "stack-bootstrap", psql, None, &remedy);
    let _ = std::fs::remove_file(&bootstrap);
    done?;
    for file in cache::files(&cache.root.join(MIGRATIONS))? {
        let mut psql = ask("postgres")?;
        psql.arg("-1").arg("-f").arg(&file);
        run::quiet(cache, "stack-migrations", psql, None, &remedy)?;
    }
    Ok(())
}

fn connection(port: u16, user: &str, secrets: &Secrets) -> Vec<(&'static str, String)> {
    vec![
        ("PGHOST", "127.0.0.1".into()),
        ("PGPORT", port.to_string()),
        ("PGUSER", user.into()),
        ("PGPASSWORD", secrets.database.clone()),
        ("PGDATABASE", "postgres".into()),
    ]
}

/// A port that nothing listens on.
pub fn free_port() -> Result<u16> {
    let remedy = "check that the loopback interface is up";
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .with_context(|| advice("a free port", remedy))?;
    let address = listener
        .local_addr()
        .with_context(|| advice("a free port", remedy))?;
    Ok(address.port())
}

/// True if PostgREST has read the schema: it answers with 503 until then.
fn answers(port: u16) -> bool {
    use std::io::{Read as _, Write as _};
    let ask = || -> std::io::Result<bool> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.write_all(b"HEAD / HTTP/1.0\r\n\r\n")?;
        let mut head = [0; 12];
        stream.read_exact(&mut head)?;
        Ok(head.ends_with(b" 200"))
    };
    ask().unwrap_or(false)
}
