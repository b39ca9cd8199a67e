import { fillLedger } from '../harness/fill-ledger.ts';
import { postFor, treasuryLedger, type HotPool } from '../harness/hot-ledger.ts';
import { inTurn, type Contender } from '../harness/in-turn.ts';
import { startLedgerServer, type LedgerDatabase, type LedgerServer } from '../harness/ledger-server.ts';
import type { Row } from '../report/row.ts';
import type { Section } from '../section.ts';

const IN_FLIGHT = 128;

/** Before each measurement, because each opens new connections. */
const WARM_UP_MS = 500;

/** The rate of postings with a history, compared with an empty database. */
export const growthOfLedger: Section = {
  id: 'growth-of-ledger',
  title: 'Growth: ledger postings into one hot pool with transfers already there',
  async measure(bench) {
    await using stack = new AsyncDisposableStack();
    const server = stack.adopt(await startLedgerServer(), (each) => each.stop());
    bench.log(` filling in ${String(bench.history)} transfers`);
    const grown = await server.database('grown');
    const hot = await fillLedger(grown, bench.history);
    const rows: Row[] = [];
    for (const slow of [false, true]) {
      await server.slowFlush(slow);
      const { spread, ratio } = await inTurn(bench, [emptyOn(server), grownOn(server, grown, hot)]);
      rows.push({
        id: `growth.ledger${slow ? '.slow-flush' : ''}.${String(bench.history)}`,
        what: `postings with ${String(bench.history)} there, ${String(IN_FLIGHT)} in flight${slow ? ', 1 ms flush' : ''}`,
        unit: '/s',
        ours: spread('grown'),
        baseline: { what: 'empty', figure: spread('empty') },
        ratio: ratio('grown', 'empty'),
        goal: { of: 'ratio', at: 'least', value: 0.9 },
      });
    }
    return rows;
  },
};

/** Measures a new database in each round, because the postings of a round would already be a history. */
function emptyOn(server: LedgerServer): Contender {
  return {
    name: 'empty',
    async run(duration_ms) {
      const database = await server.database('empty');
      try {
        return await measure(server, database, await fillLedger(database, 0), duration_ms);
      } finally {
        await server.drop(database.name);
      }
    },
  };
}

function grownOn(server: LedgerServer, database: LedgerDatabase, hot: HotPool): Contender {
  return { name: 'grown', run: (duration_ms) => measure(server, database, hot, duration_ms) };
}

async function measure(server: LedgerServer, { url }: LedgerDatabase, hot: HotPool, duration_ms: number) {
  const payers = hot.members.length;
  const ledger = treasuryLedger(url, hot);
  try {
    await postFor(ledger, payers, { in_flight: IN_FLIGHT, duration_ms: WARM_UP_MS });
    await server.checkpoint();
    const { count, seconds } = await postFor(ledger, payers, { in_flight: IN_FLIGHT, duration_ms });
    return { figure: count / seconds };
  } finally {
    await ledger.stop();
  }
}
