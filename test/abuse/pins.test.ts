import { expect } from 'chai';
import { api } from '../harness/own-document.ts';
import { sharedCluster, type Deployment } from '../harness/cluster.ts';
import { foundGroup } from '../harness/group.ts';
import { HttpClient, type HttpAnswer, type Json } from '../harness/http.ts';
import { openedMeeting } from '../harness/requests.ts';
import type { TestMember } from '../harness/test-member.ts';
import { bodyMembers } from './matrix/members.ts';

/** Wrong PINs in a row after which a PIN is locked. */
const ATTEMPTS = 5;
const WRONG = '1111';

describe('guessing PINs', function () {
  this.timeout(60_000);
  let cluster: Deployment;
  let document: object;

  before(async () => {
    cluster = await sharedCluster();
    document = (await (await fetch(`${cluster.origin}/openapi.json`)).json()) as object;
  });

  const found = async (size: number): Promise<TestMember[]> =>
    (await foundGroup(cluster, { size, funding: 1_000, roles: ['president', 'treasurer'] })).members;

  /** Tries a PIN with a request that changes nothing even if it is right: the wallet is in use already. */
  async function guess(by: TestMember, pin: string, headers?: Record<string, string>): Promise<HttpAnswer> {
    const body = { payout_wallet_id: by.wallet_id, pin: await by.http.sealedPin(pin) };
    return by.http.send('PATCH', `${by.path}/members/me`, body, headers);
  }

  it('is possible only for the own PIN: no operation with a PIN names another user', () => {
    const judging = api.operations.filter((operation) => bodyMembers(document, operation).includes('pin'));
    expect(judging.map(({ id }) => id)).to.have.members([
      ...['setPin', 'changeOwnMembership', 'contribute', 'recordCashContribution', 'approve', 'reject'],
      ...['payFine', 'submitSheet', 'requestCorrection'],
    ]);
    for (const operation of judging) {
      const named = [...operation.parameters.map(({ name }) => name), ...bodyMembers(document, operation)];
      expect(named, operation.id).to.not.include('user_id');
    }
  });

  it('in requests about another member counts against the sender, and never locks the other', async () => {
    const [attacker, victim] = (await found(2)) as [TestMember, TestMember];
    const meeting = await openedMeeting(attacker);
    const about: [path: string, body: Json][] = [
      [`/meetings/${meeting}/contribute`, { wallet_id: victim.wallet_id, amount: 1, for_member_id: victim.member_id }],
      ['/cash-contribution', { member_id: victim.member_id, amount: 1, reason: 'Cash' }],
      ['/members/me', { payout_wallet_id: victim.wallet_id }],
    ];
    for (const [index, [path, body]] of about.entries()) {
      const pin = await attacker.http.sealedPin(WRONG);
      const method = path === '/members/me' ? 'PATCH' : 'POST';
      const answer = await attacker.http.send(method, attacker.path + path, { ...body, pin });
      expect(answer.body, path).to.include({ code: 'pin_invalid', attempts_left: ATTEMPTS - 1 - index });
    }
    expect((await guess(victim, WRONG)).body).to.include({ code: 'pin_invalid', attempts_left: ATTEMPTS - 1 });
    expect((await guess(victim, victim.http.pin)).status).to.equal(200);
  });

  it('with the ciphertext of another user counts against the sender, and costs the other no attempt', async () => {
    const [attacker, victim] = (await found(2)) as [TestMember, TestMember];
    const thief = { ...attacker, http: new HttpClient(cluster.origin, attacker.http.token, '8642') };
    const changed = { pin: await thief.http.sealedPin(), current_pin: await attacker.http.sealedPin() };
    expect((await attacker.http.send('PUT', '/me/pin', changed)).status).to.equal(204);
    const stolen = await victim.http.sealedPin();
    const body = (wallet: string) => ({ payout_wallet_id: wallet, pin: stolen });
    const used = await thief.http.send('PATCH', `${thief.path}/members/me`, body(thief.wallet_id));
    expect(used.body).to.include({ code: 'pin_invalid', attempts_left: ATTEMPTS - 1 });
    const late = await victim.http.send('PATCH', `${victim.path}/members/me`, body(victim.wallet_id));
    expect(late.body.code).to.equal('pin_replayed');
    expect((await guess(victim, WRONG)).body.attempts_left).to.equal(ATTEMPTS - 1);
  });

  it('in parallel, from many addresses, gets five answers before the lock, also for the right PIN', async () => {
    const [, member] = (await found(2)) as [TestMember, TestMember];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => guess(member, WRONG, { 'X-Forwarded-For': `192.0.2.${String(index)}` })),
    );
    const codes = answers.map(({ body }) => body.code);
    expect(codes.filter((code) => code === 'pin_invalid')).to.have.length(ATTEMPTS);
    expect(codes.filter((code) => code === 'pin_locked')).to.have.length(answers.length - ATTEMPTS);
    const right = await guess(member, member.http.pin, { 'X-Forwarded-For': '198.51.100.1' });
    expect(right.body.code).to.equal('pin_locked');
    expect(Number(right.headers.get('retry-after'))).to.be.within(1, 15 * 60);
  });

  it('cannot lift the lock by another PIN, by leaving, or by deleting the PIN without the scope', async () => {
    const [, member] = (await found(2)) as [TestMember, TestMember];
    for (let tried = 0; tried < ATTEMPTS; tried += 1) await guess(member, WRONG);
    const { http, user, path } = member;
    const changed = { pin: await http.sealedPin('5678'), current_pin: await http.sealedPin() };
    expect((await http.send('PUT', '/me/pin', changed)).body.code).to.equal('pin_locked');
    expect((await http.send('DELETE', `/users/${user}/pin`)).body.code).to.equal('insufficient_scope');
    expect((await http.send('DELETE', `${path}/members/me`)).status).to.equal(204);
    expect((await http.post(`${path}/join`)).status).to.equal(201);
    expect((await guess(member, http.pin)).body.code).to.equal('pin_locked');
  });

  it('with one PIN over many accounts needs a token of each, and costs each an attempt', async () => {
    const members = await found(8);
    const tried = await Promise.all(members.map((member) => guess(member, WRONG)));
    for (const { body } of tried) expect(body).to.include({ code: 'pin_invalid', attempts_left: ATTEMPTS - 1 });
    const body = { payout_wallet_id: members[0]!.wallet_id, pin: await members[0]!.http.sealedPin(WRONG) };
    const without = await new HttpClient(cluster.origin, '').send('PATCH', `${members[0]!.path}/members/me`, body);
    expect(without.body.code).to.equal('token_missing');
    expect((await guess(members[0]!, WRONG)).body.attempts_left).to.equal(ATTEMPTS - 2);
  });
});
