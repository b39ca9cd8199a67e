/**
 * Shows five people and their savings groups, over HTTP only: a whole tontine cycle (all members pay each round, and
 * one of them gets the pot), arrears, a draw, cash, savings and a statement. At the end every exported ledger is
 * verified without the service.
 */
import { runOnce } from '../lib/node/run-once.ts';
import { showArrears } from './demo/arrears.ts';
import { showCash } from './demo/cash.ts';
import { showDraw } from './demo/draw.ts';
import { makePeople } from './demo/group.ts';
import { showSavings } from './demo/savings.ts';
import { findOrStartServer } from './demo/server.ts';
import { showStatement } from './demo/statement.ts';
import { showTontine } from './demo/tontine.ts';
import { verifyLedgers } from './demo/verification.ts';

await runOnce(async () => {
  const server = await findOrStartServer();
  try {
    const { five, bank } = await makePeople(server);
    const [, , chantal] = five;
    const njangi = await showTontine(five, bank);
    const friday = await showArrears(five);
    const market = await showDraw(five);
    await showCash(market.group, market.meeting, five);
    const school = await showSavings(five);
    await showStatement(friday, chantal);
    await verifyLedgers([njangi, friday, market.group, school]);
  } finally {
    await server.stop();
  }
});
