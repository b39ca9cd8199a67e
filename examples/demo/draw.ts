import { appoint, found, nameOf, startCycle } from './group.ts';
import type { Five, Group } from './group.ts';
import { chapter, say } from './narrator.ts';
import { verified } from './verification.ts';

/** A cycle whose order is drawn, which everyone can verify. @returns its first meeting too */
export async function draw(five: Five): Promise<{ group: Group; meeting: string }> {
  chapter('A draw: the order comes from a public seed');
  const group = await found(five, 'Market women', { type: 'tontine' });
  await appoint(group);
  const { cycle, meetings } = await startCycle(group, five.length, { order: 'draw' });
  const order = (cycle.hands as { member_id: string }[]).map(({ member_id }) => nameOf(group, member_id));
  say(`The members are fixed first, then the seed is made: ${String(cycle.seed)}`);
  say(`The order that follows from it: ${order.join(', ')}`);
  const [, , , divine] = five;
  const shown = await divine.file(`${group.path}/cycles/${String(cycle.id)}`, 'application/json');
  const verdict = await verified('draw', shown);
  say(`${divine.name} draws again without the service (npm run verify -- draw): ${verdict.split(',', 1).join()}`);
  const [meeting = ''] = meetings;
  return { group, meeting };
}
