import { expect } from 'chai';
import pg from 'pg';
import { PROPOSAL_TYPES, SUBJECT_TYPES } from '../../../lib/contracts/approvals.ts';
import { migrate } from '../../../lib/db/migrate.ts';
import { uuidV7Source } from '../../../lib/runtime/runtime.ts';
import { governanceDatabase } from '../../../services/governance/persistence/data-source.ts';
import { createTestDatabase } from '../../harness/databases.ts';

/** The service's tables as they were released before issue 3. */
const RELEASED = governanceDatabase.migrations.slice(0, 1);

describe('governance: migrations', () => {
  const newId = uuidV7Source(
    () => new Date(),
    () => 7,
  );

  it('take over what was decided and voted before, and know every type from then on', async () => {
    const database = await createTestDatabase('governance-released', () => Promise.resolve());
    const admin = new pg.Client({ connectionString: database.migrationUrl });
    await migrate(database, RELEASED);
    await admin.connect();
    const insertApproval = (subject_type: string, id = newId()) =>
      admin.query(
        `INSERT INTO approvals (id, association_id, subject_type, subject_id, payload, payload_hash, status,
           required_approvals, requested_by_member_id, requested_at, expires_at, execution_status, touched_at)
         VALUES ($1, $2, $3, $4, '{}', $5, 'pending', 1, $6, now(), now(), 'none', now())`,
        [id, newId(), subject_type, newId(), 'a'.repeat(64), newId()],
      );
    try {
      const [approval_id, member_id] = [newId(), newId()];
      await insertApproval('role_change', approval_id);
      await admin.query(`INSERT INTO votes VALUES ($1, $2, 'approve', NULL, now())`, [approval_id, member_id]);
      await migrate(database, governanceDatabase.migrations);
      const { rows } = await admin.query('SELECT member_id, decision, operation_id FROM votes');
      expect(rows).to.deep.equal([{ member_id, decision: 'approve', operation_id: null }]);
      for (const type of SUBJECT_TYPES) await insertApproval(type);
      expect(SUBJECT_TYPES).to.include.members([...PROPOSAL_TYPES]);
      const unknown = await insertApproval('coup').catch((error: unknown) => error);
      expect(unknown).to.include({ constraint: 'approvals_subject_type' });
    } finally {
      await admin.end();
      await database.drop();
    }
  });
});
