// Servers between a device and the stack, and instead of it, that do what networks do.
import { once } from "node:events";
import { createServer, request } from "node:http";

/** A server of this machine that answers by `handle`. */
export async function serving(handle) {
  const server = createServer(handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    end: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Passes requests on to `target`, which does them; `answered` gets the whole answer and the connection to the client. */
export function passing(target, answered) {
  const { host, hostname, port } = new URL(target);
  return serving(async (asked, answer) => {
    const passed = request({
      hostname,
      port,
      path: asked.url,
      method: asked.method,
      headers: { ...asked.headers, host },
    });
    passed.on("error", () => answer.destroy());
    passed.on("response", async (response) => {
      const body = Buffer.concat(await response.toArray());
      await answered(response, body, answer, asked);
    });
    asked.pipe(passed);
  });
}

/** A proxy that breaks every `every`-th connection to a function, after `cut(length)` bytes of the answer's body; it
 * counts them in `cut`. */
export async function cutting(target, cut) {
  let seen = 0;
  const proxy = { every: Infinity, cut: 0 };
  const { url, end } = await passing(target, (response, body, answer, asked) => {
    const broken = asked.url.includes("/rpc/") && ++seen % proxy.every === 0;
    const bytes = broken ? cut(body.length) : body.length;
    if (broken) proxy.cut += 1;
    if (broken && bytes === 0) return answer.destroy();
    answer.writeHead(response.statusCode, {
      "content-type": response.headers["content-type"] ?? "",
      "content-length": body.length,
    });
    if (!broken) return answer.end(body);
    answer.write(body.subarray(0, bytes), () => answer.destroy());
  });
  return Object.assign(proxy, { url, end });
}
