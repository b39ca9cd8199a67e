import { constants, createPublicKey, publicEncrypt, type KeyObject } from 'node:crypto';
import { API_BASE } from '../../lib/contracts/api.ts';
import type { Cluster } from '../../test/harness/cluster.ts';
import { foundGroup, type TestGroup } from '../../test/harness/group.ts';
import type { TestMember } from '../../test/harness/test-member.ts';
import type { PublicKey } from '../../test/harness/pins.ts';
import type { Moments } from './cpu-time.ts';
import { httpLoad, type LoadRequest, type LoadResult } from './http-load.ts';
import { AMOUNT_MINOR } from './hot-ledger.ts';
import type { Load } from './worker.ts';

/** A group with a meeting outside a cycle, to which members contribute any number of times. */
export interface ContributingGroup {
  group: TestGroup;
  meeting_id: string;
}

/** Twice the number in flight of the row with the goal, so that no member has two concurrent payments. */
const GROUP_SIZE = 64;
const MAX_MEMBERS = 100;

/** Balance of each wallet; contributions move the smallest amount, so it suffices for all rounds. */
const FUNDING = 1_000_000;

/** Rate for which requests are prepared; two cores never reach it. */
const RATE_MAX_PER_S = 2_500;

const MS_PER_S = 1_000;

/** Founds a group of members with PINs and funded wallets over HTTP. */
export async function foundContributingGroup(cluster: Cluster): Promise<ContributingGroup> {
  const association = { max_members: MAX_MEMBERS };
  const group = await foundGroup(cluster, { size: GROUP_SIZE, funding: FUNDING, association });
  const { id } = await group.members[0]!.http.created(`${group.path}/meetings`, {});
  return { group, meeting_id: id as string };
}

/** Contributions of the members of a group over HTTP, in turn. */
export class ContributionLoad {
  readonly #origin: string;
  readonly #contributing: ContributingGroup;
  readonly #key: KeyObject;

  private constructor(origin: string, contributing: ContributingGroup, key: KeyObject) {
    this.#origin = origin;
    this.#contributing = contributing;
    this.#key = key;
  }

  static async of({ origin }: Cluster, contributing: ContributingGroup): Promise<ContributionLoad> {
    const { keys } = await contributing.group.members[0]!.http.ok('/keys/pin');
    const [newest] = keys as PublicKey[];
    return new ContributionLoad(origin, contributing, createPublicKey({ key: newest!, format: 'jwk' }));
  }

  /**
   * Contributes with `in_flight` concurrent requests, or at a fixed rate over at most as many connections.
   * @throws if a contribution is not answered as paid
   */
  run(load: Load & { per_second?: number }, moments?: Moments): Promise<LoadResult> {
    const count = ((load.per_second ?? RATE_MAX_PER_S) * load.duration_ms) / MS_PER_S + load.in_flight;
    const requests = Array.from({ length: Math.ceil(count) }, (_, number) => this.request(number));
    return httpLoad({ origin: this.#origin, requests, expected: [201], ...load }, moments);
  }

  /** Encrypts a PIN as a client does, with a new ciphertext in each call. */
  encryptPin(member: TestMember): Buffer {
    const how = { key: this.#key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
    return publicEncrypt(how, Buffer.from(member.http.pin));
  }

  /** Creates the request with this number, of the member whose turn it is, with a newly encrypted PIN. */
  request(number: number): LoadRequest {
    const { group, meeting_id } = this.#contributing;
    const member = group.members[number % group.members.length]!;
    const pin = this.encryptPin(member).toString('base64');
    return {
      method: 'POST',
      path: `${API_BASE}${group.path}/meetings/${meeting_id}/contribute`,
      headers: { authorization: `Bearer ${member.http.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ wallet_id: member.wallet_id, amount: AMOUNT_MINOR, pin }),
    };
  }
}
