/** Requests and answers that were lost with a connection are sent again; each request is executed once. */
import { LRUCache } from 'lru-cache';

/** A message as it was sent. */
export interface SentMessage {
  topic: string;
  data: Buffer;
}

/**
 * Most requests are answered sooner. After a connection is back, a lost request or answer must not delay its caller for more than
 * a few seconds.
 */
const RESEND_AFTER_MS = 1_000;

/** The wait doubles: a service that is overloaded must not get many copies of what it is already working on. */
const COPIES_MAX = 3;

/** The last copy is due after 7 s. While NATS does not answer, copies wait, and later than this they are not due any more. */
const RESEND_MAX_MS = 8_000;

/** More than are in flight at any time (CALLS_LIMIT_MAX in lib/config/variables.ts). Later ones are not sent again. */
const PENDING_MAX = 10_000;

/**
 * How long requests are remembered at least, and their answers if there is memory. A copy whose first message is older is not executed
 * (late-requests.ts). By time and not by number, so that memory does not grow for minutes.
 */
export const REMEMBERED_MS = 10_000;

/** The memory for the answers of two periods, and the limit of one; larger answers are not kept. */
const ANSWERS_MAX_BYTES = 8 * 1024 * 1024;
const ANSWER_MAX_BYTES = 256 * 1024;

/** The requests of this node that may have been lost. */
export interface SentRequests<Request> {
  add(id: string, request: Request, now_ms: number): void;
  /**
   * Returns the requests that must be sent again. Those that are not pending any more are forgotten.
   * @param asked_ms when NATS was asked to confirm what was sent before, if it took long
   */
  due(isPending: (id: string) => boolean, now_ms: number, asked_ms?: number): Request[];
}

export function rememberSentRequests<Request>(): SentRequests<Request> {
  const sent = new Map<string, { request: Request; due_ms: number; ends_ms: number; copies: number }>();
  return {
    add(id, request, now_ms) {
      if (sent.size >= PENDING_MAX) return;
      sent.set(id, { request, due_ms: now_ms + RESEND_AFTER_MS, ends_ms: now_ms + RESEND_MAX_MS, copies: 0 });
    },
    due(isPending, now_ms, asked_ms = now_ms) {
      const due: Request[] = [];
      for (const [id, each] of sent) {
        if (!isPending(id) || each.ends_ms <= now_ms) sent.delete(id);
        else if (each.due_ms <= asked_ms) {
          due.push(each.request);
          each.copies += 1;
          each.due_ms = now_ms + RESEND_AFTER_MS * 2 ** each.copies;
          if (each.copies === COPIES_MAX) sent.delete(id);
        }
      }
      return due;
    },
  };
}

/** The requests that this node has received. */
export interface ReceivedRequests {
  /** @returns whether the request is new; otherwise its answer, if it was answered and the answer is kept */
  receive(id: string, sender: string, now_ms: number): { isNew: boolean; answer?: SentMessage | undefined };
  answer(id: string, receiver: string, message: SentMessage): void;
}

/** What was received in one period of REMEMBERED_MS. */
interface Period {
  ends_ms: number;
  requests: Set<string>;
  answers: LRUCache<string, KeptAnswer>;
}

/** As text with a character for each byte: a small Buffer would keep the pool of 64 KiB that it is a part of. */
interface KeptAnswer {
  topic: string;
  bytes: string;
}

function beginPeriod(now_ms: number): Period {
  const answers = new LRUCache<string, KeptAnswer>({
    maxSize: ANSWERS_MAX_BYTES / 2,
    sizeCalculation: ({ bytes }) => bytes.length + 1,
  });
  return { ends_ms: now_ms + REMEMBERED_MS, requests: new Set(), answers };
}

export function rememberReceivedRequests(): ReceivedRequests {
  let [recent, earlier] = [beginPeriod(0), beginPeriod(0)];
  const keyOf = (id: string, node: string) => `${node} ${id}`;
  const answerOf = (key: string): SentMessage | undefined => {
    const kept = recent.answers.get(key) ?? earlier.answers.get(key);
    return kept && { topic: kept.topic, data: Buffer.from(kept.bytes, 'latin1') };
  };
  return {
    receive(id, sender, now_ms) {
      if (now_ms >= recent.ends_ms) [recent, earlier] = [beginPeriod(now_ms), recent];
      const key = keyOf(id, sender);
      if (recent.requests.has(key) || earlier.requests.has(key)) return { isNew: false, answer: answerOf(key) };
      recent.requests.add(key);
      return { isNew: true };
    },
    answer(id, receiver, { topic, data }) {
      if (data.length >= ANSWER_MAX_BYTES) return;
      recent.answers.set(keyOf(id, receiver), { topic, bytes: data.toString('latin1') });
    },
  };
}
