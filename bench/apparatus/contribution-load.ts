import { constants, createPublicKey, publicEncrypt, randomUUID } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { API_BASE } from '../../lib/contracts/api.ts';
import type { Cluster } from '../../test/harness/cluster.ts';
import { foundGroup } from '../../test/harness/group.ts';
import type { TestGroup, TestMember } from '../../test/harness/group.ts';
import type { PublicKey } from '../../test/harness/pins.ts';
import { AMOUNT_MINOR } from './amounts.ts';
import { httpLoad } from './http-load.ts';
import type { LoadMoments, LoadPlan, LoadRequest, LoadResult } from './http-load.ts';

/** A group with a meeting outside of a cycle, to which its members contribute as often as they like. */
export interface ContributingGroup {
  group: TestGroup;
  meeting_id: string;
}

/** Twice as many as are in flight in the row with the goal: nobody pays twice at the same time. */
export const GROUP_SIZE = 64;
const MAX_MEMBERS = 100;

/** The least at a time: enough for every round. */
const FUNDING = 1_000_000;

/** How many more requests are prepared than the last rate lets expect: a cold start is half as fast as what follows. */
const SPARE = 2.5;
/** Before a rate is known: more than two cores ever manage. */
const FIRST_GUESS_PER_S = 2_500;
/** A round that was disturbed says little about the next. */
const RATE_LEAST_PER_S = 200;

const MS_PER_S = 1_000;

/** Founds it over HTTP: members with PINs and money in their wallets. */
export async function foundContributingGroup(cluster: Cluster): Promise<ContributingGroup> {
  const association = { max_members: MAX_MEMBERS };
  const group = await foundGroup(cluster, { size: GROUP_SIZE, funding: FUNDING, association });
  const { id } = await group.members[0]!.http.created(`${group.path}/meetings`, {});
  return { group, meeting_id: id as string };
}

interface Payer {
  path: string;
  member: TestMember;
}

interface LoadOptions {
  /** As an app sends contributions that may have to repeat one: each with an `Idempotency-Key`. */
  keyed?: boolean;
}

/** The members of one or more groups contribute, one after the other and the groups by turns. */
export class ContributionLoad {
  readonly #origin: string;
  readonly #payers: Payer[];
  readonly #key: KeyObject;
  readonly #isKeyed: boolean;
  #per_second = FIRST_GUESS_PER_S;

  private constructor(origin: string, payers: Payer[], key: KeyObject, isKeyed: boolean) {
    this.#origin = origin;
    this.#payers = payers;
    this.#key = key;
    this.#isKeyed = isKeyed;
  }

  static async of(
    cluster: Cluster,
    groups: readonly ContributingGroup[],
    { keyed = false }: LoadOptions = {},
  ): Promise<ContributionLoad> {
    const payers = Array.from({ length: GROUP_SIZE }, (_, index) =>
      groups.map(({ group, meeting_id }) => ({
        path: `${API_BASE}${group.path}/meetings/${meeting_id}/contribute`,
        member: group.members[index]!,
      })),
    ).flat();
    const { keys } = await payers[0]!.member.http.ok('/keys/pin');
    const [newest] = keys as PublicKey[];
    return new ContributionLoad(cluster.origin, payers, createPublicKey({ key: newest!, format: 'jwk' }), keyed);
  }

  /** Contributes for so long with so many in flight, and insists that each is paid at once. */
  async run(in_flight: number, duration_ms: number, moments: LoadMoments = {}): Promise<LoadResult> {
    const requests = this.#prepare((this.#per_second * SPARE * duration_ms) / MS_PER_S + in_flight);
    const result = await httpLoad({ ...this.#plan(requests), in_flight, duration_ms }, moments);
    this.#per_second = Math.max(RATE_LEAST_PER_S, result.count / result.seconds);
    return result;
  }

  /** Contributes at a fixed rate, over at most so many connections. */
  runAt(per_second: number, in_flight: number, duration_ms: number): Promise<LoadResult> {
    const requests = this.#prepare((per_second * duration_ms) / MS_PER_S + 1);
    return httpLoad({ ...this.#plan(requests), in_flight, duration_ms, per_second });
  }

  /** Forgets the rate of another number in flight. */
  forgetRate(): void {
    this.#per_second = FIRST_GUESS_PER_S;
  }

  /** A sealed PIN as a client sends it: a new ciphertext each time. */
  seal(member: TestMember): Buffer {
    const how = { key: this.#key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
    return publicEncrypt(how, Buffer.from(member.http.pin));
  }

  /** The contribution of whoever's turn it is at this number, with a PIN that is sealed anew. */
  request(number: number): LoadRequest {
    const { path, member } = this.#payers[number % this.#payers.length]!;
    const pin = this.seal(member).toString('base64');
    return {
      method: 'POST',
      path,
      headers: {
        authorization: `Bearer ${member.http.token}`,
        'content-type': 'application/json',
        ...(this.#isKeyed ? { 'idempotency-key': randomUUID() } : {}),
      },
      body: JSON.stringify({ wallet_id: member.wallet_id, amount: AMOUNT_MINOR, pin }),
    };
  }

  #plan(requests: LoadRequest[]): Pick<LoadPlan, 'origin' | 'requests' | 'expected'> {
    return { origin: this.#origin, requests, expected: [201] };
  }

  #prepare(count: number): LoadRequest[] {
    return Array.from({ length: Math.ceil(count) }, (_, number) => this.request(number));
  }
}
