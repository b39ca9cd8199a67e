import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a server that can fail. */
export interface TcpProxy {
  /** The server's URL, but by this way. */
  url: string;
  /** How many connections there have been. */
  connections(): number;
  /** From now on nothing passes, and nothing is closed: as when the host behind it is frozen or has vanished. */
  freeze(): void;
  /** From now on the server is away: connections are closed, and new ones refused. */
  cut(): void;
  /** From now on new connections pass again; those from before are closed. */
  restore(): Promise<void>;
}

/** Opens a way to the server of a URL (`nats:`, `postgres:`). Close it with cut(). */
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
  const way = new URL(server_url);
  [way.hostname, way.port] = ['127.0.0.1', String(port)];
  const closeAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: way.href,
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
