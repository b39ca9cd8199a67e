import { expect } from 'chai';
import { sharedCluster, startCluster, type Cluster, type Deployment } from '../harness/cluster.ts';
import { foundGroup } from '../harness/group.ts';
import { HttpClient, type Json } from '../harness/http.ts';
import { untilPrinted } from '../harness/process.ts';
import { done, propose, recordCash, startedRounds } from '../harness/requests.ts';
import type { TestMember } from '../harness/test-member.ts';

const DAY_MS = 86_400_000;

/** The offset of Douala, which has no summer time. */
const DOUALA_MS = 3_600_000;

/** More than governance ends at the same time. */
const EXPIRING = 101;

describe('the test clock', function () {
  this.timeout(120_000);
  let cluster: Cluster;

  before(async () => {
    cluster = await startCluster({ logins: true, settings: { CLOCK: 'test' } });
  });
  after(() => cluster.stop());

  const advanceAt = (host: Deployment, advance_to: string, scope = 'clock:advance') =>
    new HttpClient(host.origin, host.token('tester', { scope })).send('POST', '//clock', { advance_to });
  const advance = (advance_to: string, scope?: string) => advanceAt(cluster, advance_to, scope);

  /** The time of the test clock: that of the newest resource. */
  async function nowIs(): Promise<number> {
    const { http } = (await foundGroup(cluster, { size: 1, pins: false })).members[0]!;
    const { data } = await http.ok('/associations/my');
    return Date.parse((data as Json[])[0]!.created_at as string);
  }

  it('is the time of all services, judges days in the zone of the association, and leaves tokens alone', async () => {
    const group = await foundGroup(cluster, {
      size: 3,
      association: { time_zone: 'Africa/Douala', type: 'solidarity', contribution_frequency: 'daily' },
      roles: ['president', 'treasurer', 'secretary'],
    });
    const [president] = group.members;
    const { approval } = await done(propose(president!, 'motion', { text: 'We meet at the school.' }));
    const { id: approval_id, expires_at } = approval as Json;

    // One minute before midnight in Douala, which is another day in UTC than a minute later.
    const midnight_ms = Math.ceil((Date.parse(expires_at as string) + DAY_MS) / DAY_MS) * DAY_MS - DOUALA_MS;
    const before = new Date(midnight_ms - 60_000).toISOString();
    const { status, body } = await advance(before);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(Date.parse(body.now as string)).to.be.within(midnight_ms - 60_000, midnight_ms);

    // What was due by then is done before the answer: the approval has expired.
    const { status: decided } = await president!.http.ok(`${group.path}/governance/approvals/${approval_id as string}`);
    expect(decided).to.equal('expired');

    const schedule = () => president!.http.created(`${group.path}/meetings`, {});
    const dayIn = (ms: number) => new Date(ms + DOUALA_MS).toISOString().slice(0, 10);
    expect((await schedule()).due_on).to.equal(dayIn(midnight_ms - 1));
    expect((await advance(new Date(midnight_ms).toISOString())).status).to.equal(200);
    expect((await schedule()).due_on).to.equal(dayIn(midnight_ms));
  });

  it('ends all that has expired before fines are assessed: cash that waited is late once it is given back', async () => {
    const fines = [{ code: 'late', trigger: 'late_payment', amount: 5 }];
    const group = await foundGroup(cluster, {
      size: 3,
      association: { rules: { fines, approval_expires_in_hours: 1 } },
      roles: ['president', 'treasurer'],
    });
    const [president, treasurer, member] = group.members as [TestMember, TestMember, TestMember];
    const tomorrow_ms = (await nowIs()) + DAY_MS;
    const starts_on = new Date(tomorrow_ms).toISOString().slice(0, 10);
    const [round = ''] = await startedRounds(president, { order: 'join', starts_on });
    const { contribution_amount } = await president.http.ok(group.path);
    await done(recordCash(treasurer, member, contribution_amount as number, round));
    for (let count = 0; count < EXPIRING; count += 1) await done(propose(president, 'motion', { text: 'Again.' }));

    expect((await advance(new Date(tomorrow_ms + 2 * DAY_MS).toISOString())).status).to.equal(200);
    const { data: pending } = await president.http.ok(`${group.path}/governance/approvals?status=pending`);
    expect(pending).to.deep.equal([]);
    const { data: assessed } = await president.http.ok(`${group.path}/fines?meeting_id=${round}`);
    expect((assessed as Json[]).map(({ member_id }) => member_id)).to.have.members(
      group.members.map(({ member_id }) => member_id),
    );
  });

  it('never goes back, and a repeat changes nothing', async () => {
    const advance_to = new Date((await nowIs()) + 3 * DAY_MS).toISOString();
    expect((await advance(advance_to)).status).to.equal(200);
    const repeated = await advance(advance_to);
    expect(repeated.status).to.equal(200);
    expect(Date.parse(repeated.body.now as string) - Date.parse(advance_to)).to.be.within(0, 60_000);
    const earlier = await advance(new Date(Date.parse(advance_to) - DAY_MS).toISOString());
    expect(earlier.status).to.equal(422);
    expect((earlier.body.errors as Json[])[0]).to.include({ pointer: '/advance_to', code: 'too_small' });
    expect((await advance('tomorrow')).status).to.equal(422);
  });

  it('needs its scope', async () => {
    const { status, body } = await advance(new Date(2_000_000_000_000).toISOString(), 'wallets:fund');
    expect(status).to.equal(403);
    expect(body).to.include({ code: 'insufficient_scope' });
  });

  it('is known to processes that start later', async () => {
    const advance_to = (await nowIs()) + 30 * DAY_MS;
    expect((await advance(new Date(advance_to).toISOString())).status).to.equal(200);
    await cluster.running('membership').end();
    await cluster.start(['membership']);
    await cluster.ready();
    expect(await nowIs()).to.be.within(advance_to, advance_to + 120_000);
  });

  it('is missed, with a warning, by a process without CLOCK=test', async () => {
    const warning = 'the test clock of these data is ahead of the time';
    expect(cluster.running('membership').output()).not.to.contain(warning);
    const other = await cluster.start(['membership'], { settings: { CLOCK: 'system' } });
    await untilPrinted(other, warning);
    expect(await other.end()).to.equal(0);
  });

  it('does not exist without CLOCK=test', async () => {
    const { status } = await advanceAt(await sharedCluster(), new Date(Date.now() + DAY_MS).toISOString());
    expect(status).to.equal(404);
  });
});
