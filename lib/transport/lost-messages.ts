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

/** More than are in flight at any time. Later ones are not sent again. */
const PENDING_MAX = 10_000;

/** A copy comes within 8 s (RESEND_AFTER_MS * 2 ** COPIES_MAX), in which a process gets at most 30 000 requests (docs/performance.md). */
const REMEMBERED_MAX = 50_000;

/** The memory for answers that may be sent again; larger ones are not kept. */
const ANSWERS_MAX_BYTES = 8 * 1024 * 1024;
const ANSWER_MAX_BYTES = 256 * 1024;

/** The requests of this node that may have been lost. */
export interface SentRequests<Request> {
  add(id: string, request: Request, now_ms: number): void;
  /** Returns the requests that must be sent again. Those that are not pending any more are forgotten. */
  due(isPending: (id: string) => boolean, now_ms: number): Request[];
}

export function rememberSentRequests<Request>(): SentRequests<Request> {
  const sent = new Map<string, { request: Request; due_ms: number; copies: number }>();
  return {
    add(id, request, now_ms) {
      if (sent.size < PENDING_MAX) sent.set(id, { request, due_ms: now_ms + RESEND_AFTER_MS, copies: 0 });
    },
    due(isPending, now_ms) {
      const due: Request[] = [];
      for (const [id, each] of sent) {
        if (!isPending(id)) sent.delete(id);
        else if (each.due_ms <= now_ms) {
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
  receive(id: string, sender: string): { isNew: boolean; answer?: SentMessage | undefined };
  answer(id: string, receiver: string, message: SentMessage): void;
}

export function rememberReceivedRequests(): ReceivedRequests {
  const received = new LRUCache<string, true>({ max: REMEMBERED_MAX });
  // As text with a character for each byte: a small Buffer would keep the pool of 64 KiB that it is a part of.
  const answers = new LRUCache<string, { topic: string; bytes: string }>({
    maxSize: ANSWERS_MAX_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length + 1,
  });
  const keyOf = (id: string, node: string) => `${node} ${id}`;
  const answerOf = (key: string): SentMessage | undefined => {
    const kept = answers.get(key);
    return kept && { topic: kept.topic, data: Buffer.from(kept.bytes, 'latin1') };
  };
  return {
    receive(id, sender) {
      const key = keyOf(id, sender);
      if (received.has(key)) return { isNew: false, answer: answerOf(key) };
      received.set(key, true);
      return { isNew: true };
    },
    answer(id, receiver, { topic, data }) {
      if (data.length < ANSWER_MAX_BYTES) answers.set(keyOf(id, receiver), { topic, bytes: data.toString('latin1') });
    },
  };
}
