/**
 * The load generator of http-load.ts. It shares the cores with what is measured, so it is kept cheap: requests are bytes
 * before the clock starts, and of an answer it reads its status and its end alone. See ADR 8 for what was compared.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../report/statistics.ts';
import type { LoadPlan, LoadRequest, LoadResult } from './http-load.ts';
import type { Worker } from './worker.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
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
  /** Where the answer ends; undefined while its head has not come. */
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

/** Where an answer ends, from its head; undefined as long as the head is not whole. */
function endOf(received: Buffer): number | undefined {
  const at = received.indexOf(HEAD_END);
  if (at < 0) return undefined;
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.toString('latin1', 0, at))?.[1];
  if (length === undefined) throw new Error('The load reads only answers that have a content-length');
  return at + HEAD_END.length + Number(length);
}

function bytesOf({ method, path, headers, body = '' }: LoadRequest, host: string): Buffer {
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = method === 'GET' ? '' : `content-length: ${String(Buffer.byteLength(body))}\r\n`;
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}${length}\r\n${body}`);
}

/** Connects; run() then carries out the plan once. */
export default async function httpLoadWorker(plan: LoadPlan): Promise<Worker<void, LoadResult>> {
  const connections = await Promise.all(Array.from({ length: plan.in_flight }, () => Connection.open(plan.origin)));
  const { host } = new URL(plan.origin);
  const requests = plan.requests.map((request) => bytesOf(request, host));
  return {
    run: () => carryOut(plan, requests, connections),
    stop: () => Promise.resolve(connections.forEach((connection) => connection.close())),
  };
}

async function carryOut(plan: LoadPlan, requests: Buffer[], connections: Connection[]): Promise<LoadResult> {
  const { per_second, duration_ms } = plan;
  const latencies_ms: number[] = [];
  const began_ms = performance.now();
  let taken = 0;

  /** A free connection waits for the moment at which its request is due. */
  async function keepAsking(connection: Connection): Promise<void> {
    for (;;) {
      const now_ms = performance.now();
      const due_ms = per_second === undefined ? now_ms : began_ms + (taken * MS_PER_S) / per_second;
      if (due_ms >= began_ms + duration_ms) return;
      const request = requests[plan.cycle === true ? taken % requests.length : taken];
      if (request === undefined) throw new Error(`The load has run out of its ${String(requests.length)} requests`);
      taken += 1;
      // A timer may fire a fraction of a millisecond early.
      if (due_ms > now_ms) await sleep(Math.ceil(due_ms - now_ms));
      const answer = await connection.ask(request);
      latencies_ms.push(performance.now() - due_ms);
      if (answer.status !== plan.expected) throw unexpected(answer);
    }
  }

  await Promise.all(connections.map(keepAsking));
  const seconds = (performance.now() - began_ms) / MS_PER_S;
  const sorted = Float64Array.from(latencies_ms).sort();
  return { count: sorted.length, seconds, p50_ms: quantile(sorted, 0.5), p99_ms: quantile(sorted, 0.99) };
}

function unexpected({ status, text }: Answer): Error {
  const shown = text().slice(-SHOWN_CHARACTERS).replaceAll(/\s+/g, ' ');
  return new Error(`The load got an unexpected ${String(status)}: ${shown}`);
}
