import { expect } from 'chai';
import pg from 'pg';
import { openDatabase } from '../../../lib/db/database.ts';
import { migrate } from '../../../lib/db/migrate.ts';
import { treasuryDatabase } from '../../../services/treasury/database.ts';
import { createTestDatabase } from '../../harness/databases.ts';
import { postingOf, testWriter } from '../../harness/ledger.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { testIds } from '../../harness/runtime.ts';
import { legs } from '../../harness/treasury.ts';

const newId = testIds();

describe('treasury: the second migration', () => {
  it('attributes existing entries to members, keeps them append-only, and lets the chain continue', async () => {
    const [first] = treasuryDatabase.migrations;
    const database = await createTestDatabase('treasury_before', (each) => migrate(each, [first!]));
    const admin = new pg.Pool({ connectionString: database.migrationUrl, max: 1 });
    const association_id = newId();
    const member_id = newId();
    const transfer_id = newId();
    const wallet_id = newId();
    const now = new Date();
    const account = (account_id: string, name: string, money: string, balance: number, association: string | null) =>
      admin.query(
        `INSERT INTO accounts (account_id, association_id, name, money, currency, owner_user_id, balance, entry_count,
                               may_go_negative, created_at) VALUES ($1, $2, $3, $4, 'XAF', $5, $6, 1, $7, $8)`,
        [account_id, association, name, money, association === null ? 'u' : null, balance, balance < 0, now],
      );
    await account(`wallet:${wallet_id}`, `wallet:${wallet_id}`, 'emoney', 5, null);
    await account(`${association_id}/treasury`, 'treasury', 'emoney', 7, association_id);
    await account(`${association_id}/cash_funding`, 'cash_funding', 'cash', -3, association_id);
    await account(`${association_id}/cash_treasury`, 'cash_treasury', 'cash', 3, association_id);
    const hash = 'a'.repeat(64);
    await admin.query(
      `INSERT INTO transfers (id, chain_id, seq, association_id, kind, legs, currency, member_id, posted_at, prev_hash,
                              hash, request_hash)
       VALUES ($1, $2::text, 1, $2::text::uuid, 'contribution', '[]', 'XAF', $3, $4, $5, $5, '')`,
      [transfer_id, association_id, member_id, now, hash],
    );
    await admin.query(
      'INSERT INTO chains (chain_id, association_id, seq, hash) VALUES ($1::text, $1::text::uuid, 1, $2)',
      [association_id, hash],
    );
    await admin.query(
      `INSERT INTO entries SELECT account_id, 1, $1, amount, amount FROM (VALUES
         ($2::text, -7), ($3::text || '/treasury', 7), ($3 || '/cash_funding', -3), ($3 || '/cash_treasury', 3)
       ) AS made (account_id, amount)`,
      [transfer_id, `wallet:${wallet_id}`, association_id],
    );

    await migrate(database, treasuryDatabase.migrations);

    const { rows } = await admin.query<{ name: string; member_id: string | null }>(
      'SELECT name, member_id FROM entries JOIN accounts USING (account_id) ORDER BY name',
    );
    expect(Object.fromEntries(rows.map((row) => [row.name, row.member_id]))).to.deep.equal({
      [`wallet:${wallet_id}`]: member_id,
      treasury: null,
      cash_funding: member_id,
      cash_treasury: null,
    });
    expect(await outcomeOf(admin.query('UPDATE entries SET member_id = NULL'))).to.equal('23001');
    await admin.end();

    const db = await openDatabase(database, treasuryDatabase);
    const writer = testWriter(db);
    const movement = legs('treasury', `wallet:${wallet_id}`, 4);
    const outcome = await writer.post(postingOf(association_id, { movement }));
    expect(outcome).to.have.nested.property('transfer.seq', 2);
    await writer.stop();
    await db.close();
    await database.release();
  });
});
