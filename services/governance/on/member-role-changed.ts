import { subscription } from '../../../lib/service/service-context.ts';
import { markForRejudging } from '../persistence/sweeps.ts';

/** A vote counts only while its voter holds a board role: pending approvals are judged again. */
export function onMemberRoleChanged() {
  return subscription<'member.role_changed'>({
    durable: 'governance-member-role-changed',
    type: 'member.role_changed',
    handle: async (event, manager) => {
      // The board has to be asked of membership, which no transaction may wait for: the sweeper does it.
      if (event.subject !== undefined) await markForRejudging(manager, event.subject, event.id);
    },
  });
}
