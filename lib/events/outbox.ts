import { PUBLISHERS, type EventData, type EventType, type LedgerEvent } from '../contracts/events.ts';
import { columnsOf } from '../db/columns.ts';
import type { Transaction } from '../db/db.ts';
import type { Clock } from '../node/clock.ts';
import { currentActivity, type Activity } from '../tracing/activity.ts';

/** The content of an event, without its id and time. `association_id` is null if it concerns only a wallet or a user. */
export type Fact = { [T in EventType]: { type: T; association_id: string | null; data: EventData[T] } }[EventType] & {
  /** What caused it, if that is not the current activity: a batch has facts of several requests. */
  cause?: Activity | undefined;
};

/** A new row of `outbox`. */
export interface OutboxRow {
  event_id: string;
  association_id: string | null;
  type: EventType;
  /** JSON */
  event: string;
}

/** Builds a service's events from facts, and writes them to its outbox. */
export class Outbox {
  readonly #service: string;
  readonly #clock: Clock;
  readonly #newId: () => string;
  #onCommit: () => void = () => undefined;

  constructor(service: string, clock: Clock, newId: () => string) {
    this.#service = service;
    this.#clock = clock;
    this.#newId = newId;
  }

  /** Sets the function that is called after each commit of events. */
  onCommit(notify: () => void): void {
    this.#onCommit = notify;
  }

  /** Writes the facts' events in the caller's transaction, in order. */
  append(tx: Pick<Transaction, 'send' | 'afterCommit'>, ...facts: Fact[]): void {
    if (facts.length === 0) return;
    tx.send(APPEND, columnsOf(this.rowsOf(facts), 'event_id', 'association_id', 'type', 'event'));
    tx.afterCommit(() => this.committed());
  }

  /** Returns the facts' events, for statements that write them with other rows. Call committed() after the commit. */
  rowsOf(facts: readonly Fact[]): OutboxRow[] {
    return facts.map((fact) => {
      const event = this.#eventOf(fact);
      const { association_id, type } = fact;
      return { event_id: event.id, association_id, type, event: JSON.stringify(event) };
    });
  }

  /** Notifies the relay that events were committed. */
  committed(): void {
    this.#onCommit();
  }

  #eventOf(fact: Fact): LedgerEvent {
    const { request_id, traceparent } = fact.cause ?? currentActivity() ?? {};
    // NATS would refuse it again and again, and the events after it would wait.
    if (PUBLISHERS[fact.type] !== this.#service) throw new Error(`${this.#service} does not publish ${fact.type}`);
    return {
      specversion: '1.0',
      id: this.#newId(),
      source: `/association-service/${this.#service}`,
      type: fact.type,
      ...(fact.association_id === null ? {} : { subject: fact.association_id }),
      time: this.#clock().toISOString(),
      datacontenttype: 'application/json',
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(request_id === undefined ? {} : { requestid: request_id }),
      data: fact.data,
    };
  }
}

const APPEND = {
  name: 'outbox.append',
  text: `
    INSERT INTO outbox (event_id, association_id, type, event)
    SELECT event_id, association_id, type, event
    FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::json[])
      WITH ORDINALITY AS facts (event_id, association_id, type, event, position)
    ORDER BY position`,
};
