import { expect } from 'chai';
import fc from 'fast-check';
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
import type { Database } from '../../../lib/db/database.ts';
import { openOwnTables } from '../../harness/own-tables.ts';
import { atOnce } from '../../harness/refusal.ts';
import { testIds } from '../../harness/runtime.ts';

const newId = testIds();
const NOW = new Date('2026-11-21T12:00:00Z');
const later = (ms: number) => new Date(NOW.getTime() + ms);
const ANSWER = { status: 201, headers: { Location: '/somewhere' }, body: { id: 'x' } };

describe('idempotency keys', () => {
  let db: Database;
  let close: () => Promise<void>;

  before(async () => {
    ({ db, close } = await openOwnTables('idempotency', [], createIdempotencyKeys));
  });
  after(() => close());

  const OTHER_REQUEST = { fingerprint: '0'.repeat(64) };
  const again = (claim: Claim, parts: Partial<Claim> = {}): Claim => ({ ...claim, operation_id: newId(), ...parts });

  /** Claims a key as a separate process would, so that concurrent claims meet in the database. */
  const claimAt = (claim: Claim, now: Date): Promise<ClaimResult> =>
    claimKey(db, claim, now, HOLD_MS, batchClaims(db, db));

  const newClaim = (): Claim => ({
    user_id: 'awa',
    key: newId(),
    fingerprint: 'f'.repeat(64),
    operation_id: newId(),
  });

  /** Claims a free key. */
  async function claimed(): Promise<Claim> {
    const claim = newClaim();
    expect(await claimAt(claim, NOW)).to.deep.equal(heldBy(claim));
    return claim;
  }

  /** Claims a free key and stores an answer. */
  async function answered(): Promise<Claim> {
    const claim = await claimed();
    await db.run(...keepAnswer(claim, ANSWER));
    return claim;
  }

  const heldBy = ({ operation_id }: Claim, resumed = false) => ({ kind: 'held', operation_id, resumed });
  const kindsOf = (results: ClaimResult[]) => results.map(({ kind }) => kind).toSorted();

  it('are held by exactly one of many concurrent requests', async () => {
    const claim = newClaim();
    const results = await Promise.all(atOnce(12, () => claimAt(again(claim), NOW)));
    expect(kindsOf(results)).to.deep.equal(['held', ...Array<string>(11).fill('in_flight')]);
  });

  it('are taken over by exactly one of many concurrent requests after their request was abandoned', async () => {
    const claim = await claimed();
    await releaseKey(db, claim);
    const results = await Promise.all(atOnce(8, () => claimAt(again(claim), later(1))));
    expect(kindsOf(results)).to.deep.equal(['held', ...Array<string>(7).fill('in_flight')]);
  });

  it('give the first answer to a repeat', async () => {
    const claim = await answered();
    expect(await claimAt(again(claim), later(1_000))).to.deep.equal({ kind: 'answered', answer: ANSWER });
  });

  it('refuse a different request, both while the first request is in flight and after its answer', async () => {
    for (const claim of [await claimed(), await answered()]) {
      expect(await claimAt(again(claim, OTHER_REQUEST), later(1_000))).to.deep.equal({ kind: 'reused' });
    }
  });

  it('are independent of the keys of other users', async () => {
    const other = again(await claimed(), { user_id: 'ben' });
    expect(await claimAt(other, NOW)).to.deep.equal(heldBy(other));
  });

  it('are free again after a refusal, and then have a new operation', async () => {
    const claim = await claimed();
    await freeKey(db, claim);
    const next = again(claim);
    expect(await claimAt(next, NOW)).to.deep.equal(heldBy(next));
  });

  it('resume the same operation immediately after a fault, and after the holding time if the process died', async () => {
    const faulty = await claimed();
    const crashed = await claimed();
    await releaseKey(db, faulty);
    expect(await claimAt(again(faulty), later(1))).to.deep.equal(heldBy(faulty, true));
    expect(await claimAt(again(crashed), later(1_000))).to.deep.equal({ kind: 'in_flight' });
    expect(await claimAt(again(crashed), later(20_000))).to.deep.equal(heldBy(crashed, true));
  });

  it('do not overwrite a stored answer', async () => {
    const claim = await answered();
    await db.run(...keepAnswer(claim, { ...ANSWER, body: { id: 'other' } }));
    await freeKey(db, claim);
    expect(await claimAt(again(claim), NOW)).to.deep.equal({ kind: 'answered', answer: ANSWER });
  });

  it('are kept for 24 hours', async () => {
    const claim = await answered();
    expect((await claimAt(again(claim), later(KEY_LIFE_MS))).kind).to.equal('answered');
    const next = again(claim);
    expect(await claimAt(next, later(KEY_LIFE_MS + 1))).to.deep.equal(heldBy(next));
    await purgeKeys(db, later(3 * KEY_LIFE_MS));
    expect(await db.rows('SELECT FROM idempotency_keys')).to.deep.equal([]);
  });

  it('have a fingerprint of the request that ignores the order of its members and its encrypted PINs', () => {
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
