import { expect } from 'chai';
import { sharedCluster } from '../harness/cluster.ts';
import type { Deployment } from '../harness/cluster.ts';
import { foundGroup } from '../harness/group.ts';
import type { TestGroup } from '../harness/group.ts';
import type { TestMember } from '../harness/test-member.ts';
import { HttpClient } from '../harness/http.ts';
import type { HttpAnswer } from '../harness/http.ts';
import { ask, contribute, done, openedMeeting, sealed, settle, startedRounds } from '../harness/requests.ts';

function tally(answers: HttpAnswer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const key = status < 300 ? String(status) : String(body.code);
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

describe('concurrent requests', function () {
  this.timeout(120_000);
  let cluster: Deployment;

  before(async () => {
    cluster = await sharedCluster();
  });

  async function groupInCycle(size: number): Promise<{ group: TestGroup; rounds: string[] }> {
    const group = await foundGroup(cluster, { size, funding: 50_000, roles: ['president', 'treasurer'] });
    return { group, rounds: await startedRounds(group.members[0]!) };
  }

  it('pass once when 12 identical payments come together', async () => {
    const { group, rounds } = await groupInCycle(3);
    const [payer] = group.members as [TestMember];
    const payment = await sealed(contribute(payer, rounds[0]!, 1_000));
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(payment)));
    expect(tally(answers)).to.deep.equal({ 201: 1, pin_replayed: 11 });
    expect((await payer.http.ok(`/wallets/${payer.wallet_id}`)).balance).to.equal(49_000);
  });

  it('never take more than is due, whichever of 12 payments come first', async () => {
    const { group, rounds } = await groupInCycle(3);
    const [payer] = group.members as [TestMember];
    const pay = () => sealed(contribute(payer, rounds[0]!, 250));
    const payments = await Promise.all(Array.from({ length: 12 }, pay));
    const answers = await Promise.all(payments.map((payment) => ask(payment)));
    expect(tally(answers)).to.deep.equal({ 201: 4, contribution_exceeds_due: 8 });
    expect((await payer.http.ok(`/wallets/${payer.wallet_id}`)).balance).to.equal(49_000);
  });

  it('give exactly 4 members when 12 people join a group with 4 free places', async () => {
    const group = await foundGroup(cluster, { size: 1, association: { max_members: 5 }, pins: false });
    const people = Array.from(
      { length: 12 },
      (_, index) => new HttpClient(cluster.origin, cluster.token(`${group.id}-${String(index)}`)),
    );
    const answers = await Promise.all(people.map((person) => person.post(`${group.path}/join`, {})));
    expect(tally(answers)).to.deep.equal({ 201: 4, association_full: 8 });
    const founder = group.members[0]!.http;
    expect((await founder.ok(`${group.path}/members`)).data).to.have.lengthOf(5);
    expect((await founder.ok(group.path)).member_count).to.equal(5);
  });

  it('settle a round once when both officers settle it together, and pay the pot once', async () => {
    const { group, rounds } = await groupInCycle(2);
    const [president, treasurer] = group.members as [TestMember, TestMember];
    for (const member of group.members) await done(contribute(member, rounds[0]!, 1_000));
    const officers = [president, treasurer, president, treasurer];
    const answers = await Promise.all(officers.map((officer) => ask(settle(officer, rounds[0]!))));
    expect(tally(answers)).to.deep.equal({ 200: 1, meeting_not_open: 3 });
    expect((await president.http.ok(`/wallets/${president.wallet_id}`)).balance).to.equal(51_000);
  });

  it('never refuse a right PIN because wrong ones are in flight, and lock after five wrong in a row', async () => {
    const group = await foundGroup(cluster, { size: 2, funding: 5_000, roles: ['president', 'treasurer'] });
    const [payer] = group.members as [TestMember];
    const right = payer.http.pin;
    const meeting = await openedMeeting(payer);
    const pay = async (pin: string) => {
      const payment = contribute(payer, meeting, 1, { pin: await payer.http.sealedPin(pin) });
      return ask({ ...payment, pin: false });
    };
    const mixed = await Promise.all(['9999', right, '9999', right, '9999', '9999', right].map(pay));
    expect(tally(mixed)).to.deep.equal({ 201: 3, pin_invalid: 4 });
    await pay(right);
    const wrong = await Promise.all(Array.from({ length: 20 }, () => pay('9999')));
    expect(tally(wrong)).to.deep.equal({ pin_invalid: 5, pin_locked: 15 });
    const locked = await pay(right);
    expect(locked.status).to.equal(423);
    expect(Number(locked.headers.get('retry-after'))).to.be.within(1, 15 * 60);
  });
});
