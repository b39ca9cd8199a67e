/**
 * The load generator of http-load.ts. It shares the cores with the measured processes, so it must be cheap: requests
 * are encoded before the clock starts, and it reads only the status and the length of an answer (ADR 8).
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../report/statistics.ts';
import { REQUEST_NUMBER, type LoadPlan, type LoadRequest, type LoadResult } from './http-load.ts';
import type { Worker } from './worker.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
/** Index of the status, after `HTTP/1.1 `. */
const STATUS_AT = 9;

/** Maximum length of an unexpected answer in an error; enough for a problem document. */
const SHOWN_CHARACTERS = 600;

const MS_PER_S = 1_000;

interface Answer {
  status: number;
  text: () => string;
}

/** A kept-alive connection with one request at a time. It reads of an answer only what it needs to find its end. */
class Connection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  /** End of the answer; undefined until its head has arrived. */
  #end: number | undefined;
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
    if (this.#end === undefined || this.#received.length < this.#end) return;
    const answer = this.#received;
    const settle = this.#settle;
    this.#received = Buffer.alloc(0);
    this.#end = undefined;
    this.#settle = undefined;
    const status = Number(answer.toString('latin1', STATUS_AT, STATUS_AT + 3));
    settle?.resolve({ status, text: () => answer.toString('utf8') });
  }
}

/** Returns the end of an answer; undefined until its head is complete. */
function endOf(received: Buffer): number | undefined {
  const at = received.indexOf(HEAD_END);
  if (at < 0) return undefined;
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.toString('latin1', 0, at))?.[1];
  if (length === undefined) throw new Error('The load generator supports only answers with a content-length');
  return at + HEAD_END.length + Number(length);
}

/** Returns a request with its number, if it contains one. */
function withNumber(request: Buffer, index: number): Buffer {
  const at = request.indexOf(REQUEST_NUMBER);
  if (at < 0) return request;
  const copy = Buffer.from(request);
  copy.write(String(index).padStart(REQUEST_NUMBER.length, '0'), at);
  return copy;
}

function bytesOf({ method, path, headers, body = '' }: LoadRequest, host: string): Buffer {
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = method === 'GET' ? '' : `content-length: ${String(Buffer.byteLength(body))}\r\n`;
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}${length}\r\n${body}`);
}

/** Opens the connections; run() then executes the plan once. */
export default async function httpLoadWorker(plan: LoadPlan): Promise<Worker<void, LoadResult>> {
  const connections = await Promise.all(Array.from({ length: plan.in_flight }, () => Connection.open(plan.origin)));
  const { host } = new URL(plan.origin);
  const requests = plan.requests.map((request) => bytesOf(request, host));
  return {
    run: () => execute(plan, requests, connections),
    stop: () => Promise.resolve(connections.forEach((connection) => connection.close())),
  };
}

async function execute(plan: LoadPlan, requests: Buffer[], connections: Connection[]): Promise<LoadResult> {
  const { per_second, duration_ms } = plan;
  const latencies_ms: number[] = [];
  const refusals_ms: number[] = [];
  const began_ms = performance.now();
  let taken = 0;

  /** Sends requests on a connection, each when it is due. */
  async function keepAsking(connection: Connection): Promise<void> {
    for (;;) {
      const now_ms = performance.now();
      const due_ms = per_second === undefined ? now_ms : began_ms + (taken * MS_PER_S) / per_second;
      if (due_ms >= began_ms + duration_ms) return;
      const request = requests[plan.cycle === true ? taken % requests.length : taken];
      if (request === undefined)
        throw new Error(`The load generator has used all of its ${String(requests.length)} requests`);
      const numbered = withNumber(request, taken);
      taken += 1;
      // A timer may fire a fraction of a millisecond early.
      if (due_ms > now_ms) await sleep(Math.ceil(due_ms - now_ms));
      const asked_ms = performance.now();
      const answer = await connection.ask(numbered);
      const isRefused = plan.refused?.includes(answer.status) === true;
      // A refusal is as fast as the server; the wait for a free connection is one of this generator.
      if (isRefused) refusals_ms.push(performance.now() - asked_ms);
      else if (!plan.expected.includes(answer.status)) throw unexpected(answer);
      else latencies_ms.push(performance.now() - due_ms);
    }
  }

  await Promise.all(connections.map(keepAsking));
  const seconds = (performance.now() - began_ms) / MS_PER_S;
  const sorted = Float64Array.from(latencies_ms).sort();
  const refused = { count: refusals_ms.length, p99_ms: quantile(Float64Array.from(refusals_ms).sort(), 0.99) };
  return { count: sorted.length, seconds, p50_ms: quantile(sorted, 0.5), p99_ms: quantile(sorted, 0.99), refused };
}

function unexpected({ status, text }: Answer): Error {
  const shown = text().slice(-SHOWN_CHARACTERS).replaceAll(/\s+/g, ' ');
  return new Error(`The load generator got an unexpected ${String(status)}: ${shown}`);
}
