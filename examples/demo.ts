/**
 * Five people and their savings groups, over HTTP only: a tontine (everyone pays each round, one member gets the pot) from
 * its start to its last round, one with arrears, a draw, cash, savings, a statement. In the end every ledger is verified by
 * a script that needs nothing of this project.
 */
import { runOnce } from '../cli/run-once.ts';
import { arrears } from './demo/arrears.ts';
import { cash } from './demo/cash.ts';
import { draw } from './demo/draw.ts';
import { makePeople } from './demo/group.ts';
import { savings } from './demo/savings.ts';
import { findOrStartServer } from './demo/server.ts';
import { statement } from './demo/statement.ts';
import { tontine } from './demo/tontine.ts';
import { verifyLedgers } from './demo/verification.ts';

await runOnce(async () => {
  const server = await findOrStartServer();
  try {
    const { five, bank } = await makePeople(server);
    const [, , chantal] = five;
    const njangi = await tontine(five, bank);
    const friday = await arrears(five);
    const market = await draw(five);
    await cash(market.group, market.meeting, five);
    const school = await savings(five);
    await statement(friday, chantal);
    await verifyLedgers([njangi, friday, market.group, school]);
  } finally {
    await server.stop();
  }
});
