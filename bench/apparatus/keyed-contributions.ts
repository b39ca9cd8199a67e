import { randomUUID } from 'node:crypto';
import { API_BASE } from '../../lib/contracts/api.ts';
import type { Cluster } from '../../test/support/cluster.ts';
import { ContributionLoad } from './contribution-load.ts';
import type { ContributingGroup } from './contribution-load.ts';
import { httpLoad } from './http-load.ts';
import type { LoadRequest, LoadResult } from './http-load.ts';

/** Before a rate is known: more than two cores ever manage. */
const FIRST_GUESS_PER_S = 2_000;
/** How many more requests are prepared than the last rate lets expect. */
const SPARE = 2.5;

/** Contributions as an app sends them that may have to repeat one: each with an `Idempotency-Key`. */
export class KeyedContributions {
  readonly #origin: string;
  readonly #group: ContributingGroup;
  readonly #load: ContributionLoad;
  #per_second = FIRST_GUESS_PER_S;

  private constructor(origin: string, group: ContributingGroup, load: ContributionLoad) {
    this.#origin = origin;
    this.#group = group;
    this.#load = load;
  }

  static async of(cluster: Cluster, group: ContributingGroup): Promise<KeyedContributions> {
    return new KeyedContributions(cluster.origin, group, await ContributionLoad.of(cluster, [group]));
  }

  /** Contributes for so long, and insists that each is paid at once. */
  async run(in_flight: number, duration_ms: number): Promise<LoadResult> {
    const count = Math.ceil((this.#per_second * SPARE * duration_ms) / 1_000) + in_flight;
    const requests = Array.from({ length: count }, (_, number) => this.#request(number));
    const result = await httpLoad({ origin: this.#origin, requests, expected: [201], in_flight, duration_ms });
    this.#per_second = result.count / result.seconds;
    return result;
  }

  #request(number: number): LoadRequest {
    const { group, meeting_id } = this.#group;
    const member = group.members[number % group.members.length]!;
    const pin = this.#load.seal(member).toString('base64');
    return {
      method: 'POST',
      path: `${API_BASE}${group.path}/meetings/${meeting_id}/contribute`,
      headers: {
        authorization: `Bearer ${member.http.token}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      body: JSON.stringify({ wallet_id: member.wallet_id, amount: 1, pin }),
    };
  }
}
