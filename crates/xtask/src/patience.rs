//! How long a connection may keep its place: a head that comes a byte at a time would keep it for ever.
//!
//! hyper's own limit counts the time between requests as well, and clients keep connections for longer than a head takes.

use std::convert::Infallible;
use std::error::Error;
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Duration, Instant, sleep};

/// From a head's first byte, or from connecting, until the head is whole.
const HEAD: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 10 });
/// Between requests.
const IDLE: Duration = Duration::from_secs(120);
/// Between two looks whether it has been too long.
const LOOK: Duration = Duration::from_millis(500);

/// What a connection is at, and since when.
#[derive(Clone, Copy)]
enum Stage {
    Head(Instant),
    Busy,
    Idle(Instant),
}

#[derive(Clone)]
struct Watch(Arc<Mutex<Stage>>);

impl Watch {
    fn set(&self, stage: Stage) {
        // A thread that panicked leaves a whole stage.
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = stage;
    }

    /// Bytes came.
    fn heard(&self) {
        let mut stage = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*stage, Stage::Idle(_)) {
            *stage = Stage::Head(Instant::now());
        }
    }

    /// Comes back once it has been too long.
    async fn overdue(&self) {
        loop {
            sleep(LOOK).await;
            let stage = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match stage {
                Stage::Head(since) if since.elapsed() > HEAD => return,
                Stage::Idle(since) if since.elapsed() > IDLE => return,
                _ => {}
            }
        }
    }
}

/// Answers a connection's requests until it ends, or keeps its place for too long.
pub async fn serve<A, F, B>(http: &http1::Builder, stream: TcpStream, answer: A)
where
    A: Fn(Request<Incoming>) -> F,
    F: Future<Output = Response<B>>,
    B: Body<Data: Send, Error: Into<Box<dyn Error + Send + Sync>>> + 'static,
{
    let watch = Watch(Arc::new(Mutex::new(Stage::Head(Instant::now()))));
    let watched = Watched {
        stream,
        watch: watch.clone(),
    };
    let service = service_fn(|request| {
        watch.set(Stage::Busy);
        let answered = answer(request);
        let watch = watch.clone();
        async move {
            let response = answered.await;
            watch.set(Stage::Idle(Instant::now()));
            Ok::<_, Infallible>(response)
        }
    });
    let mut connection = pin!(http.serve_connection(TokioIo::new(watched), service));
    let mut overdue = pin!(watch.overdue());
    std::future::poll_fn(|context| {
        // A client that went away is no concern of ours.
        let ended = connection.as_mut().poll(context).is_ready();
        if ended || overdue.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        Poll::Pending
    })
    .await;
}

/// A stream that tells when bytes come.
struct Watched {
    stream: TcpStream,
    watch: Watch,
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, into);
        if into.filled().len() > before {
            self.watch.heard();
        }
        read
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::{http1, serve};
    use http_body_util::Full;
    use hyper::Response;
    use hyper::body::Bytes;
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;
    use std::time::Duration;

    /// A connection to a server that answers each request.
    fn connected() -> TcpStream {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        listener.set_nonblocking(true).expect("a socket");
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).expect("a socket");
                let (stream, _) = listener.accept().await.expect("a connection");
                let ok = |_| std::future::ready(Response::new(Full::<Bytes>::from("done")));
                serve(&http1::Builder::new(), stream, ok).await;
            });
        });
        let stream = TcpStream::connect(address).expect("it listens");
        let patience = Some(Duration::from_secs(8));
        stream.set_read_timeout(patience).expect("a socket");
        stream
    }

    fn is_closed(stream: &mut TcpStream) -> bool {
        let mut rest = Vec::new();
        match stream.read_to_end(&mut rest) {
            Ok(_) => true,
            Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
        }
    }

    #[test]
    fn a_head_that_is_not_whole_in_time_ends_the_connection() {
        let mut silent = connected();
        assert!(is_closed(&mut silent), "nothing was sent");
        let mut slow = connected();
        write!(slow, "GET / HTTP/1.1\r\nX-Slow: ").expect("it reads");
        assert!(is_closed(&mut slow), "half a head");
    }

    #[test]
    fn time_between_requests_counts_for_no_head() {
        let mut stream = connected();
        let mut answer = [0; 512];
        for _ in 0..2 {
            write!(stream, "GET / HTTP/1.1\r\nHost: x\r\n\r\n").expect("it reads");
            let length = stream.read(&mut answer).expect("an answer");
            assert!(answer[..length].starts_with(b"HTTP/1.1 200 "));
            // Longer than a head may take.
            std::thread::sleep(Duration::from_millis(2_000));
        }
        write!(stream, "GET / HTTP/1.1\r\n").expect("it reads");
        assert!(is_closed(&mut stream), "half a head, after whole ones");
    }
}
