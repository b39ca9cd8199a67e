import { expect } from 'chai';
import { withDatabase } from '../../../lib/config/server-urls.ts';
import { openDatabase } from '../../../lib/db/database.ts';
import { associations } from '../../../services/membership/associations/association.table.ts';
import { membershipDatabase } from '../../../services/membership/database.ts';
import { members } from '../../../services/membership/members/member.table.ts';
import { NEW_ASSOCIATION, useMembership } from '../../harness/membership.ts';
import { INSUFFICIENT_PRIVILEGE, outcomeOf } from '../../harness/refusal.ts';
import { adminUrl, withClient } from '../../harness/servers.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');

describe("the membership service's database role", () => {
  const harness = useMembership();

  for (const statement of [
    'DELETE FROM associations',
    'DELETE FROM members',
    'DELETE FROM outbox',
    'DELETE FROM executed_approvals',
    'TRUNCATE used_ciphertexts',
    `UPDATE associations SET currency = 'EUR'`,
    'UPDATE associations SET contribution_frequency = NULL',
    `UPDATE associations SET type = 'savings'`,
    'UPDATE associations SET created_at = now()',
    'DELETE FROM endings',
    `UPDATE members SET user_id = 'thief'`,
    'UPDATE members SET association_id = NULL',
    'UPDATE invitations SET max_uses = 10000',
    'TRUNCATE invitations',
    `UPDATE invitations SET expires_at = now()`,
    `UPDATE used_ciphertexts SET user_id = 'thief'`,
    `UPDATE used_ciphertexts SET idempotency_key = 'mine'`,
    `UPDATE executed_approvals SET status = 'done'`,
    'UPDATE cycle_binding_members SET hands = 20',
    'DELETE FROM cycle_bindings',
    `UPDATE outbox SET event = '{}'`,
    'ALTER TABLE members DISABLE TRIGGER ALL',
    'ALTER TABLE associations DROP CONSTRAINT associations_capacity',
    'DROP TABLE pins',
    'CREATE TABLE anything ()',
  ]) {
    it(`has no privilege to ${statement}`, async () => {
      expect(await harness.asRole(statement)).to.equal(INSUFFICIENT_PRIVILEGE);
    });
  }

  it('is equally restricted if the service migrates with its own role, and the service works', async () => {
    const name = `self_${String(process.pid)}`;
    const url = new URL(withDatabase(adminUrl(), name));
    url.username = name;
    url.password = 'self';
    const { hands, contribution_amount, ...terms } = NEW_ASSOCIATION;
    const id = harness.newId();
    await withClient(adminUrl(), async (admin) => {
      await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD 'self'`);
      await admin.query(`CREATE DATABASE ${name} OWNER ${name}`);
      try {
        const db = await openDatabase({ url: url.href }, membershipDatabase);
        await db.orm.insert(associations, {
          ...terms,
          id,
          description: null,
          status: 'active',
          search_text: '',
          created_at: NOW,
          contribution_amount_minor: BigInt(contribution_amount),
          member_count: 1,
          rules_version: 1,
        });
        await db.orm.insert(members, {
          id: harness.newId(),
          association_id: id,
          user_id: 'awa',
          display_name: null,
          role: 'president',
          status: 'active',
          hands,
          payout_wallet_id: null,
          joined_at: NOW,
          tenure: 0,
        });
        expect((await db.orm.findOneBy(associations, { id }))?.contribution_amount_minor).to.equal(10_000n);
        const refused = await outcomeOf(db.run('DELETE FROM associations'));
        await db.close();
        expect(refused).to.equal(INSUFFICIENT_PRIVILEGE);
      } finally {
        await admin.query(`DROP DATABASE IF EXISTS ${name}`);
        await admin.query(`DROP ROLE IF EXISTS ${name}`);
      }
    });
  });
});
