import { expect } from 'chai';
import { PERMISSION_TABLE, PERMISSIONS, ROLES } from '../../../lib/contracts/permissions.ts';
import type { Permission, Role } from '../../../lib/contracts/permissions.ts';
import { problemCode, problemExtras } from '../../../lib/errors/problem.ts';
import {
  closedRefusal,
  admitsFormer,
  withCurrentRole,
  roleRefusal,
} from '../../../services/membership/authorize/access.rules.ts';
import type { MemberFacts } from '../../../services/membership/members/member.table.ts';

/** The permissions of each role, written here by hand. */
const CONTRACT: Partial<Record<Permission, Role[]>> = {
  read: ['president', 'treasurer', 'secretary', 'member'],
  contribute: ['president', 'treasurer', 'secretary', 'member'],
  invite: ['president', 'secretary'],
  change_association: ['president', 'secretary'],
  start_cycle: ['president', 'secretary'],
  schedule_meeting: ['president', 'secretary'],
  settle: ['president', 'treasurer'],
  record_cash: ['president', 'treasurer', 'secretary'],
  request_distribution: ['president', 'treasurer', 'secretary'],
  propose: ['president', 'treasurer', 'secretary'],
  read_own_statement: ['president', 'treasurer', 'secretary', 'member'],
  read_any_statement: ['president', 'treasurer', 'secretary'],
  decide: ['president', 'treasurer', 'secretary'],
};

describe('a permission', () => {
  for (const [permission, allowed] of Object.entries(CONTRACT) as [Permission, Role[]][]) {
    it(`${permission} is granted to ${allowed.join(', ')}, and refused to others with these roles`, () => {
      for (const role of ROLES) {
        const refusal = roleRefusal(permission, role);
        if (allowed.includes(role)) {
          expect(refusal).to.equal(null);
        } else {
          expect(problemCode(refusal)).to.equal('role_not_allowed');
          expect(problemExtras(refusal)).to.deep.equal({ required_roles: allowed });
        }
      }
    });
  }
});

describe('a former member', () => {
  it('may read only their own statement', () => {
    expect(PERMISSIONS.filter(admitsFormer)).to.deep.equal(['read_own_statement']);
  });

  it('has the role member, regardless of their former role', () => {
    const treasurer: MemberFacts = {
      id: 'a',
      user_id: 'awa',
      display_name: null,
      role: 'treasurer',
      status: 'active',
      hands: 1,
      payout_wallet_id: null,
      joined_at: new Date(0),
    };
    expect(withCurrentRole(treasurer)).to.equal(treasurer);
    for (const status of ['left', 'expelled'] as const) {
      expect(withCurrentRole({ ...treasurer, status })).to.deep.equal({ ...treasurer, status, role: 'member' });
    }
  });
});

describe('a closed association', () => {
  it('may be read but refuses every write', () => {
    for (const permission of PERMISSIONS) {
      expect(closedRefusal(permission, 'active')).to.equal(null);
      const refusal = closedRefusal(permission, 'closed');
      if (PERMISSION_TABLE[permission].write) expect(problemCode(refusal)).to.equal('association_closed');
      else expect(refusal).to.equal(null);
    }
  });
});
