/**
 * The load generator of http-load.ts. It shares the cores with the measured processes, so it must be cheap: requests
 * are encoded before the clock starts, and it reads only the status and the length of an answer (ADR 8).
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../report/statistics.ts';
import {
  REQUEST_NUMBER,
  type Answers,
  type LoadPlan,
  type LoadRequest,
  type LoadResult,
  type Phase,
} from './http-load.ts';
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
  const began_ms = performance.now();
  const nextDue = dueTimes([plan, ...(plan.then ?? [])], began_ms);
  const answered: Measured[] = [];
  const refused: Measured[] = [];
  let taken = 0;

  /** Sends requests on a connection, each when it is due. */
  async function keepAsking(connection: Connection): Promise<void> {
    for (;;) {
      const now_ms = performance.now();
      const due_ms = nextDue(now_ms);
      if (due_ms === undefined) return;
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
      if (!isRefused && !plan.expected.includes(answer.status)) throw unexpected(answer);
      // A refusal is as fast as the server; the wait for a free connection is one of this generator.
      const since_ms = isRefused ? asked_ms : due_ms;
      const second = Math.floor((due_ms - began_ms) / MS_PER_S);
      (isRefused ? refused : answered).push({ second, took_ms: performance.now() - since_ms });
    }
  }

  await Promise.all(connections.map(keepAsking));
  const seconds = (performance.now() - began_ms) / MS_PER_S;
  const p50_ms = quantile(sortedTimes(answered), 0.5);
  return { seconds, p50_ms, ...answersOf(answered, refused), each_second: eachSecond(answered, refused) };
}

/** An answer. */
interface Measured {
  /** In which second it was due. */
  second: number;
  took_ms: number;
}

const sortedTimes = (measured: readonly Measured[]): Float64Array =>
  Float64Array.from(measured, ({ took_ms }) => took_ms).sort();

function answersOf(answered: readonly Measured[], refused: readonly Measured[]): Answers {
  const p99 = (measured: readonly Measured[]) => quantile(sortedTimes(measured), 0.99);
  return { count: answered.length, p99_ms: p99(answered), refused: { count: refused.length, p99_ms: p99(refused) } };
}

function eachSecond(answered: readonly Measured[], refused: readonly Measured[]): Answers[] {
  const [answeredIn, refusedIn] = [answered, refused].map((each) => Map.groupBy(each, ({ second }) => second));
  const last = Math.max(...answeredIn!.keys(), ...refusedIn!.keys());
  return Array.from({ length: last + 1 }, (_, second) =>
    answersOf(answeredIn!.get(second) ?? [], refusedIn!.get(second) ?? []),
  );
}

/** Returns a function that returns when the next request is due, and undefined when the phases are over. */
function dueTimes(phases: readonly Phase[], began_ms: number): (now_ms: number) => number | undefined {
  const [{ duration_ms, per_second }, ...later] = phases as [Phase, ...Phase[]];
  const end_ms = began_ms + duration_ms;
  const next = later.length === 0 ? () => undefined : dueTimes(later, end_ms);
  let taken = 0;
  return (now_ms) => {
    const due_ms = per_second === undefined ? now_ms : began_ms + (taken * MS_PER_S) / per_second;
    if (due_ms >= end_ms) return next(now_ms);
    taken += 1;
    return due_ms;
  };
}

function unexpected({ status, text }: Answer): Error {
  const shown = text().slice(-SHOWN_CHARACTERS).replaceAll(/\s+/g, ' ');
  return new Error(`The load generator got an unexpected ${String(status)}: ${shown}`);
}
