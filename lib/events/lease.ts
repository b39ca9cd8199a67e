import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Pool, Session } from '../db/db.ts';

/** How long a lease lasts unless it is renewed. Another relay, which tries every FOLLOW_MS, takes over within 4 s. */
const LEASE_MS = 3_000;

/** Two renewals may be late before the lease ends. */
const RENEW_MS = 1_000;

/**
 * The holder stops this long before another may start: longer than the drift of two clocks in 3 s, and than sending a
 * message takes.
 */
const MARGIN_MS = 500;

/** If a release takes longer, the lease expires instead. */
const RELEASE_MAX_MS = 1_000;

/** The right to publish an outbox's events. One process at a time has it, with a dedicated connection. */
export interface Lease {
  readonly db: Session;
  /** Grows with each holder. Statements that check it have no effect for a former holder. */
  readonly epoch: bigint;
  /** @throws LeaseLost once the lease has ended, by the holder's own clock */
  check(): void;
  /** Rejects when the lease ends before release(). */
  readonly lost: Promise<never>;
  /** Releases the lease, and closes the connection. */
  release(): Promise<void>;
}

/** The lease has ended: it could not be renewed in time, or another process has it. */
export class LeaseLost extends Error {}

/** Returns a name for a process that takes leases. With it, the process can take its own lease again before it expires. */
export function newHolder(): string {
  return `${hostname()} ${String(process.pid)} ${randomUUID()}`;
}

/** Takes the lease if it is free; returns undefined while another process has it. */
export async function takeLease(db: Pool, holder: string): Promise<Lease | undefined> {
  const asked_ms = performance.now();
  const taken = await db.first<{ epoch: bigint }>(TAKE, [holder, LEASE_MS]);
  if (taken === undefined) return undefined;
  return holdLease(await db.session(), taken.epoch, asked_ms);
}

function holdLease(db: Session, epoch: bigint, asked_ms: number): Lease {
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => undefined);
  let ends_ms = 0;
  let ended: LeaseLost | undefined;
  let expiry: NodeJS.Timeout | undefined;

  const end = (why: string): void => {
    ended ??= new LeaseLost(why);
    clearTimeout(expiry);
    clearInterval(renewing);
    lost.reject(ended);
  };
  /** Counts from before the statement was sent, so that the lease ends here before it expires in the database. */
  const extend = (since_ms: number): void => {
    ends_ms = since_ms + LEASE_MS - MARGIN_MS;
    clearTimeout(expiry);
    if (ended !== undefined) return;
    // A process that was busy for longer than the lease has no time left.
    const left_ms = Math.max(0, ends_ms - performance.now());
    expiry = setTimeout(end, left_ms, 'the lease was not renewed in time');
  };
  const renew = async (): Promise<void> => {
    const since_ms = performance.now();
    try {
      const renewed = await db.run(RENEW, [epoch.toString(), LEASE_MS]);
      if (renewed === 1) extend(since_ms);
      else end('another process has taken the lease');
    } catch {
      // The holder's statements on this connection fail as well, and the lease expires.
    }
  };
  const renewing = setInterval(() => void renew(), RENEW_MS);
  extend(asked_ms);

  return {
    db,
    epoch,
    lost: lost.promise,
    check() {
      if (ended === undefined && performance.now() >= ends_ms) end('the lease was not renewed in time');
      if (ended !== undefined) throw ended;
    },
    async release() {
      if (ended === undefined) {
        end('the lease was released');
        const late = new Promise((resolve) => setTimeout(resolve, RELEASE_MAX_MS).unref());
        await Promise.race([db.run(RELEASE, [epoch.toString()]).catch(() => undefined), late]);
      }
      db.end(true);
    },
  };
}

// Not now(): the statement may have waited for another process that was taking the lease.
const TAKE = `
  UPDATE outbox_lease
  SET epoch = epoch + 1, holder = $1, expires_at = clock_timestamp() + $2 * interval '1 millisecond'
  WHERE expires_at <= clock_timestamp() OR holder = $1
  RETURNING epoch`;

const RENEW = `
  UPDATE outbox_lease SET expires_at = clock_timestamp() + $2 * interval '1 millisecond' WHERE epoch = $1`;

const RELEASE = `UPDATE outbox_lease SET expires_at = '-infinity' WHERE epoch = $1`;
