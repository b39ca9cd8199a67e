import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Pool, Session } from '../db/db.ts';

/** How long a lease lasts unless it is renewed. With FOLLOW_MS of the relay, another takes over within 4 s. */
const LEASE_MS = 3_000;

/** Two renewals in a row may be late. */
const RENEW_MS = 1_000;

/** The holder stops so long before another may start: more than two clocks can differ in 3 s, or a publish takes to leave. */
const MARGIN_MS = 500;

/** A release that takes longer is left to the lease's end. */
const RELEASE_MAX_MS = 1_000;

/** The right to publish an outbox's events: one process at a time has it, on a connection of its own. */
export interface Lease {
  readonly db: Session;
  /** Grows with each holder: statements that name it do nothing for a former one. */
  readonly epoch: bigint;
  /** @throws {LeaseLost} once it has ended, by the holder's own clock */
  check(): void;
  /** Rejects when it ends before release(). */
  readonly lost: Promise<never>;
  /** Gives it back, and ends the connection. */
  release(): Promise<void>;
}

/** The lease has ended: it could not be renewed in time, or another process has it. */
export class LeaseLost extends Error {}

/** Names a process that takes leases; it takes its own again without waiting for its end. */
export function newHolder(): string {
  return `${hostname()} ${String(process.pid)} ${randomUUID()}`;
}

/** Takes the lease if it is free; undefined while another process has it. */
export async function takeLease(db: Pool, holder: string): Promise<Lease | undefined> {
  const asked_ms = performance.now();
  const taken = await db.first<{ epoch: bigint }>(TAKE, [holder, LEASE_MS]);
  if (taken === undefined) return undefined;
  return holdLease(await db.session(), taken.epoch, asked_ms);
}

function holdLease(db: Session, epoch: bigint, asked_ms: number): Lease {
  const end = Promise.withResolvers<never>();
  end.promise.catch(() => undefined);
  let ends_ms = 0;
  let ended: LeaseLost | undefined;
  let ending: NodeJS.Timeout | undefined;

  const lose = (why: string): void => {
    ended ??= new LeaseLost(why);
    clearTimeout(ending);
    clearInterval(renewing);
    end.reject(ended);
  };
  /** Counted from before the database was asked, so that it ends here before it ends there. */
  const extend = (since_ms: number): void => {
    ends_ms = since_ms + LEASE_MS - MARGIN_MS;
    clearTimeout(ending);
    if (ended === undefined)
      ending = setTimeout(lose, ends_ms - performance.now(), 'the lease was not renewed in time');
  };
  const renew = async (): Promise<void> => {
    const since_ms = performance.now();
    try {
      const renewed = await db.run(RENEW, [epoch.toString(), LEASE_MS]);
      if (renewed === 1) extend(since_ms);
      else lose('another process has taken the lease');
    } catch {
      // The holder fails on the same connection, and the lease ends in time.
    }
  };
  const renewing = setInterval(() => void renew(), RENEW_MS);
  extend(asked_ms);

  return {
    db,
    epoch,
    lost: end.promise,
    check() {
      if (ended === undefined && performance.now() >= ends_ms) lose('the lease was not renewed in time');
      if (ended !== undefined) throw ended;
    },
    async release() {
      if (ended === undefined) {
        lose('the lease was given back');
        const late = new Promise((resolve) => setTimeout(resolve, RELEASE_MAX_MS).unref());
        await Promise.race([db.run(RELEASE, [epoch.toString()]).catch(() => undefined), late]);
      }
      db.end(true);
    },
  };
}

// The time of the statement and not of its transaction: it may have waited for another that was taking the lease.
const TAKE = `
  UPDATE outbox_lease
  SET epoch = epoch + 1, holder = $1, expires_at = clock_timestamp() + $2 * interval '1 millisecond'
  WHERE expires_at <= clock_timestamp() OR holder = $1
  RETURNING epoch`;

const RENEW = `
  UPDATE outbox_lease SET expires_at = clock_timestamp() + $2 * interval '1 millisecond' WHERE epoch = $1`;

const RELEASE = `UPDATE outbox_lease SET expires_at = '-infinity' WHERE epoch = $1`;
