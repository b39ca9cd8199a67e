import { appoint, foundGroup, nameOf, startCycle, type Five, type Group } from './group.ts';
import { chapter, say } from './narrator.ts';
import { verify } from './verification.ts';

/**
 * Starts a cycle whose order is drawn, and verifies the draw.
 * @returns the group, and the path of the first meeting
 */
export async function showDraw(five: Five): Promise<{ group: Group; meeting: string }> {
  chapter('A draw: the order comes from a public seed');
  const group = await foundGroup(five, 'Market women', { type: 'tontine' });
  await appoint(group);
  const { cycle, meetings } = await startCycle(group, five.length, { order: 'draw' });
  const order = (cycle.hands as { member_id: string }[]).map(({ member_id }) => nameOf(group, member_id));
  say(`The members are fixed first, then the seed is generated: ${String(cycle.seed)}`);
  say(`The order computed from it: ${order.join(', ')}`);
  const [, , , divine] = five;
  const shown = await divine.file(`${group.path}/cycles/${String(cycle.id)}`, 'application/json');
  const verdict = await verify('draw', shown);
  say(`${divine.name} repeats the draw without the service (npm run verify -- draw): ${verdict.split(',', 1).join()}`);
  const [meeting = ''] = meetings;
  return { group, meeting };
}
