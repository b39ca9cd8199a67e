import { expect } from 'chai';
import pg from 'pg';
import { PROPOSAL_TYPES, SUBJECT_TYPES } from '../../../lib/contracts/approvals.ts';
import { migrate } from '../../../lib/db/migrate.ts';
import { governanceDatabase } from '../../../services/governance/database.ts';
import { createTestDatabase } from '../../harness/databases.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { testIds } from '../../harness/runtime.ts';

/** The migrations of the first release. */
const RELEASED = governanceDatabase.migrations.slice(0, 1);

describe('governance: migrations', () => {
  const newId = testIds();

  it('preserve decisions and votes of the first release, and allow every subject type', async () => {
    const database = await createTestDatabase('governance-released', () => Promise.resolve());
    const admin = new pg.Client({ connectionString: database.migrationUrl });
    await migrate(database, RELEASED);
    await admin.connect();
    const insertApproval = (subject_type: string, id = newId(), more: Record<string, string> = {}) => {
      const values = {
        id,
        association_id: newId(),
        subject_type,
        subject_id: newId(),
        payload: '{}',
        payload_hash: 'a'.repeat(64),
        status: 'pending',
        required_approvals: '1',
        execution_status: 'none',
        requested_by_member_id: newId(),
        requested_at: 'now',
        expires_at: 'now',
        ...more,
      };
      const places = Object.keys(values).map((_, index) => `$${String(index + 1)}`);
      return admin.query(
        `INSERT INTO approvals (${Object.keys(values).join(', ')}) VALUES (${places.join(', ')})`,
        Object.values(values),
      );
    };
    try {
      const approval_id = newId();
      const member_id = newId();
      await insertApproval('role_change', approval_id, { touched_at: 'now' });
      const notified = newId();
      const unnotified = newId();
      const closing = newId();
      const approved = { status: 'approved', decided_at: 'now', execution_status: 'pending', touched_at: 'now' };
      await insertApproval('distribution', notified, { ...approved, execution_status: 'done', owner_told_at: 'now' });
      await insertApproval('distribution', unnotified, approved);
      await admin.query(`INSERT INTO votes VALUES ($1, $2, 'approve', NULL, now())`, [approval_id, member_id]);
      await migrate(database, governanceDatabase.migrations.slice(0, 3));
      await insertApproval('closure', closing, approved);
      await admin.query('INSERT INTO sealed_associations VALUES ($1, $2, now())', [newId(), closing]);
      await migrate(database, governanceDatabase.migrations);
      const executions = await admin.query('SELECT id, status FROM executions');
      expect(executions.rows).to.have.deep.members([
        { id: notified, status: 'notified' },
        { id: unnotified, status: 'notifying' },
        { id: closing, status: 'locking' },
      ]);
      expect((await admin.query('SELECT owner_id, lifted FROM locks')).rows).to.deep.equal([
        { owner_id: closing, lifted: false },
      ]);
      const { rows } = await admin.query('SELECT member_id, decision, operation_id FROM votes');
      expect(rows).to.deep.equal([{ member_id, decision: 'approve', operation_id: null }]);
      for (const type of SUBJECT_TYPES) await insertApproval(type);
      expect(SUBJECT_TYPES).to.include.members([...PROPOSAL_TYPES]);
      expect(await outcomeOf(insertApproval('coup'))).to.equal('approvals_subject_type');
    } finally {
      await admin.end();
      await database.release();
    }
  });
});
