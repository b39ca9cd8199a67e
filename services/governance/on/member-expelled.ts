import { subscription } from '../../../lib/service/service-context.ts';
import { markForRejudging } from '../persistence/sweeps.ts';

/** Who is expelled may leave a request without enough voters: its association's pending approvals are judged again. */
export function onMemberExpelled() {
  return subscription<'member.expelled'>({
    durable: 'governance-member-expelled',
    type: 'member.expelled',
    handle: async (event, manager) => {
      // The board has to be asked of membership, which no transaction may wait for: the sweeper does it.
      if (event.subject !== undefined) await markForRejudging(manager, event.subject, event.id);
    },
  });
}
