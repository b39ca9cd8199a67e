import { fillLedger } from '../apparatus/fill-ledger.ts';
import type { HotAssociation } from '../apparatus/fill-ledger.ts';
import { IdSupply, postFor } from '../apparatus/hot-ledger.ts';
import type { HotLedger } from '../apparatus/hot-ledger.ts';
import { inTurn } from '../apparatus/in-turn.ts';
import type { Contender } from '../apparatus/in-turn.ts';
import { startLedgerServer } from '../apparatus/ledger-server.ts';
import type { LedgerServer } from '../apparatus/ledger-server.ts';
import { newGroups, spreadLedger } from '../apparatus/spread-ledger.ts';
import type { Group } from '../apparatus/spread-ledger.ts';
import { treasuryLedger } from '../apparatus/treasury-ledger.ts';
import type { Row } from '../report/row.ts';
import type { Section } from '../section.ts';

/** Few enough for a treasury process to know the heads of all their chains. */
const KNOWN_GROUPS = 2_000;
/** So many that it has forgotten each of them before its next turn. */
const FORGOTTEN_GROUPS = 20_000;
const IN_FLIGHT = 128;
const WARM_UP_MS = 500;

/** Enough for the first posting to each of the groups, even on a slow machine. */
const OPENING_STEP_MS = 2_000;

const HOT = 'into one pool';

/** What the ledger does when many groups pay at the same time, beside one that all pay into. It has no goals. */
export const spreadOfLedger: Section = {
  id: 'spread-of-ledger',
  title: 'ledger postings spread over many associations',
  isSimulation: true,
  async measure(bench) {
    await using stack = new AsyncDisposableStack();
    const server = stack.adopt(await startLedgerServer(), (each) => each.stop());
    const kept = (ledger: HotLedger) => stack.adopt(ledger, (each) => each.stop());
    const database = await server.database('spread');
    const hot = await fillLedger(database, 0);
    const ids = new IdSupply(server.runtime.newId);
    const over = new Map<string, HotLedger>();
    for (const count of [KNOWN_GROUPS, FORGOTTEN_GROUPS]) {
      bench.log(`  opening ${String(count)} chains`);
      const groups = newGroups(count, server.runtime.newId);
      const ledger = kept(spreadLedger(database, hot, groups, server.runtime));
      over.set(nameOf(count), ledger);
      await openChains(ledger, ids, groups, hot);
    }
    over.set(HOT, kept(treasuryLedger(database, hot, server.runtime)));
    const contenders = [...over].map(([name, ledger]) => contenderOf(server, name, ledger, ids, hot));
    const { spread, ratio } = await inTurn(bench, contenders);
    return [KNOWN_GROUPS, FORGOTTEN_GROUPS].map((count): Row => {
      return {
        id: `spread.${String(count)}`,
        what: `postings to ${nameOf(count)} in turn, ${String(IN_FLIGHT)} in flight`,
        unit: '/s',
        ours: spread(nameOf(count)),
        beside: { what: HOT, figure: spread(HOT) },
        ratio: ratio(nameOf(count), HOT),
      };
    });
  },
};

function nameOf(groups: number): string {
  return `${String(groups)} associations`;
}

/** Posts to each group once, so that all have a chain and a pool. */
async function openChains(ledger: HotLedger, ids: IdSupply, groups: Group[], hot: HotAssociation): Promise<void> {
  const load = { in_flight: IN_FLIGHT, duration_ms: OPENING_STEP_MS, payers: hot.members.length };
  for (let opened = 0; opened < groups.length;) opened += (await postFor(ledger, ids, load)).count;
}

function contenderOf(
  server: LedgerServer,
  name: string,
  ledger: HotLedger,
  ids: IdSupply,
  hot: HotAssociation,
): Contender {
  const load = { in_flight: IN_FLIGHT, payers: hot.members.length };
  return {
    name,
    async before() {
      await postFor(ledger, ids, { ...load, duration_ms: WARM_UP_MS });
      await server.checkpoint();
    },
    async run(duration_ms) {
      const { count, seconds } = await postFor(ledger, ids, { ...load, duration_ms });
      return { figure: count / seconds };
    },
  };
}
