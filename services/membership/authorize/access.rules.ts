/** What a member may do (contract, section 2), in the contract's order of refusals (section 1). */
import { PERMISSION_TABLE, type Permission, type Role } from '../../../lib/contracts/permissions.ts';
import { invalid, problem, type Problem } from '../../../lib/errors/problem.ts';
import { readAmount } from '../../../lib/money/amount.ts';
import type { AssociationStatus } from '../associations/association.table.ts';
import type { MemberFacts } from '../members/member.table.ts';

/** Whether former members may still do this. */
export function admitsFormer(permission: Permission): boolean {
  const entry = PERMISSION_TABLE[permission];
  return 'former' in entry && entry.former;
}

/** The member with the role that they have now: former members have no office. */
export function withCurrentRole(member: MemberFacts): MemberFacts {
  return member.status === 'active' ? member : { ...member, role: 'member' };
}

/** The refusal of a member whose role may not do this; null if it may. */
export function roleRefusal(permission: Permission, role: Role): Problem | null {
  const required: readonly Role[] = PERMISSION_TABLE[permission].roles;
  return required.includes(role) ? null : problem('role_not_allowed', { required_roles: [...required] });
}

/** The refusal of a change in a closed association; null where it is allowed. */
export function closedRefusal(permission: Permission, status: AssociationStatus): Problem | null {
  return PERMISSION_TABLE[permission].write && status === 'closed' ? problem('association_closed') : null;
}

/**
 * A request's amount in minor units of the association's currency.
 * @param pointer the field that holds it, as a JSON Pointer
 * @throws amount_precision, or validation_failed above 999 999 999 999 999 minor units (contract, section 1)
 */
export function minorAmount(major: number, currency: string, pointer: string): bigint {
  const reading = readAmount(major, currency);
  if ('minor' in reading) return reading.minor;
  if (reading.refused === 'precision') {
    const detail = `${currency} does not have that many decimals.`;
    throw problem('amount_precision', { errors: [{ pointer, code: 'amount_precision', detail }] });
  }
  throw invalid({ pointer, code: 'too_large', detail: 'At most 999 999 999 999 999 minor units.' });
}
