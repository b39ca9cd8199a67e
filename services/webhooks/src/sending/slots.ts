/** Counts slots that are taken, of all and of each user, and says how many are free. */

/** A request needs some 50 KiB: together at most 50 MiB. Ten times what 100 deliveries a second need at 1 s each. */
export const IN_FLIGHT_MAX = 1_000;

/** For all suspects: endpoints that fail or are slow. The other slots stay free for those that work. */
export const SUSPECT_IN_FLIGHT_MAX = 250;

/** For the endpoints that one user has created: enough for 1 000 deliveries a second that are answered within 100 ms. */
export const OWNER_IN_FLIGHT_MAX = 100;

/** For the suspects of one user. It takes 25 users with as many before those of another one have to wait. */
export const OWNER_SUSPECT_MAX = 10;

interface Taken {
  running: number;
  /** Those of suspects among them. */
  suspects: number;
}

const NONE: Taken = { running: 0, suspects: 0 };

export class Slots {
  readonly all: Taken = { ...NONE };
  readonly #owners = new Map<string, Taken>();

  /** Counts slots that endpoints of a user take; give them back with a negative count. */
  count(owner_id: string, isSuspect: boolean, count: number): void {
    const own = this.#owners.get(owner_id) ?? { ...NONE };
    for (const taken of [this.all, own]) {
      taken.running += count;
      if (isSuspect) taken.suspects += count;
    }
    if (own.running === 0) this.#owners.delete(owner_id);
    else this.#owners.set(owner_id, own);
  }

  /** Returns how many slots are free for all suspects together, or for all endpoints that work. */
  free(isSuspect: boolean): number {
    const free = IN_FLIGHT_MAX - this.all.running;
    return isSuspect ? Math.min(free, SUSPECT_IN_FLIGHT_MAX - this.all.suspects) : free;
  }

  /** As free(), for those of one user. */
  freeFor(owner_id: string, isSuspect: boolean): number {
    const own = this.#owners.get(owner_id) ?? NONE;
    const free = Math.min(this.free(isSuspect), OWNER_IN_FLIGHT_MAX - own.running);
    return isSuspect ? Math.min(free, OWNER_SUSPECT_MAX - own.suspects) : free;
  }

  copy(): Slots {
    const copy = new Slots();
    Object.assign(copy.all, this.all);
    for (const [owner_id, own] of this.#owners) copy.#owners.set(owner_id, { ...own });
    return copy;
  }
}
