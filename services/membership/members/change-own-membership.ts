import type { ActionSchema } from 'moleculer';
import { call } from '../../../lib/service/call.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import type { WriteHandler } from '../../../lib/service/implement-write.ts';
import type { EndpointInput } from '../../../lib/contracts/action.ts';
import { changeOwnMembership } from '../../../lib/contracts/membership.ts';
import { checkWallet } from '../../../lib/contracts/treasury.ts';
import { invalid, problem } from '../../../lib/errors/problem.ts';
import { closedRefusal } from '../authorize/access.rules.ts';
import { presentMember } from '../associations/association.view.ts';
import { findOpenBinding } from '../cycles/binding.store.ts';
import { findAuthorized } from '../authorize/authorized.store.ts';
import { updateMember } from './member.store.ts';
import type { MembershipDeps } from '../deps.ts';
import { dropCompletedBinding } from '../actions/drop-completed-binding.ts';
import { keyedOperation } from '../pins/check-pin.ts';
import { lockOwnMembership } from '../actions/own-membership.ts';

interface Changes {
  display_name?: string;
  hands?: number;
  payout_wallet_id?: string;
}

/**
 * Changes the caller's own display name, hands or payout wallet. The PIN is for the wallet alone: without one to
 * change it is not looked at.
 */
export function changeOwnMembershipAction({ foundation, pins }: MembershipDeps): ActionSchema {
  const { db } = foundation;
  const wanted = ({ pin, ...given }: EndpointInput<typeof changeOwnMembership>['body']) => {
    const changes = present(given);
    return { changes, sealedPin: pinFor(changes, pin) };
  };
  const handler: WriteHandler<typeof changeOwnMembership> = async ({ path, body }, { user_id }, ctx, operation) => {
    const { association_id } = path;
    const { changes, sealedPin } = wanted(body);

    const found = await findAuthorized(db.pool, association_id, user_id, { pin: sealedPin !== undefined });
    if (found === null) throw problem('not_found');
    const badPin =
      sealedPin === undefined ? null : await pins.judge(user_id, sealedPin, keyedOperation(ctx.meta), found.pin);
    if (badPin !== null) throw badPin;
    const closed = closedRefusal('change_own_membership', found.association.status);
    if (closed !== null) throw closed;

    const changesHands = changes.hands !== undefined;
    if (changesHands) {
      await dropCompletedBinding(foundation, ctx, association_id, null);
      if ((await findOpenBinding(db.manager, association_id)) !== null) throw problem('cycle_in_progress');
    }
    if (changes.payout_wallet_id !== undefined) {
      const { payout_wallet_id: wallet_id } = changes;
      await call(ctx, checkWallet, { wallet_id, user_id, currency: found.association.currency });
    }
    return foundation.transaction(async (manager) => {
      const { member } = await lockOwnMembership(manager, association_id, user_id, 'change_own_membership');
      // A cycle may have begun while the wallet was being looked at.
      if (changesHands && (await findOpenBinding(manager, association_id)) !== null) throw problem('cycle_in_progress');
      await updateMember(manager, member.id, changes);
      const changed = { ...member, ...changes };
      const answer = presentMember(changed, changed);
      await operation.answered(manager, answer);
      return answer;
    });
  };
  return implementWrite(foundation, changeOwnMembership, handler, ({ body }) => void wanted(body));
}

/** The members that are there: validation leaves an absent one behind as undefined. */
function present(given: { [K in keyof Changes]: Changes[K] | undefined }): Changes {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/**
 * The PIN to judge, if these changes need one.
 * @throws validation_failed for no change at all, or a change of the wallet without a PIN
 */
function pinFor(changes: Changes, pin: string | undefined): string | undefined {
  if (Object.keys(changes).length === 0) {
    throw invalid({
      pointer: '',
      code: 'required',
      detail: 'Name at least one of display_name, hands, payout_wallet_id.',
    });
  }
  if (changes.payout_wallet_id === undefined) return undefined;
  if (pin !== undefined) return pin;
  throw invalid({ pointer: '/pin', code: 'required', detail: 'Changing the payout wallet needs the PIN.' });
}
