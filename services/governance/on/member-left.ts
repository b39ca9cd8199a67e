import { subscription } from '../../../lib/service/service-context.ts';
import { markForRejudging } from '../persistence/sweeps.ts';

/** Who leaves may leave a request without enough voters: its pending approvals are judged again. */
export function onMemberLeft() {
  return subscription<'member.left'>({
    durable: 'governance-member-left',
    type: 'member.left',
    handle: async (event, manager) => {
      // The board has to be asked of membership, which no transaction may wait for: the sweeper does it.
      if (event.subject !== undefined) await markForRejudging(manager, event.subject, event.id);
    },
  });
}
