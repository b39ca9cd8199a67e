/** Deletes PINs again that an operator has reset. Others that a restored membership database has lost are in no record. */
import type { LostEvent, Repair } from './repair.ts';

/**
 * Repeats lost resets, after which a PIN that others may know must not be valid again, and lists lost PINs as undecided. Their
 * events are kept: a PIN that its user never sets again must not be a difference for ever.
 */
export async function redoPins(repair: Repair): Promise<void> {
  const byUser = Map.groupBy(repair.lost.ofType('pin.changed'), ({ event }) => event.data.user_id);
  for (const [user_id, changes] of byUser) {
    const reset = changes.findLast(isReset);
    if (reset !== undefined) await redoReset(repair, user_id, reset.event.time);
    const last = changes.at(-1);
    if (last === undefined || isReset(last) || (await hasSetSince(repair, user_id, last.event.time))) continue;
    repair.cannot(`the PIN that user ${user_id} has set at ${last.event.time} is lost`);
  }
}

function isReset({ event }: LostEvent<'pin.changed'>): boolean {
  return event.data.reason === 'reset';
}

async function redoReset(repair: Repair, user_id: string, time: string): Promise<void> {
  const deleted = await repair.tx.membership.run('DELETE FROM pins WHERE user_id = $1 AND set_at < $2', [
    user_id,
    time,
  ]);
  if (deleted > 0) repair.did('PINs', `delete the PIN of user ${user_id} again`);
}

async function hasSetSince({ tx }: Repair, user_id: string, time: string): Promise<boolean> {
  const later = await tx.membership.first('SELECT FROM pins WHERE user_id = $1 AND set_at > $2', [user_id, time]);
  return later !== undefined;
}
