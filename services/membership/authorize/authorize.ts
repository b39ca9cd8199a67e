import type { ActionSchema } from 'moleculer';
import { authorize } from '../../../lib/contracts/membership.ts';
import { groupCommit } from '../../../lib/db/group-commit.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { minorAmount } from '../../../lib/money/minor-amount.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import { termsOf } from '../associations/association.view.ts';
import type { MembershipDeps } from '../deps.ts';
import { findMembers, findPayees } from '../members/member.store.ts';
import { referenceOf } from '../members/member.view.ts';
import { keyedRequest } from '../pins/check-pin.ts';
import { closedRefusal, withCurrentRole, admitsFormer, roleRefusal } from './access.rules.ts';
import { findAllAuthorized, type AuthorizationQuery } from './authorized.store.ts';

/**
 * Authorizes a request about an association, in one statement and one more for a PIN. Nearly every request does this.
 * Other members are read concurrently, so that a settlement waits for one round trip only.
 */
export function authorizeAction({ db, reads, pinCheck }: MembershipDeps): ActionSchema {
  const findAuthorized = groupCommit(
    'authorizations',
    (asked: AuthorizationQuery[]) => findAllAuthorized(db.batches, asked),
    {
      // A migration may lock a table for longer than a batch waits.
      runOne: async (query) => (await findAllAuthorized(db, [query]))[0] ?? null,
    },
  );
  return implementCommand(authorize, async (input, ctx) => {
    const { association_id, user_id, permission, pin, amount, member_ids = [], payee_ids = [] } = input;
    const [found, members, payees] = await Promise.all([
      findAuthorized({ association_id, user_id, pin: pin !== undefined, former: admitsFormer(permission) }),
      member_ids.length === 0 ? [] : findMembers(reads, association_id, member_ids),
      payee_ids.length === 0 ? [] : findPayees(reads, association_id, payee_ids),
    ]);
    if (found === null) throw problem('not_found');
    const { association } = found;
    const member = withCurrentRole(found.member);

    const notAllowed = roleRefusal(permission, member.role);
    if (notAllowed !== null) throw notAllowed;
    const amount_minor = amount === undefined ? undefined : minorAmount(amount, association.currency, '/amount');
    const badPin = pin === undefined ? null : await pinCheck.check(user_id, pin, keyedRequest(ctx.meta), found.pin);
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
