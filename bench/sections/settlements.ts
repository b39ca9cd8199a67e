import pg from 'pg';
import { API_BASE } from '../../lib/contracts/api.ts';
import { settle } from '../../lib/contracts/contribution.ts';
import { startClientNode } from '../apparatus/client-node.ts';
import type { ClientNode } from '../apparatus/client-node.ts';
import {
  fillGroups,
  fillRounds,
  payByTreasury,
  payPlainly,
  plainTables,
  serviceTables,
} from '../apparatus/groups-to-settle.ts';
import type { SettlementTables, ToSettle } from '../apparatus/groups-to-settle.ts';
import { cpuDuring, perOperation_us } from '../apparatus/cpu-time.ts';
import type { CpuSeconds } from '../apparatus/cpu-time.ts';
import { inTurn } from '../apparatus/in-turn.ts';
import type { Contender } from '../apparatus/in-turn.ts';
import { startServiceProcesses } from '../apparatus/service-processes.ts';
import type { ServiceProcesses } from '../apparatus/service-processes.ts';
import { settlePlainly } from '../beside/plain-settlement.ts';
import type { Row } from '../report/row.ts';
import type { Bench, Section } from '../section.ts';

/** Hands that are paid, and of how many settlements one after another a figure is the mean. */
const SIZES = [
  { hands: 10, settlements: 20 },
  { hands: 100, settlements: 10 },
  { hands: 1_000, settlements: 3 },
  { hands: 10_000, settlements: 1 },
] as const;

/** Until hot code is compiled; counts for nothing. The time of 1 000 hands falls by a third over the first thirty. */
const WARM_UP = { hands: 1_000, settlements: 3, rounds: 10 } as const;

/**
 * Of the time that the plain transaction takes. Half as much again is for what one transaction in one process is spared:
 * two databases that commit one after the other, each step stored before it is taken, and the calls between services.
 */
const GOAL = { of: 'ratio', at: 'most', value: 1.5 } as const;

const US_PER_MS = 1_000;
const US_PER_S = 1_000_000;

export const settlements: Section = {
  id: 'settlements',
  title: 'Settling the last round of a cycle of savings, which pays every hand, beside the same rows in plain SQL',
  async measure(bench) {
    await using stack = new AsyncDisposableStack();
    const processes = stack.adopt(await startServiceProcesses(), (each) => each.stop());
    const plain = stack.adopt(await plainTables(processes), (each) => each.end());
    const connection = stack.adopt(new pg.Client({ connectionString: plain.treasury_url }), (each) => each.end());
    await connection.connect();
    const services = ['membership', 'contribution', 'treasury'];
    const node = stack.adopt(await startClientNode(processes.cluster, services), (each) => each.stop());
    const stage = { processes, node, plain, connection };
    await warmUp(bench, stage);
    const rows: Row[] = [];
    for (const size of SIZES) rows.push(await measureSize(bench, size, stage));
    return rows;
  },
};

interface Stage {
  processes: ServiceProcesses;
  node: ClientNode;
  plain: SettlementTables;
  connection: pg.Client;
}

/** Both sides, with what they do later. */
async function warmUp(bench: Bench, { processes, node, plain, connection }: Stage): Promise<void> {
  bench.log('settlements, warming up');
  const services = serviceTables(processes);
  const own = await fillGroups(services, WARM_UP.settlements, WARM_UP.hands);
  const theirs = await fillGroups(plain, WARM_UP.settlements, WARM_UP.hands);
  for (let round = 1; round <= WARM_UP.rounds; round += 1) {
    for (const each of await fillRounds(services, own, payByTreasury(node))) await settleByCall(node, each);
    for (const each of await fillRounds(plain, theirs, payPlainly(plain))) {
      await settlePlainly(connection, each.group, each.round);
    }
  }
  await processes.relaysAreDone();
}

async function measureSize(
  bench: Bench,
  { hands, settlements: count }: (typeof SIZES)[number],
  stage: Stage,
): Promise<Row> {
  const { processes, node, plain, connection } = stage;
  bench.log(`settlements, ${String(hands)} hands`);
  const services = serviceTables(processes);
  const own = await fillGroups(services, count, hands);
  const theirs = await fillGroups(plain, count, hands);
  const fillOwn = async () => {
    const rounds = await fillRounds(services, own, payByTreasury(node));
    await processes.relaysAreDone();
    return rounds;
  };
  const fillTheirs = () => fillRounds(plain, theirs, payPlainly(plain));
  const cpuOfServices: CpuDuring = (work) => cpuDuring(processes.trees, work);
  const measured = await inTurn(bench, [
    contender('ours', fillOwn, (round) => settleByCall(node, round), cpuOfServices),
    contender(
      'plain',
      fillTheirs,
      ({ group, round }) => settlePlainly(connection, group, round),
      cpuOfPlain(processes),
    ),
    contender('over HTTP', fillOwn, (round) => settleOverHttp(processes, round), cpuOfServices),
  ]);
  const [time, plainTime] = [measured.spread('ours'), measured.spread('plain')];
  return {
    id: `settlements.${String(hands)}`,
    what: `settle ${String(hands)} hands, services in five processes`,
    unit: 'ms',
    ours: time,
    beside: { what: 'one plain SQL transaction', figure: plainTime },
    ratio: measured.ratio('ours', 'plain'),
    goal: GOAL,
    details: {
      per_hand_us: (time.median * US_PER_MS) / hands,
      plain_per_hand_us: (plainTime.median * US_PER_MS) / hands,
      over_http_ms: measured.spread('over HTTP').median,
      ...measured.details('ours', 'cpu_'),
      ...measured.details('plain', 'plain_cpu_'),
    },
  };
}

/** The CPU time that is spent during work. */
type CpuDuring = <Result>(work: () => Promise<Result>) => Promise<{ result: Result; spent: CpuSeconds }>;

/** The plain transaction is this process's; those that it has started are not part of it. */
function cpuOfPlain({ trees: { postgres = -1 } }: ServiceProcesses): CpuDuring {
  return async (work) => {
    let application = 0;
    const { result, spent } = await cpuDuring({ postgres }, async () => {
      const before = process.cpuUsage();
      const done = await work();
      const { user, system } = process.cpuUsage(before);
      application = (user + system) / US_PER_S;
      return done;
    });
    return { result, spent: { ...spent, application } };
  };
}

/** Milliseconds for one settlement, each of a round of its own that is filled before the clock starts. */
function contender(
  name: string,
  fill: () => Promise<ToSettle[]>,
  settleOne: (round: ToSettle) => Promise<void>,
  cpuOf: CpuDuring,
): Contender {
  let rounds: ToSettle[] = [];
  return {
    name,
    before: async () => void (rounds = await fill()),
    async run() {
      const { result: took_ms, spent } = await cpuOf(async () => {
        const began_ms = performance.now();
        for (const round of rounds) await settleOne(round);
        return performance.now() - began_ms;
      });
      const cpu = Object.entries(perOperation_us(spent, rounds.length));
      const details = Object.fromEntries(cpu.map(([process, us]) => [`${process}_ms`, us / US_PER_MS]));
      return { figure: took_ms / rounds.length, details };
    },
  };
}

/** From the call of the action to its answer, with which all is durable. */
async function settleByCall(node: ClientNode, { group, round }: ToSettle): Promise<void> {
  const { association_id, members } = group;
  const path = { association_id, meeting_id: round.meeting_id };
  const { status, payouts } = await node.as(members[0]?.user_id ?? '', settle, { path });
  insistOnPayouts(status, payouts.length, members.length);
}

async function settleOverHttp({ cluster }: ServiceProcesses, { group, round }: ToSettle): Promise<void> {
  const { association_id, members } = group;
  const path = `${API_BASE}/associations/${association_id}/meetings/${round.meeting_id}/settle`;
  const headers = { authorization: `Bearer ${cluster.token(members[0]?.user_id ?? '')}` };
  const answer = await fetch(`${cluster.origin}${path}`, { method: 'POST', headers });
  const { status, payouts } = (await answer.json()) as { status: string; payouts?: unknown[] };
  insistOnPayouts(status, payouts?.length, members.length);
}

/** What is pending was not measured to its end. */
function insistOnPayouts(status: string, payouts: number | undefined, hands: number): void {
  if (status === 'settled' && payouts === hands) return;
  throw new Error(`A settlement is ${status} with ${String(payouts)} payouts instead of ${String(hands)}`);
}
