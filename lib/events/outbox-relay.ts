import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorCode, NatsError } from 'nats';
import { STREAM } from '../contracts/events.ts';
import type { Pool } from '../db/db.ts';
import { faultOf } from '../errors/fault.ts';
import { untilAborted } from '../node/until-aborted.ts';
import type { Log } from '../node/logger.ts';
import type { Clock } from '../node/clock.ts';
import { lostEvents, publishDelay, publishedEvents, relayLeads } from '../telemetry/metrics.ts';
import { ensureStream, isInStream, type StreamPlace, type StreamBus } from './stream.ts';
import { newHolder, takeLease, type Lease } from './lease.ts';
import { isLost, unmarkLost } from './lost-events.ts';
import { openNotifications, type Notifications } from './notifications.ts';
import { publishInOrder, type OutboxRow, type PublishedRow } from './publish.ts';

/** Bounds the memory of a relay that catches up after an outage. */
const BATCH_MAX_EVENTS = 500;

/**
 * Each commit of events notifies the leading relay, wherever it runs. The poll finds events whose notification was lost,
 * or whose process ended right after its commit. Ten polls a second took half of an idle service's CPU.
 */
const POLL_MS = 1_000;

/**
 * The outbox is read at most this often, so that events share a batch: reading and marking costs the same for one event as
 * for many. A single event is read immediately. With 10 ms, contributions one after another took 2.15 times the CPU of
 * their cost floor instead of 2.0.
 */
const BATCH_INTERVAL_MS = 15;

/** How often a node without the lease tries to get it. */
const FOLLOW_MS = 500;

/** The wait after a fault: longer than FOLLOW_MS, as another node may be able to publish where this one is not. */
const RETRY_MS = 1_000;

/** A generic plan, made when the table was empty, may read all events that were ever published, by the primary key. */
const PLAN_EACH_TIME = `SET plan_cache_mode = force_custom_plan`;

/**
 * Refused publishes one after another, about one a second, after which the log says that the stream is broken. Each follows a
 * check that the stream exists; a server that starts answers sooner.
 */
const BROKEN_AFTER_FAILURES = 5;

export interface RelayParts {
  /** The database with the outbox. */
  db: Pool;
  bus: StreamBus;
  /** The service's name, which identifies the outbox. */
  outbox: string;
  clock: Clock;
  log: Log;
  /** Replaces POLL_MS in tests of notifications. */
  poll_ms?: number;
}

export interface Relay {
  /** Tells the leading relay that events have been committed. */
  notify(): void;
  stop(): Promise<void>;
}

/**
 * Publishes a service's outbox to JetStream: at least once, in order for each association. Rows stay in the outbox;
 * `published_at` and `stream_seq` are set after the stream's acknowledgement.
 *
 * The relay with the lease leads, and only it publishes. If it was frozen while it published, it may send copies of events
 * that its successor has published. The stream drops copies within its duplicate window, and later ones are in the
 * subscribers' inboxes.
 */
export function startRelay(parts: RelayParts): Relay {
  return new OutboxRelay(parts);
}

class OutboxRelay implements Relay {
  readonly #parts: RelayParts;
  readonly #poll_ms: number;
  readonly #holder = newHolder();
  readonly #signal = new Signal();
  readonly #notifications: Notifications;
  readonly #running: Promise<void>;
  readonly #stopping = new AbortController();
  #isLeader = false;
  /** How many lost events are being published again. */
  #lost_events = 0;
  /** How often one after another the existing stream has not accepted events. */
  #unaccepted = 0;

  constructor(parts: RelayParts) {
    const { bus, outbox, log, poll_ms = POLL_MS } = parts;
    this.#parts = parts;
    this.#poll_ms = poll_ms;
    const onNotification = (): void => {
      if (this.#isLeader) this.#signal.set();
    };
    this.#notifications = openNotifications(bus, { outbox, interval_ms: BATCH_INTERVAL_MS, onNotification, log });
    this.#running = this.#run();
  }

  #setLeader(isLeader: boolean): void {
    this.#isLeader = isLeader;
    relayLeads.set({ outbox: this.#parts.outbox }, isLeader ? 1 : 0);
  }

  notify(): void {
    if (this.#isLeader) this.#signal.set();
    else this.#notifications.send();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#signal.set();
    await this.#running;
    this.#notifications.stop();
  }

  async #run(): Promise<void> {
    do {
      this.#signal.clear();
      try {
        await this.#leadOrFollow();
      } catch (error) {
        this.#setLeader(false);
        this.#report(error);
        if (this.#stopping.signal.aborted) return;
        this.#signal.clear();
        await this.#signal.wait(RETRY_MS);
      }
    } while (!this.#stopping.signal.aborted);
  }

  /** Some versions of NATS can leave a stream that exists, but accepts nothing: only an operator can mend it. */
  #report(error: unknown): void {
    const { log, outbox } = this.#parts;
    this.#unaccepted = isUnaccepted(error) ? this.#unaccepted + 1 : 0;
    if (this.#unaccepted < BROKEN_AFTER_FAILURES) log.error('relay: events wait in the outbox', faultOf(error));
    else
      log.error('relay: the stream exists but accepts no events: see docs/runbook.md, EventsNotPublished', { outbox });
  }

  /** Leads until it is stopped or loses the lease; without the lease, waits for a while. */
  async #leadOrFollow(): Promise<void> {
    const lease = await takeLease(this.#parts.db, this.#holder);
    this.#setLeader(lease !== undefined);
    if (lease === undefined) {
      if (!this.#stopping.signal.aborted) await this.#signal.wait(FOLLOW_MS);
      return;
    }
    try {
      // A statement on a silent connection must not prevent the process from following.
      await Promise.race([this.#lead(lease), lease.lost]);
    } finally {
      await lease.release();
      this.#signal.set();
    }
  }

  async #lead(lease: Lease): Promise<void> {
    let published: PublishedRow[] = [];
    /** Published since the stream was last checked for lost events. */
    let unchecked: PublishedRow[] = [];
    await lease.db.run(PLAN_EACH_TIME);
    let checked = await this.#unmarkLost(lease);
    for (;;) {
      lease.check();
      // Events that were committed just before a stop are still published.
      const isLast = this.#stopping.signal.aborted;
      this.#signal.clear();
      const began_ms = performance.now();
      const first = checked ?? unchecked[0];
      const newest = newestOf(unchecked);
      // The statements share a round trip; on one connection, the second sees what the first has marked.
      const [, rows, hasLosses] = await Promise.all([
        this.#mark(lease, published),
        nextBatch(lease),
        this.#hasLost([first, newest]),
      ]);
      if (hasLosses) {
        await this.#remove(lease, unchecked);
        checked = await this.#unmarkLost(lease);
        published = [];
        unchecked = [];
        continue;
      }
      checked = newest ?? checked;
      if (rows.length === 0) this.#reportRefilled();
      published = await this.#publish(lease, rows);
      unchecked = published;
      if (isLast) break;
      if (rows.length === BATCH_MAX_EVENTS) continue;
      if (rows.length > 0) {
        await this.#waitForBatch(began_ms);
        if (this.#signal.isSet) continue;
        await this.#mark(lease, published);
        published = [];
      }
      lease.check();
      await this.#signal.wait(this.#poll_ms);
      await this.#waitForBatch(began_ms);
    }
    await this.#mark(lease, published);
  }

  /** Whether the stream has lost one of these events; false if the relay is stopped first, as NATS may be unavailable. */
  async #hasLost(places: (StreamPlace | undefined)[]): Promise<boolean> {
    const { bus, clock } = this.#parts;
    const asked = places.filter((place) => place !== undefined).map((place) => isLost(bus, clock(), place));
    const answers = await untilAborted(Promise.all(asked), this.#stopping.signal);
    return answers?.includes(true) === true;
  }

  /**
   * Marks events that the stream has lost as not published, so that they are published before newer ones.
   * @returns the newest event that the stream has
   */
  async #unmarkLost(lease: Lease): Promise<StreamPlace | undefined> {
    const { bus, clock, log, outbox } = this.#parts;
    const search = async () => {
      await ensureStream(bus);
      return unmarkLost({ db: lease.db, bus, now: clock(), lease });
    };
    const found = await untilAborted(search(), this.#stopping.signal);
    if (found !== undefined && found.lost_archives > 0) {
      const how = 'npm run republish -- --archive DIR publishes them';
      log.warn(`relay: the stream lacks archived events: ${how}`, { outbox, files: found.lost_archives });
    }
    if (found === undefined || found.lost === 0) return found?.newest;
    this.#lost_events += found.lost;
    lostEvents.inc({ outbox }, found.lost);
    log.warn('relay: the stream has lost events, which are published again', { outbox, lost: found.lost });
    return found.newest;
  }

  #reportRefilled(): void {
    if (this.#lost_events === 0) return;
    const { log, outbox } = this.#parts;
    log.info('relay: the stream has its lost events again', { outbox, lost: this.#lost_events });
    this.#lost_events = 0;
  }

  /** Removes events that the stream got after it had lost earlier ones, so that they are published again after those. */
  async #remove(lease: Lease, rows: PublishedRow[]): Promise<void> {
    const { bus } = this.#parts;
    for (const row of rows) {
      if (!(await isInStream(bus, row))) continue;
      lease.check();
      await bus.manager.streams.deleteMessage(STREAM, row.stream_seq, false);
    }
  }

  /** If one event could not be published, marks the others before it throws, as they would otherwise be published again. */
  async #publish(lease: Lease, rows: OutboxRow[]): Promise<PublishedRow[]> {
    const { published, failure } = await publishInOrder(this.#parts.bus, rows, lease);
    this.#measure(published);
    if (failure === undefined) return published;
    await this.#mark(lease, published);
    throw failure;
  }

  #measure(published: PublishedRow[]): void {
    const { outbox, clock } = this.#parts;
    publishedEvents.inc({ outbox }, published.length);
    const delays = publishDelay.labels(outbox);
    const now_ms = clock().getTime();
    for (const { event_id } of published) delays.observe(Math.max(0, now_ms - createdAt_ms(event_id)) / 1_000);
  }

  async #mark({ db, epoch }: Lease, rows: PublishedRow[]): Promise<void> {
    if (rows.length === 0) return;
    const positions = rows.map(({ position }) => position.toString());
    const seqs = rows.map(({ stream_seq }) => stream_seq);
    await db.run(MARK_PUBLISHED, [this.#parts.clock(), positions, seqs, epoch.toString()]);
  }

  async #waitForBatch(began_ms: number): Promise<void> {
    const left_ms = BATCH_INTERVAL_MS - (performance.now() - began_ms);
    if (left_ms > 0 && !this.#stopping.signal.aborted) await sleep(left_ms);
  }
}

/** Returns the time in a UUIDv7, in Unix milliseconds (RFC 9562, section 5.7). An event's id is made with the event. */
function createdAt_ms(id: string): number {
  return parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** A flag that ends a wait when it is set. */
class Signal {
  #isSet = false;
  #endWait: (() => void) | undefined;

  get isSet(): boolean {
    return this.#isSet;
  }

  set(): void {
    this.#isSet = true;
    this.#endWait?.();
  }

  clear(): void {
    this.#isSet = false;
  }

  /** Waits until the flag is set, at most `ms`. Returns immediately if it is already set. */
  async wait(ms: number): Promise<void> {
    if (this.#isSet) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Whether no server has taken a published event. As the relay began to lead, the stream existed. */
function isUnaccepted(error: unknown): boolean {
  return error instanceof NatsError && error.code === (ErrorCode.NoResponders as string);
}

/** Returns the last of the events in the stream. */
function newestOf(rows: PublishedRow[]): PublishedRow | undefined {
  return rows.reduce<PublishedRow | undefined>(
    (newest, row) => (newest === undefined || row.stream_seq > newest.stream_seq ? row : newest),
    undefined,
  );
}

function nextBatch({ db, epoch }: Lease): Promise<OutboxRow[]> {
  return db.rows<OutboxRow>(NEXT_BATCH, [BATCH_MAX_EVENTS, epoch.toString()]);
}

const NEXT_BATCH = {
  name: 'outbox.next',
  text: `
    SELECT position, event_id, association_id, type, event::text AS event
    FROM outbox WHERE published_at IS NULL AND EXISTS (SELECT FROM outbox_lease WHERE epoch = $2)
    ORDER BY position LIMIT $1`,
};

const MARK_PUBLISHED = {
  name: 'outbox.published',
  text: `
    UPDATE outbox SET published_at = $1, stream_seq = published.stream_seq
    FROM unnest($2::bigint[], $3::bigint[]) AS published (position, stream_seq)
    WHERE outbox.position = published.position AND EXISTS (SELECT FROM outbox_lease WHERE epoch = $4)`,
};
