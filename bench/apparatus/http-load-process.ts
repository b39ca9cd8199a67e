/**
 * The load generator of http-load.ts: an HTTP client of its own, because it shares the cores with what is measured, and
 * what it takes of them the services do not get. Measured with 32 in flight against a server that does nothing, a POST
 * takes some 12 µs of CPU here, some 40 with node:http and an agent, and over 200 with fetch. It can be so small as its
 * requests are bytes before the clock starts, and as it looks in an answer for its status and its end alone. autocannon
 * would be one more dependency, for what are two short loops here.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../report/statistics.ts';
import type { LoadPlan, LoadReport, LoadRequest, LoadResult } from './http-load.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
/** `HTTP/1.1 ` comes before the status. */
const STATUS_AT = 9;

/** How much of an unexpected answer is shown; enough for a problem document. */
const SHOWN_CHARACTERS = 600;

const MS_PER_S = 1_000;

interface Answer {
  status: number;
  text: () => string;
}

/** One kept-alive connection that asks one thing at a time. It reads no more of an answer than it needs to find its end. */
class Connection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  /** Where the answer ends; undefined while its head has not come, `chunked` if its last chunk says so. */
  #end: number | 'chunked' | undefined;
  #settle: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', (error) => this.#settle?.reject(error));
    socket.on('close', () => this.#settle?.reject(new Error('the server closed the connection')));
  }

  static async open(origin: string): Promise<Connection> {
    const { hostname, port } = new URL(origin);
    const socket = connect({ host: hostname, port: Number(port) });
    await once(socket, 'connect');
    return new Connection(socket);
  }

  ask(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    this.#end ??= endOf(this.#received);
    if (this.#end === undefined) return;
    const complete =
      this.#end === 'chunked'
        ? this.#received.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
        : this.#received.length >= this.#end;
    if (!complete) return;
    const answer = this.#received;
    const settle = this.#settle;
    this.#received = Buffer.alloc(0);
    this.#end = undefined;
    this.#settle = undefined;
    const status = Number(answer.toString('latin1', STATUS_AT, STATUS_AT + 3));
    settle?.resolve({ status, text: () => answer.toString('utf8') });
  }
}

/** Where an answer ends, from its head; undefined as long as the head is not whole. */
function endOf(received: Buffer): number | 'chunked' | undefined {
  const at = received.indexOf(HEAD_END);
  if (at < 0) return undefined;
  const head = received.toString('latin1', 0, at);
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return 'chunked';
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? '0';
  return at + HEAD_END.length + Number(length);
}

function onTheWire({ method, path, headers, body = '' }: LoadRequest, host: string): Buffer {
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = method === 'GET' ? '' : `content-length: ${String(Buffer.byteLength(body))}\r\n`;
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}${length}\r\n${body}`);
}

/** One measurement: its requests, and the latencies so far. */
class Load {
  readonly #plan: LoadPlan;
  readonly #requests: Buffer[];
  readonly #latencies_ms: number[] = [];
  #taken = 0;

  constructor(plan: LoadPlan) {
    this.#plan = plan;
    const { host } = new URL(plan.origin);
    this.#requests = plan.requests.map((request) => onTheWire(request, host));
  }

  async run(connections: Connection[]): Promise<LoadResult> {
    const began_ms = performance.now();
    const until_ms = began_ms + this.#plan.duration_ms;
    const { per_second } = this.#plan;
    await Promise.all(
      connections.map((connection) =>
        per_second === undefined
          ? this.#closed(connection, until_ms)
          : this.#open(connection, began_ms, until_ms, per_second),
      ),
    );
    const seconds = (performance.now() - began_ms) / MS_PER_S;
    return { count: this.#latencies_ms.length, seconds, ...summary(this.#latencies_ms) };
  }

  async #closed(connection: Connection, until_ms: number): Promise<void> {
    while (performance.now() < until_ms) await this.#ask(connection, this.#next(), performance.now());
  }

  /** A free connection waits for the moment of the next request, in the order of the requests. */
  async #open(connection: Connection, began_ms: number, until_ms: number, per_second: number): Promise<void> {
    for (;;) {
      const due_ms = began_ms + (this.#taken * MS_PER_S) / per_second;
      if (due_ms >= until_ms) return;
      const request = this.#next();
      const wait_ms = due_ms - performance.now();
      // A timer may fire a fraction of a millisecond early.
      if (wait_ms > 0) await sleep(Math.ceil(wait_ms));
      await this.#ask(connection, request, due_ms);
    }
  }

  async #ask(connection: Connection, request: Buffer, since_ms: number): Promise<void> {
    const answer = await connection.ask(request);
    this.#latencies_ms.push(performance.now() - since_ms);
    if (this.#plan.expected.includes(answer.status)) return;
    const shown = answer.text().slice(-SHOWN_CHARACTERS).replaceAll(/\s+/g, ' ');
    throw new Error(`The load got an unexpected ${String(answer.status)}: ${shown}`);
  }

  #next(): Buffer {
    const at = this.#plan.cycle === true ? this.#taken % this.#requests.length : this.#taken;
    this.#taken += 1;
    const request = this.#requests[at];
    if (request === undefined) throw new Error(`The load has run out of its ${String(this.#requests.length)} requests`);
    return request;
  }
}

function summary(latencies_ms: number[]): Pick<LoadResult, 'p50_ms' | 'p99_ms'> {
  const sorted = Float64Array.from(latencies_ms).sort();
  return { p50_ms: quantile(sorted, 0.5), p99_ms: quantile(sorted, 0.99) };
}

const report = (message: LoadReport) => void process.send?.(message);

async function main(): Promise<void> {
  const [plan] = (await once(process, 'message')) as [LoadPlan];
  const go = once(process, 'message');
  const connections = await Promise.all(Array.from({ length: plan.in_flight }, () => Connection.open(plan.origin)));
  const load = new Load(plan);
  report({ connected: true });
  await go;
  report({ done: await load.run(connections) });
  for (const connection of connections) connection.close();
}

main().catch((error: unknown) => report({ failed: error instanceof Error ? error.message : String(error) }));
