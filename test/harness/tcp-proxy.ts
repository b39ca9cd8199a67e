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
  /** Stops one direction only. New connections are accepted. */
  hold(direction: Direction): void;
  /** Delays all bytes in both directions. */
  delay(ms: number): void;
  /**
   * Gives the bytes of clients to `intercept` instead of the server. It must pass on what the server should get. Undefined ends
   * this, also for the connections that exist.
   */
  intercept(intercept: Intercept | undefined): void;
  /** Closes all connections and refuses new ones. */
  cut(): void;
  /** Closes the old connections and accepts new ones. */
  restore(): Promise<void>;
  /** Ends holds and delays: what was held is delivered. */
  release(): void;
}

export type Direction = 'requests' | 'answers';

/** Decides what happens with the bytes that a client has sent. */
export type Intercept = (bytes: Buffer, connection: ProxiedConnection) => void;

/** A connection whose bytes are given to an Intercept. */
export interface ProxiedConnection {
  /** Sends bytes to the server. */
  pass(bytes: Buffer): void;
  /** Loses all answers from now on. @param then called at the first of them */
  loseAnswers(then?: () => void): void;
  close(): void;
}

/** Above this many bytes in a queue, the sender is paused. */
const QUEUE_MAX_BYTES = 1024 * 1024;

/** Opens a proxy of the server of a URL (`nats:`, `postgres:`, `http:`). cut() closes it. */
export async function openTcpProxy(server_url: string): Promise<TcpProxy> {
  const target = new URL(server_url);
  const sockets = new Set<Socket>();
  const pipes = new Set<Pipe>();
  let isFrozen = false;
  let connections = 0;
  const held = { requests: false, answers: false };
  let delay_ms = 0;
  let interceptor: Intercept | undefined;

  const server = createServer((near) => {
    connections += 1;
    track(near);
    if (isFrozen) return;
    const far = track(connect(Number(target.port), target.hostname));
    const requests = join('requests', near, far);
    const answers = join('answers', far, near);
    let onLost: (() => void) | undefined;
    let isMuted = false;
    const connection: ProxiedConnection = {
      pass: (bytes) => requests.send(bytes),
      loseAnswers: (then) => {
        isMuted = true;
        onLost = then;
      },
      close: () => near.destroy(),
    };
    near.on('data', (bytes: Buffer) => (interceptor ?? passOn)(bytes, connection));
    far.on('data', (bytes: Buffer) => {
      if (!isMuted) return answers.send(bytes);
      onLost?.();
      onLost = undefined;
    });
  });
  function join(direction: Direction, from: Socket, to: Socket): Pipe {
    const pipe = openPipe(from, to, () => ({ isHeld: isFrozen || held[direction], delay_ms }));
    pipes.add(pipe);
    from.on('end', () => pipe.end());
    from.on('close', () => {
      pipes.delete(pipe);
      to.destroy();
    });
    return pipe;
  }
  function track(socket: Socket): Socket {
    socket.setNoDelay(true);
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
  const release = () => {
    Object.assign(held, { requests: false, answers: false });
    delay_ms = 0;
    for (const pipe of pipes) pipe.flow();
  };
  return {
    url: url.href,
    connections: () => connections,
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    hold: (direction) => void (held[direction] = true),
    delay: (ms) => void (delay_ms = ms),
    intercept: (intercept) => void (interceptor = intercept),
    cut() {
      server.close();
      closeAll();
    },
    async restore() {
      isFrozen = false;
      release();
      closeAll();
      if (!server.listening) await listen(port);
    },
    release,
  };
}

function passOn(bytes: Buffer, connection: ProxiedConnection): void {
  connection.pass(bytes);
}

/** One direction of a connection. */
interface Pipe {
  send(bytes: Buffer): void;
  /** Closes this direction when everything has been sent. */
  end(): void;
  /** Sends what is no longer held. */
  flow(): void;
}

function openPipe(from: Socket, to: Socket, state: () => { isHeld: boolean; delay_ms: number }): Pipe {
  let queue: { bytes: Buffer; at_ms: number }[] = [];
  let queued_bytes = 0;
  let isEnding = false;

  function flow(): void {
    const { isHeld, delay_ms } = state();
    if (isHeld) return;
    // Without a delay, everything that is queued is due.
    const now_ms = performance.now();
    while (queue[0] !== undefined && (delay_ms === 0 || queue[0].at_ms + delay_ms <= now_ms)) {
      const { bytes } = queue.shift()!;
      queued_bytes -= bytes.length;
      to.write(bytes);
    }
    if (from.isPaused() && queued_bytes < QUEUE_MAX_BYTES && to.writableLength < QUEUE_MAX_BYTES) from.resume();
    if (queue.length === 0 && isEnding) to.end();
  }
  to.on('drain', flow);
  to.on('close', () => (queue = []));

  return {
    flow,
    send(bytes) {
      const { isHeld, delay_ms } = state();
      queue.push({ bytes, at_ms: performance.now() });
      queued_bytes += bytes.length;
      if (!isHeld && delay_ms > 0) setTimeout(flow, delay_ms + 1).unref();
      else flow();
      if (queued_bytes > QUEUE_MAX_BYTES || to.writableLength > QUEUE_MAX_BYTES) from.pause();
    },
    end() {
      isEnding = true;
      flow();
    },
  };
}
