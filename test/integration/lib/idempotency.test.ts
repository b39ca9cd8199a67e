import { expect } from 'chai';
import fc from 'fast-check';
import {
  claimKey,
  freeKey,
  batchClaims,
  bindKey,
  keepAnswer,
  KEY_LIFE_MS,
  releaseKey,
  renewClaim,
  purgeKeys,
} from '../../../lib/idempotency/claims.ts';
import type { Claim, ClaimResult, HeldClaim } from '../../../lib/idempotency/claims.ts';
import { fingerprintOf, keyedOperation } from '../../../lib/idempotency/operation.ts';
import { createIdempotencyKeys } from '../../../lib/idempotency/table.ts';
import type { Database } from '../../../lib/db/database.ts';
import { openOwnTables } from '../../harness/own-tables.ts';
import { atOnce, outcomeOf } from '../../harness/refusal.ts';
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
  const claimAt = (claim: Claim, now: Date): Promise<ClaimResult> => claimKey(db, claim, now, batchClaims(db, db));

  const newClaim = (): Claim => ({
    user_id: 'awa',
    key: newId(),
    fingerprint: 'f'.repeat(64),
    operation_id: newId(),
  });

  /** Claims a free key. */
  async function claimed(): Promise<HeldClaim> {
    const claim = newClaim();
    expect(await claimAt(claim, NOW)).to.deep.equal(heldBy(claim));
    return { ...claim, claimed_at: NOW };
  }

  /** Lets time pass for one claim, by the database's clock. */
  const pass = ({ user_id, key }: Claim, ms: number) =>
    db.run(
      `UPDATE idempotency_keys SET held_until = held_until - $3 * interval '1 millisecond' WHERE user_id = $1 AND key = $2`,
      [user_id, key, ms],
    );

  /** Takes over the claim of a process that was frozen. */
  async function takenOver(frozen: HeldClaim): Promise<HeldClaim> {
    await pass(frozen, 3_000);
    const taken = await claimAt(again(frozen), NOW);
    expect(taken).to.deep.include({ kind: 'held', operation_id: frozen.operation_id, resumed: true });
    return { ...frozen, claimed_at: (taken as HeldClaim & ClaimResult).claimed_at };
  }

  /** Claims a free key and stores an answer. */
  async function answered(): Promise<HeldClaim> {
    const claim = await claimed();
    await db.run(...keepAnswer(claim, ANSWER));
    return claim;
  }

  const heldBy = ({ operation_id }: Claim, claimed_at = NOW, resumed = false) => {
    return { kind: 'held', operation_id, claimed_at, resumed };
  };
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

  it('refuse a different request also after a fault, so that a repeat continues the first operation', async () => {
    const faulty = await claimed();
    await releaseKey(db, faulty);
    expect(await claimAt(again(faulty, OTHER_REQUEST), later(1))).to.deep.equal({ kind: 'reused' });
    expect(await claimAt(again(faulty), later(2))).to.deep.equal(heldBy(faulty, later(2), true));
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

  it('resume the same operation immediately after a fault, and after 3 s if the process died', async () => {
    const faulty = await claimed();
    const crashed = await claimed();
    await releaseKey(db, faulty);
    expect(await claimAt(again(faulty), later(1))).to.deep.equal(heldBy(faulty, later(1), true));
    await pass(crashed, 1_500);
    expect(await claimAt(again(crashed), NOW)).to.deep.equal({ kind: 'in_flight' });
    await pass(crashed, 1_500);
    expect(await claimAt(again(crashed), later(1))).to.deep.equal(heldBy(crashed, later(1), true));
  });

  it('are held by the clock of the database, whatever the clocks of the processes are', async () => {
    const claim = await claimed();
    for (const hour of [-3_600_000, 3_600_000]) {
      expect(await claimAt(again(claim), later(hour))).to.deep.equal({ kind: 'in_flight' });
    }
  });

  it('stay held while their request is renewed', async () => {
    const claim = await claimed();
    await pass(claim, 2_900);
    expect(await renewClaim(db, claim)).to.equal(true);
    await pass(claim, 2_500);
    expect(await claimAt(again(claim), NOW)).to.deep.equal({ kind: 'in_flight' });
  });

  it('cannot be renewed, answered, freed or released by a process that was frozen while another took them over', async () => {
    const frozen = await claimed();
    const taken = await takenOver(frozen);
    expect(await renewClaim(db, frozen)).to.equal(false);
    await db.run(...keepAnswer(frozen, { ...ANSWER, body: { id: 'late' } }));
    await freeKey(db, frozen);
    await releaseKey(db, frozen);
    expect(await claimAt(again(frozen), NOW)).to.deep.equal({ kind: 'in_flight' });
    await db.run(...keepAnswer(taken, ANSWER));
    expect(await claimAt(again(frozen), NOW)).to.deep.equal({ kind: 'answered', answer: ANSWER });
  });

  it('roll back the effect of a process that was frozen while another took them over', async () => {
    const frozen = await claimed();
    await takenOver(frozen);
    const operation = keyedOperation({ meta: {} }, frozen, false, 201);
    const late = db.transaction(async (tx) => {
      await tx.run('DELETE FROM idempotency_keys');
      await operation.keep(tx, ANSWER.body);
    });
    expect(await outcomeOf(late)).to.equal('idempotency_in_flight');
    expect(await claimAt(again(frozen), NOW)).to.deep.equal({ kind: 'in_flight' });
  });

  it('stay bound to the request of another service for their life', async () => {
    const bound = newClaim();
    const bind = (claim: Claim, now: Date) => bindKey(db, claim, now, batchClaims(db, db));
    expect(await bind(bound, NOW)).to.equal(true);
    await pass(bound, KEY_LIFE_MS);
    expect(await bind(again(bound), later(KEY_LIFE_MS))).to.equal(true);
    expect(await bind(again(bound, OTHER_REQUEST), later(KEY_LIFE_MS))).to.equal(false);
    expect(await bind(again(bound, OTHER_REQUEST), later(KEY_LIFE_MS + 1))).to.equal(true);
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
    expect(await claimAt(next, later(KEY_LIFE_MS + 1))).to.deep.equal(heldBy(next, later(KEY_LIFE_MS + 1)));
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

  it('have the fingerprint of the last release for a request that has only defaults of what that does not know', () => {
    const added_defaults = { zone: 'UTC', rules: { fines: [], approvals: { sheet: 1 } } };
    const of = (body: object, contract = {}) => fingerprintOf('POST', '/x', body, contract);
    const old = { name: 'a', rules: { shortfall: 'block', approvals: { motion: 1 } } };
    const now = { ...old, zone: 'UTC', rules: { ...old.rules, fines: [], approvals: { motion: 1, sheet: 1 } } };
    expect(of(now, { added_defaults })).to.equal(of(old));
    const others = [
      { ...now, zone: 'Africa/Douala' },
      { ...now, rules: { ...now.rules, fines: [{}] } },
      { ...now, rules: { ...now.rules, approvals: { motion: 1, sheet: 2 } } },
      { ...now, rules: { ...now.rules, approvals: { sheet: 1 } } },
    ].map((body) => of(body, { added_defaults }));
    expect(new Set([...others, of(old)]).size).to.equal(others.length + 1);
  });
});
