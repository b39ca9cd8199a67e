import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A proxy of a server whose connections can fail. */
export interface TcpProxy {
  /** The server's URL with the address of the proxy. */
  url: string;
  /** Returns the number of connections so far. */
  connections(): number;
  /** Stops all traffic without closing connections, as if the server were frozen or its host unreachable. */
  freeze(): void;
  /** Closes all connections and refuses new ones. */
  cut(): void;
  /** Closes the old connections and accepts new ones. */
  restore(): Promise<void>;
}

/** Opens a proxy of the server of a URL (`nats:`, `postgres:`). cut() closes it. */
export async function openTcpProxy(server_url: string): Promise<TcpProxy> {
  const target = new URL(server_url);
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let connections = 0;
  const server = createServer((near) => {
    connections += 1;
    track(near);
    if (isFrozen) return;
    const far = track(connect(Number(target.port), target.hostname));
    near.pipe(far);
    far.pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  function track(socket: Socket): Socket {
    sockets.add(socket.on('error', () => undefined).once('close', () => sockets.delete(socket)));
    return socket;
  }
  async function listen(port: number): Promise<number> {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }
  const port = await listen(0);
  const url = new URL(server_url);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  const closeAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    connections: () => connections,
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    cut() {
      server.close();
      closeAll();
    },
    async restore() {
      isFrozen = false;
      closeAll();
      if (!server.listening) await listen(port);
    },
  };
}
