import { closedLoop } from './closed-loop.ts';
import type { Done } from './closed-loop.ts';

/** A ledger that takes transfers from many accounts into one pool. */
export interface HotLedger {
  name: string;
  /**
   * Resolves when the transfer is committed.
   * @param id a fresh UUIDv7
   * @param payer the number of the account that pays
   * @throws if it was not posted
   */
  transfer(id: string, payer: number): Promise<void>;
  /** How many transfers into the pool the database holds. */
  posted(): Promise<number>;
  stop(): Promise<void>;
}

/** So many ids are held before it is known how many a second takes; those that are missing are made when needed. */
const FIRST_IDS_PER_SECOND = 20_000;
/** A figure may be so much greater than any before it. */
const SPARE_FACTOR = 1.5;
const MS_PER_S = 1_000;

/** Ids that were made before they are needed, each used once. They sort by the order of their use, as ids in life do. */
export class IdSupply {
  readonly #newId: () => string;
  #ids: string[] = [];
  /** Since it was last stocked, for so many seconds. */
  #used = 0;
  #seconds = 1;
  #per_second = FIRST_IDS_PER_SECOND;

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /**
   * Sees to it that there are as many as `duration_ms` may take, going by what took the most so far. Not many more:
   * what lies in memory is looked at whenever memory is cleaned up, which the figure would pay for.
   */
  stock(duration_ms: number): void {
    this.#per_second = Math.max(this.#per_second, (this.#used / this.#seconds) * SPARE_FACTOR);
    this.#seconds = duration_ms / MS_PER_S;
    this.#ids = this.#ids.slice(this.#used);
    this.#used = 0;
    const wanted = Math.ceil(this.#seconds * this.#per_second);
    while (this.#ids.length < wanted) this.#ids.push(this.#newId());
  }

  next(): string {
    const id = this.#ids[this.#used] ?? this.#newId();
    this.#used += 1;
    return id;
  }
}

/**
 * Posts with `in_flight` transfers under way for `duration_ms`.
 * @param payers how many accounts there are to pay from, at least `in_flight`
 * @throws if the database does not hold exactly what was posted
 */
export async function postFor(
  ledger: HotLedger,
  ids: IdSupply,
  { in_flight, duration_ms, payers }: { in_flight: number; duration_ms: number; payers: number },
): Promise<Done> {
  ids.stock(duration_ms);
  const before = await ledger.posted();
  const done = await closedLoop({ in_flight, duration_ms }, (n) => ledger.transfer(ids.next(), n % payers));
  const held = (await ledger.posted()) - before;
  if (held !== done.count) throw new Error(`${String(done.count)} transfers were answered, ${String(held)} are there`);
  return done;
}
