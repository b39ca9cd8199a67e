import { expect } from 'chai';
import fc from 'fast-check';
import pg from 'pg';
import {
  claimKey,
  freeKey,
  batchClaims,
  HOLD_MS,
  keepAnswer,
  KEY_LIFE_MS,
  releaseKey,
  purgeKeys,
} from '../../../lib/idempotency/claims.ts';
import type { Claim, ClaimResult } from '../../../lib/idempotency/claims.ts';
import { fingerprintOf } from '../../../lib/idempotency/operation.ts';
import { createIdempotencyKeys } from '../../../lib/idempotency/table.ts';
import type { Pool } from '../../../lib/db/db.ts';
import { openPool } from '../../../lib/db/pool.ts';
import { migrate } from '../../../lib/db/migrate.ts';
import { createTestDatabase } from '../../harness/databases.ts';
import type { TestDatabase } from '../../harness/databases.ts';
import { testIds } from '../../harness/runtime.ts';

const newId = testIds();
const NOW = new Date('2026-11-21T12:00:00Z');
const later = (ms: number) => new Date(NOW.getTime() + ms);
const ANSWER = { status: 201, headers: { Location: '/somewhere' }, body: { id: 'x' } };

class CreateIdempotencyKeys1700000000001 {
  name = 'CreateIdempotencyKeys1700000000001';
  up = createIdempotencyKeys;
  down = () => Promise.resolve();
}

describe('Idempotency keys', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let db: Pool;

  before(async () => {
    database = await createTestDatabase('idempotency', (made) => migrate(made, [CreateIdempotencyKeys1700000000001]));
    pool = new pg.Pool({ connectionString: database.url, pipeline: true });
    db = openPool(pool);
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  const claimOf = (parts: Partial<Claim> = {}): Claim => ({
    ...{ user_id: 'awa', key: newId(), fingerprint: 'f'.repeat(64), operation_id: newId(), ...parts },
  });
  const again = (claim: Claim, parts: Partial<Claim> = {}): Claim => ({ ...claim, operation_id: newId(), ...parts });

  /** As by a node of its own: claims at once meet in the database. */
  const claimAt = (claim: Claim, now: Date): Promise<ClaimResult> =>
    claimKey(db, claim, now, HOLD_MS, batchClaims(db, db));

  it('give a free key to exactly one of many requests at once', async () => {
    const claim = claimOf();
    const results = await Promise.all(Array.from({ length: 12 }, () => claimAt(again(claim), NOW)));
    expect(results.filter(({ kind }) => kind === 'held')).to.have.length(1);
    expect(results.filter(({ kind }) => kind === 'in_flight')).to.have.length(11);
  });

  it('give the first answer to a repeat, and refuse another request with the key', async () => {
    const claim = claimOf();
    await claimAt(claim, NOW);
    await db.run(...keepAnswer(claim, ANSWER));
    expect(await claimAt(again(claim), later(1_000))).to.deep.equal({ kind: 'answered', answer: ANSWER });
    expect(await claimAt(again(claim, { fingerprint: '0'.repeat(64) }), later(1_000))).to.deep.equal({
      kind: 'reused',
    });
  });

  it('refuse another request with the key while the first is in flight', async () => {
    const claim = claimOf();
    await claimAt(claim, NOW);
    expect((await claimAt(again(claim, { fingerprint: '0'.repeat(64) }), NOW)).kind).to.equal('reused');
  });

  it('mean nothing to another user', async () => {
    const claim = claimOf();
    await claimAt(claim, NOW);
    expect((await claimAt(again(claim, { user_id: 'ben' }), NOW)).kind).to.equal('held');
  });

  it('are free again after a refusal, with a fresh operation', async () => {
    const claim = claimOf();
    await claimAt(claim, NOW);
    await freeKey(db, claim);
    const next = again(claim);
    expect(await claimAt(next, NOW)).to.deep.equal({
      ...{ kind: 'held', operation_id: next.operation_id, resumed: false },
    });
  });

  it('resume the same operation after a fault, and after a crash once its time is up', async () => {
    const [faulty, crashed] = [claimOf(), claimOf()];
    await claimAt(faulty, NOW);
    await releaseKey(db, faulty);
    await claimAt(crashed, NOW);
    const resumed = (claim: Claim) => ({ kind: 'held', operation_id: claim.operation_id, resumed: true });
    expect(await claimAt(again(faulty), later(1))).to.deep.equal(resumed(faulty));
    expect((await claimAt(again(crashed), later(1_000))).kind).to.equal('in_flight');
    expect(await claimAt(again(crashed), later(20_000))).to.deep.equal(resumed(crashed));
  });

  it('are taken over by one of many that find them abandoned', async () => {
    const claim = claimOf();
    await claimAt(claim, NOW);
    await releaseKey(db, claim);
    const results = await Promise.all(Array.from({ length: 8 }, () => claimAt(again(claim), later(1))));
    expect(results.filter(({ kind }) => kind === 'held')).to.have.length(1);
    expect(results.filter(({ kind }) => kind === 'in_flight')).to.have.length(7);
  });

  it('do not overwrite an answer that stands', async () => {
    const claim = claimOf();
    await claimAt(claim, NOW);
    await db.run(...keepAnswer(claim, ANSWER));
    await db.run(...keepAnswer(claim, { ...ANSWER, body: { id: 'other' } }));
    await freeKey(db, claim);
    expect(await claimAt(again(claim), NOW)).to.deep.equal({ kind: 'answered', answer: ANSWER });
  });

  it('have had their day after 24 hours', async () => {
    const claim = claimOf();
    await claimAt(claim, NOW);
    await db.run(...keepAnswer(claim, ANSWER));
    expect((await claimAt(again(claim), later(KEY_LIFE_MS))).kind).to.equal('answered');
    const next = again(claim);
    expect(await claimAt(next, later(KEY_LIFE_MS + 1))).to.deep.equal({
      ...{ kind: 'held', operation_id: next.operation_id, resumed: false },
    });
    await purgeKeys(db, later(3 * KEY_LIFE_MS));
    expect(await db.rows('SELECT FROM idempotency_keys')).to.deep.equal([]);
  });

  it('stand for the request whatever the order of its members and however its PIN is sealed', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.string(), (body, one, other) => {
        const reversed = Object.fromEntries(Object.entries(body).toReversed());
        const fingerprint = fingerprintOf('POST', '/x', { ...body, pin: one });
        expect(fingerprintOf('POST', '/x', { ...reversed, pin: other, current_pin: one })).to.equal(fingerprint);
        expect(fingerprintOf('POST', '/y', body)).not.to.equal(fingerprint);
        expect(fingerprintOf('PUT', '/x', body)).not.to.equal(fingerprint);
      }),
    );
  });
});
