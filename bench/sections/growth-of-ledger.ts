import { fillLedger } from '../apparatus/fill-ledger.ts';
import type { HotAssociation } from '../apparatus/fill-ledger.ts';
import { IdSupply, postFor } from '../apparatus/hot-ledger.ts';
import type { HotLedger } from '../apparatus/hot-ledger.ts';
import { inTurn } from '../apparatus/in-turn.ts';
import type { Contender } from '../apparatus/in-turn.ts';
import { startLedgerServer } from '../apparatus/ledger-server.ts';
import type { LedgerDatabase, LedgerServer } from '../apparatus/ledger-server.ts';
import { treasuryLedger } from '../apparatus/treasury-ledger.ts';
import type { Row } from '../report/row.ts';
import type { Bench, Section } from '../section.ts';

const IN_FLIGHT = 128;
const GOAL_RATIO = 0.9;
const MILLION = 1_000_000;

/** From here on the figures of a run add little to what is there, and a copy for each takes too long. */
const LARGE_TRANSFERS = MILLION;

/** Before each figure, for each has connections of its own. */
const WARM_UP_MS = 500;

/** A ledger with so many transfers, for measuring as if nothing had been measured before. */
interface Grown {
  transfers: number;
  database: LedgerDatabase;
  hot: HotAssociation;
}

/** What postings cost when there is a history, beside what they cost without one. */
export const growthOfLedger: Section = {
  id: 'growth-of-ledger',
  title: 'Growth: ledger postings into one hot pool with transfers already there',
  async measure(bench) {
    const server = await startLedgerServer();
    try {
      const grown: Grown[] = [];
      for (const transfers of [0, 10_000, MILLION, ...(bench.tenMillion ? [10 * MILLION] : [])]) {
        bench.log(` filling in ${String(transfers)} transfers`);
        const database = await server.database(`grown_${String(transfers)}`);
        grown.push({ transfers, database, hot: await fillLedger(database, transfers) });
      }
      const rows: Row[] = [];
      for (const slow of [false, true]) {
        await server.slowFlush(slow);
        rows.push(...(await rowsOf(bench, server, grown, slow)));
      }
      return rows;
    } finally {
      await server.stop();
    }
  },
};

async function rowsOf(bench: Bench, server: LedgerServer, grown: Grown[], slow: boolean): Promise<Row[]> {
  const ids = new IdSupply(server.runtime.newId);
  const contenders = grown.map((each) => contenderOn(server, each, ids));
  const { spread, ratio } = await inTurn(bench, contenders);
  const empty = nameOf(0);
  return grown
    .filter(({ transfers }) => transfers > 0)
    .map(({ transfers }) => ({
      id: `growth.ledger${slow ? '.slow-flush' : ''}.${String(transfers)}`,
      what: `postings with ${nameOf(transfers)}, ${String(IN_FLIGHT)} in flight${slow ? ', 1 ms flush' : ''}`,
      unit: '/s',
      ours: spread(nameOf(transfers)),
      beside: { what: empty, figure: spread(empty) },
      ratio: ratio(nameOf(transfers), empty),
      goal: { of: 'ratio', at: 'least', value: GOAL_RATIO },
    }));
}

function nameOf(transfers: number): string {
  if (transfers === 0) return 'empty';
  const millions = transfers / MILLION;
  return millions < 1 ? `${String(transfers)} there` : `${String(millions)} million there`;
}

/** A second of postings is more than 10 000 transfers: a small ledger is measured on a new copy each time. */
function contenderOn(server: LedgerServer, { transfers, database, hot }: Grown, ids: IdSupply): Contender {
  const isCopied = transfers < LARGE_TRANSFERS;
  const payers = hot.members.length;
  let copy: LedgerDatabase | undefined;
  let ledger: HotLedger | undefined;
  const close = async (): Promise<void> => {
    await ledger?.stop();
    if (copy !== undefined) await server.drop(copy.name);
    ledger = copy = undefined;
  };
  return {
    name: nameOf(transfers),
    async before() {
      if (isCopied) copy = await server.database(`${database.name}_copy`, database);
      ledger = treasuryLedger(copy ?? database, hot, server.runtime);
      await postFor(ledger, ids, { in_flight: IN_FLIGHT, duration_ms: WARM_UP_MS, payers });
      await server.checkpoint();
    },
    async run(duration_ms) {
      if (ledger === undefined) throw new Error('It was not made ready');
      try {
        const { count, seconds } = await postFor(ledger, ids, { in_flight: IN_FLIGHT, duration_ms, payers });
        return { figure: count / seconds };
      } finally {
        await close();
      }
    },
  };
}
