import { API_BASE } from '../../lib/contracts/api.ts';
import { BOARD_SIZE, fillMembership, fillWallets, groupOf } from './filled-group.ts';
import { httpLoad, REQUEST_NUMBER, type LoadRequest, type LoadResult, type Phase } from './http-load.ts';
import type { ServiceProcesses } from './service-processes.ts';

const MEMBERS = 200;

/** More than the gateway accepts, so that it must refuse. */
const CONNECTIONS = 1_024;

/** Statuses of reads and writes. */
const DONE = [200, 201];

/** Statuses of refusals that a client may repeat. */
const REFUSED = [429, 503];

const MS_PER_S = 1_000;

/**
 * Four reads and a deposit in turn. At a rate, requests begin when they are due, whether earlier ones are answered or not.
 * @param per_second as fast as `in_flight` connections allow if undefined
 * @param then other rates that follow at once
 */
export type SendLoad = (
  per_second: number | undefined,
  seconds: number,
  in_flight?: number,
  then?: readonly Phase[],
) => Promise<LoadResult>;

/** Fills a group, whose board reads it and whose wallets get the deposits. */
export async function openMixedLoad(
  { cluster, admin }: ServiceProcesses,
  log: (line: string) => void,
): Promise<SendLoad> {
  const group = groupOf(MEMBERS);
  await fillWallets(admin('treasury'), group.members);
  await fillMembership(admin('membership'), group);
  const bearer = (user: string, scope?: string) => ({
    authorization: `Bearer ${cluster.token(user, scope === undefined ? {} : { scope })}`,
  });
  const bank = { ...bearer('the-bank', 'wallets:fund'), 'content-type': 'application/json' };
  let phase = 0;
  const requests = () => {
    phase += 1;
    const reference = `phase ${String(phase)}, ${REQUEST_NUMBER}`;
    return group.members.slice(0, BOARD_SIZE).flatMap(({ user_id, wallet_id }): LoadRequest[] => {
      const reads = [
        '/associations/my',
        `/associations/${group.association_id}/members`,
        '/wallets/my',
        '/associations/my',
      ];
      const deposit = {
        path: `${API_BASE}/wallets/${wallet_id}/deposits`,
        body: JSON.stringify({ amount: 1, reference }),
      };
      return [
        ...reads.map((path) => ({ method: 'GET', path: API_BASE + path, headers: bearer(user_id) })),
        { method: 'POST', headers: bank, ...deposit },
      ];
    });
  };
  return async (per_second, seconds, in_flight = CONNECTIONS, then = []) => {
    const result = await httpLoad({
      origin: cluster.origin,
      requests: requests(),
      cycle: true,
      expected: DONE,
      refused: REFUSED,
      in_flight,
      duration_ms: seconds * MS_PER_S,
      then,
      ...(per_second === undefined ? {} : { per_second }),
    });
    log(`  ${lineOf(per_second, result)}`);
    return result;
  };
}

function lineOf(per_second: number | undefined, { count, seconds, p99_ms, refused }: LoadResult): string {
  const rate = per_second === undefined ? 'as fast as possible' : `at ${per_second.toFixed(0)} /s`;
  const answered = `${String(count)} answered in ${seconds.toFixed(0)} s, p99 ${p99_ms.toFixed(0)} ms`;
  return `${rate}: ${answered}; ${String(refused.count)} refused`;
}
