import type { EventType, LedgerEvent } from '../contracts/events.ts';
import type { Transaction } from '../db/db.ts';

/** What to do about one type of event. */
export interface Subscription<T extends EventType = EventType> {
  /** Names the subscriber for good: its place in the stream and its inbox rows are kept under it. */
  durable: string;
  type: T;
  /**
   * How many events may be handled at once, by all nodes together. More than one (the default) is faster, and for
   * effects that don't depend on the order of events: one may be handled before those that came first.
   */
  in_flight_max?: number;
  /**
   * Applies the event in the transaction that also marks it as seen, and that other events may share. Throwing undoes
   * them all, and brings each again, alone.
   */
  handle(event: LedgerEvent<T>, tx: Transaction): void | Promise<void>;
}
