import type { HttpAnswer } from '../http.ts';
import type { Json } from '../http.ts';
import type { TestGroup } from '../group.ts';
import type { TestMember } from '../test-member.ts';

/** A group for random operations, and the objects that they have created so far. */
export interface World {
  readonly group: TestGroup;
  readonly currency: string;
  readonly contribution_amount: number;
  readonly bank: TestMember['http'];
  readonly type: string;
  meetings: string[];
  /** The meetings that have been settled or cancelled. */
  closed: Set<string>;
  approvals: string[];
  decided: Set<string>;
  cycles: string[];
  /** Transfer id -> the fine that it paid, and how much of it. */
  finePayments: Map<string, { fine_id: string; amount: number }>;
  /** The fines of which a payment was accepted without its outcome. */
  uncertainFines: Set<string>;
  /** Moves the test clock, by this many days, and does what is due by then. */
  passTime: (days: number) => Promise<void>;
  /** Operation, status and code -> number of such answers. */
  answers: Map<string, number>;
}

/** The random parts of an operation. The integers select the member, the other member and the object among those that exist. */
export interface Draw {
  who: number;
  other: number;
  what: number;
  /** Amounts in percent of the association's contribution amount, including zero and too much. */
  percent: number;
  flag: boolean;
}

export type Act = (world: World, draw: Draw) => Promise<void>;

export function amountOf({ contribution_amount }: World, percent: number): number {
  return Math.floor((contribution_amount * percent) / 100);
}

/** Selects an element by any integer, so that a random integer always selects one. */
export function pick<T>(from: readonly T[], index: number): T | undefined {
  return from.length === 0 ? undefined : from[Math.abs(index) % from.length];
}

/** Selects the first open meeting in three of four cases, so that sequences make progress; otherwise any meeting. */
export function pickMeeting({ meetings, closed }: World, index: number): string | undefined {
  const open = meetings.find((meeting) => !closed.has(meeting));
  return index % 4 === 0 || open === undefined ? pick(meetings, index) : open;
}

/** Selects a pending approval in three of four cases, otherwise any approval. */
export function pickApproval({ approvals, decided }: World, index: number): string | undefined {
  const pending = approvals.filter((approval) => !decided.has(approval));
  return pick(index % 4 === 0 || pending.length === 0 ? approvals : pending, index);
}

/** Records an answer. @throws Error for a status of 5xx, which no request of a client may cause */
export function note(world: World, what: string, answer: HttpAnswer): HttpAnswer {
  const code = answer.status >= 400 && typeof answer.body.code === 'string' ? ` ${answer.body.code}` : '';
  const key = `${what} ${String(answer.status)}${code}`;
  world.answers.set(key, (world.answers.get(key) ?? 0) + 1);
  if (answer.status >= 500) throw new Error(`${what} gave ${String(answer.status)}: ${answer.text}`);
  return answer;
}

export async function listAll(http: TestMember['http'], path: string): Promise<Json[]> {
  const rows: Json[] = [];
  for (let cursor: string | null = null; ;) {
    const query = `limit=200${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const page = await http.ok(`${path}${path.includes('?') ? '&' : '?'}${query}`);
    rows.push(...(page.data as Json[]));
    cursor = page.next_cursor as string | null;
    if (cursor === null) return rows;
  }
}
