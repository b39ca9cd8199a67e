import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import type pg from 'pg';
import { faultOf } from '../node/log.ts';
import { STREAM } from '../contracts/events.ts';
import type { Clock } from '../node/runtime.ts';
import { ensureStream } from './bus.ts';
import type { Bus } from './bus.ts';
import { isInStream } from './in-stream.ts';
import type { StreamPlace } from './in-stream.ts';
import { newHolder, takeLease } from './lease.ts';
import type { Lease } from './lease.ts';
import { isLost, unmarkLost } from './lost-events.ts';
import { NotAllPublished, publishInOrder } from './publish.ts';
import type { OutboxRow, PublishedRow } from './publish.ts';
import { openWakeUps } from './wake-ups.ts';
import type { WakeUps } from './wake-ups.ts';

/** Bounds the memory of a relay that catches up after an outage. */
const BATCH_MAX_EVENTS = 500;

/**
 * Whoever commits events wakes the relay that leads, wherever it runs. This finds what nobody spoke of: a message was
 * lost, or the process was, right after its commit. Ten times a second, it took half of an idle service's CPU.
 */
const POLL_MS = 1_000;

/**
 * The relay reads at most so often, and events come together between: reading and marking costs the same for one as for
 * many. One that comes alone is read at once. With 10, contributions one at a time took 2.15 times the CPU of their floor
 * instead of 2.0.
 */
const GATHER_MS = 15;

/** How often a node tries to become the relay. */
const FOLLOW_MS = 500;

/** How long it waits after a fault: longer than others, which may be able to publish where it is not. */
const RETRY_MS = 1_000;

/** A plan from when the table was empty may go by the primary key, over all that was ever published. */
const PLAN_EACH_TIME = `SET plan_cache_mode = force_custom_plan`;

/** What a relay is in its outbox's database; neither while it starts, or recovers from a fault. */
type Place = 'leads' | 'follows' | 'neither';

export interface RelayParts {
  /** Of the database with the outbox. */
  pool: pg.Pool;
  bus: Bus;
  /** What the relays of this outbox, in whichever processes they are, know it by: the service's name. */
  outbox: string;
  clock: Clock;
  log: Logger;
  /** How often it looks by itself; a test that is about the wake-ups says never. */
  poll_ms?: number;
}

export interface Relay {
  /** Says that events have been committed. */
  wake(): void;
  stop(): Promise<void>;
}

/**
 * Relays a service's outbox to JetStream: at least once, in order for each association. The outbox stays as it is but
 * for `published_at` and `stream_seq`, set after the stream's acknowledgement.
 *
 * One relay at a time leads: the one with the lease. One that is frozen while it publishes may still send, when it goes
 * on, what it was about to: a copy of what its successor has sent, since only what is not marked is sent. The stream drops
 * it within its duplicate window; later, those who follow the stream know its id.
 */
export function startRelay(parts: RelayParts): Relay {
  return new RunningRelay(parts);
}

class RunningRelay implements Relay {
  readonly #parts: RelayParts;
  readonly #poll_ms: number;
  readonly #holder = newHolder();
  readonly #bell = new Bell();
  readonly #wakeUps: WakeUps;
  readonly #running: Promise<void>;
  readonly #stopped = Promise.withResolvers<undefined>();
  #place: Place = 'neither';
  #stopping = false;
  /** How many lost events are being published again. */
  #lost = 0;

  constructor(parts: RelayParts) {
    const { bus, outbox, log, poll_ms = POLL_MS } = parts;
    this.#parts = parts;
    this.#poll_ms = poll_ms;
    const woken = (): void => {
      if (this.#place === 'leads') this.#bell.ring();
    };
    this.#wakeUps = openWakeUps(bus, { outbox, gather_ms: GATHER_MS, woken, log });
    this.#running = this.#run();
  }

  wake(): void {
    if (this.#place === 'leads') this.#bell.ring();
    else this.#wakeUps.send();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#stopped.resolve(undefined);
    this.#bell.ring();
    await this.#running;
    this.#wakeUps.stop();
  }

  async #run(): Promise<void> {
    do {
      this.#bell.silence();
      try {
        await this.#takePlace();
      } catch (error) {
        this.#place = 'neither';
        this.#parts.log.error('relay: events wait in the outbox', faultOf(error));
        if (this.#stopping) return;
        this.#bell.silence();
        await this.#bell.rest(RETRY_MS);
      }
    } while (!this.#stopping);
  }

  /** Leads until it is stopped or loses the lease, or follows for a while. */
  async #takePlace(): Promise<void> {
    const lease = await takeLease(this.#parts.pool, this.#holder);
    this.#place = lease === undefined ? 'follows' : 'leads';
    if (lease === undefined) {
      if (!this.#stopping) await this.#bell.rest(FOLLOW_MS);
      return;
    }
    try {
      // A statement on a connection that has gone silent must not keep the process from following.
      await Promise.race([this.#lead(lease), lease.lost]);
    } finally {
      await lease.release();
      this.#bell.ring();
    }
  }

  async #lead(lease: Lease): Promise<void> {
    let published: PublishedRow[] = [];
    /** Since the stream was last found to have what it should. */
    let unchecked: PublishedRow[] = [];
    await lease.client.query(PLAN_EACH_TIME);
    let checked = await this.#unmarkLost(lease);
    for (;;) {
      lease.check();
      // What was committed just before a stop is sent before it.
      const isLast = this.#stopping;
      this.#bell.silence();
      const began_ms = performance.now();
      const [first, newest] = [checked ?? unchecked[0], newestOf(unchecked)];
      // In one round trip; of one connection the second sees what the first has marked.
      const [, rows, isWhole] = await Promise.all([
        this.#mark(lease, published),
        nextBatch(lease),
        this.#haveStayed([first, newest]),
      ]);
      if (!isWhole) {
        await this.#remove(lease, unchecked);
        checked = await this.#unmarkLost(lease);
        [published, unchecked] = [[], []];
        continue;
      }
      checked = newest ?? checked;
      if (rows.length === 0) this.#tellFilled();
      published = await this.#publish(lease, rows);
      unchecked = published;
      if (isLast) break;
      if (rows.length === BATCH_MAX_EVENTS) continue;
      if (rows.length > 0) {
        await this.#gatherSince(began_ms);
        if (this.#bell.hasRung) continue;
        await this.#mark(lease, published);
        published = [];
      }
      lease.check();
      await this.#bell.rest(this.#poll_ms);
      await this.#gatherSince(began_ms);
    }
    await this.#mark(lease, published);
  }

  /** True also where a stop comes before the answer: NATS may be away. */
  async #haveStayed(places: (StreamPlace | undefined)[]): Promise<boolean> {
    const { bus, clock } = this.#parts;
    const asked = places.filter((place) => place !== undefined).map((place) => isLost(bus, clock(), place));
    const answers = await Promise.race([Promise.all(asked), this.#stopped.promise]);
    return answers?.includes(true) !== true;
  }

  /**
   * Marks as not published what the stream has lost, so that it is published before anything newer.
   * @returns the newest event that the stream has
   */
  async #unmarkLost(lease: Lease): Promise<StreamPlace | undefined> {
    const { bus, clock, log, outbox } = this.#parts;
    const search = async () => {
      await ensureStream(bus);
      return unmarkLost({ client: lease.client, bus, now: clock(), lease });
    };
    const found = await Promise.race([search(), this.#stopped.promise]);
    if (found === undefined || found.lost === 0) return found?.newest;
    this.#lost += found.lost;
    log.warn('relay: the stream has lost events, which are published again', { outbox, lost: found.lost });
    return found.newest;
  }

  #tellFilled(): void {
    if (this.#lost === 0) return;
    this.#parts.log.info('relay: the stream has its lost events again', {
      outbox: this.#parts.outbox,
      lost: this.#lost,
    });
    this.#lost = 0;
  }

  /** Takes events out of the stream that came to it after it had lost earlier ones: they follow these again. */
  async #remove(lease: Lease, rows: PublishedRow[]): Promise<void> {
    const { bus } = this.#parts;
    for (const row of rows) {
      if (!(await isInStream(bus, row))) continue;
      lease.check();
      await bus.manager.streams.deleteMessage(STREAM, row.stream_seq, false);
    }
  }

  /** One event that cannot be published must not let those of others be forgotten: they would be published again. */
  async #publish(lease: Lease, rows: OutboxRow[]): Promise<PublishedRow[]> {
    try {
      return await publishInOrder(this.#parts.bus, rows, lease);
    } catch (error) {
      if (error instanceof NotAllPublished) await this.#mark(lease, error.published);
      throw error;
    }
  }

  async #mark({ client, epoch }: Lease, rows: PublishedRow[]): Promise<void> {
    if (rows.length === 0) return;
    const positions = rows.map(({ position }) => position.toString());
    const seqs = rows.map(({ stream_seq }) => stream_seq);
    const values = [this.#parts.clock(), positions, seqs, epoch.toString()];
    await client.query({ name: 'outbox.published', text: MARK_PUBLISHED, values });
  }

  async #gatherSince(began_ms: number): Promise<void> {
    const left_ms = GATHER_MS - (performance.now() - began_ms);
    if (left_ms > 0 && !this.#stopping) await sleep(left_ms);
  }
}

/** Cuts rests short. */
class Bell {
  #hasRung = false;
  #cut: (() => void) | undefined;

  /** Whether it has, since it was silenced. */
  get hasRung(): boolean {
    return this.#hasRung;
  }

  ring(): void {
    this.#hasRung = true;
    this.#cut?.();
  }

  silence(): void {
    this.#hasRung = false;
  }

  /** Until it rings; not at all if it has. */
  async rest(ms: number): Promise<void> {
    if (this.#hasRung) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#cut = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** The one that comes last in the stream. */
function newestOf(rows: PublishedRow[]): PublishedRow | undefined {
  return rows.reduce<PublishedRow | undefined>(
    (newest, row) => (newest === undefined || row.stream_seq > newest.stream_seq ? row : newest),
    undefined,
  );
}

async function nextBatch({ client, epoch }: Lease): Promise<OutboxRow[]> {
  const values = [BATCH_MAX_EVENTS, epoch.toString()];
  const { rows } = await client.query<OutboxRow>({ name: 'outbox.next', text: NEXT_BATCH, values });
  return rows;
}

const NEXT_BATCH = `
  SELECT position, event_id, association_id, type, event::text AS event
  FROM outbox WHERE published_at IS NULL AND EXISTS (SELECT FROM outbox_lease WHERE epoch = $2)
  ORDER BY position LIMIT $1`;

const MARK_PUBLISHED = `
  UPDATE outbox SET published_at = $1, stream_seq = published.stream_seq
  FROM unnest($2::bigint[], $3::bigint[]) AS published (position, stream_seq)
  WHERE outbox.position = published.position AND EXISTS (SELECT FROM outbox_lease WHERE epoch = $4)`;
