// A server that listens has a port; none is on a Unix socket here.
import type { AddressInfo } from "node:net";

declare module "node:net" {
  interface Server {
    address(): AddressInfo;
    // A promise's own function may be called back.
    listen(port: number, host: string, done: (value?: any) => void): this;
  }
}
