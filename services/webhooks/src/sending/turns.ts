/** The order in which endpoints get slots that become free: users take turns, so that those with many endpoints wait like others. */

/** More than a user has at once in ordinary use, and some 100 KB of memory. The searches that follow find the other ones. */
export const WAITING_MAX_ENDPOINTS = 1_000;

/** An endpoint, and the user who created it. */
export interface Owned {
  webhook_id: string;
  owner_id: string;
}

export class Turns {
  /** The endpoints that wait, by user. The first user is the next one, and so is the first endpoint of each. */
  readonly #lines = new Map<string, Set<string>>();

  /** Lets an endpoint wait. One that waits already keeps its place. */
  add({ webhook_id, owner_id }: Owned): void {
    let line = this.#lines.get(owner_id);
    if (line === undefined) this.#lines.set(owner_id, (line = new Set()));
    if (line.size < WAITING_MAX_ENDPOINTS) line.add(webhook_id);
  }

  remove({ webhook_id, owner_id }: Owned): void {
    const line = this.#lines.get(owner_id);
    line?.delete(webhook_id);
    if (line?.size === 0) this.#lines.delete(owner_id);
  }

  /** Takes the endpoint that has waited longest, of the first user who has room for it. This user is then the last one. */
  take(hasRoom: (owner_id: string) => boolean): Owned | undefined {
    for (const [owner_id, line] of this.#lines) {
      const [webhook_id] = line;
      if (webhook_id === undefined || !hasRoom(owner_id)) continue;
      this.#lines.delete(owner_id);
      line.delete(webhook_id);
      if (line.size > 0) this.#lines.set(owner_id, line);
      return { webhook_id, owner_id };
    }
    return undefined;
  }

  /** Whether there is room for one of those that wait. */
  isNext(hasRoom: (owner_id: string) => boolean): boolean {
    for (const owner_id of this.#lines.keys()) if (hasRoom(owner_id)) return true;
    return false;
  }
}
