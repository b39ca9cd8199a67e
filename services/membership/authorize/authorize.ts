import type { ActionSchema } from 'moleculer';
import { implementCommand } from '../../../lib/service/implement.ts';
import { authorize } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { closedRefusal, isForFormer, minorAmount, presentStanding, roleRefusal } from './access.rules.ts';
import { termsOf } from '../associations/association.table.ts';
import { referenceOf } from '../members/member.table.ts';
import { findMembers, findPayees } from '../persistence/find-members.ts';
import type { MembershipDeps } from '../deps.ts';
import { keyedOperation } from '../pins/check-pin.ts';

/**
 * The hot path of every request about an association: one statement, and one more where a PIN is judged. Others who are
 * asked for are read beside it, so that a settlement waits for one round trip.
 */
export function authorizeAction({ foundation, pins, gathered }: MembershipDeps): ActionSchema {
  const { pool } = foundation.db;
  return implementCommand(authorize, async (input, ctx) => {
    const { association_id, user_id, permission, pin, amount, member_ids = [], payee_ids = [] } = input;
    const particulars = { pin: pin !== undefined, former: isForFormer(permission) };
    const [found, members, payees] = await Promise.all([
      gathered.findAuthorized({ association_id, user_id, ...particulars }),
      member_ids.length === 0 ? [] : findMembers(pool, association_id, member_ids),
      payee_ids.length === 0 ? [] : findPayees(pool, association_id, payee_ids),
    ]);
    if (found === null) throw problem('not_found');
    const { association } = found;
    const member = presentStanding(found.member);

    const notAllowed = roleRefusal(permission, member.role);
    if (notAllowed !== null) throw notAllowed;
    const amount_minor = amount === undefined ? undefined : minorAmount(amount, association.currency, '/amount');
    const badPin = pin === undefined ? null : await pins.judge(user_id, pin, keyedOperation(ctx.meta), found.pin);
    if (badPin !== null) throw badPin;
    const closed = closedRefusal(permission, association.status);
    if (closed !== null) throw closed;

    return {
      terms: termsOf(association),
      member: referenceOf(member),
      ...(amount_minor === undefined ? {} : { amount_minor: Number(amount_minor) }),
      members: members.map((each) => ({ ...referenceOf(each), tenure: each.tenure })),
      ...(payee_ids.length === 0 ? {} : { payees }),
    };
  });
}
