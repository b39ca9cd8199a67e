import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { playEverything } from '../harness/every-kind-of-record.ts';
import { foundGroup, type TestGroup } from '../harness/group.ts';
import type { Json } from '../harness/http.ts';
import { contribute, done, outcomeOf, settle, startedRounds } from '../harness/requests.ts';
import { RestorableCluster } from '../harness/restorable-cluster.ts';
import type { TestMember } from '../harness/test-member.ts';

const AMOUNT = 1_000;

interface Meeting {
  id: string;
  status: string;
}

describe('databases that were restored to different instants', function () {
  this.timeout(300_000);
  let cluster: RestorableCluster;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'restore-'));
    cluster = await RestorableCluster.start(folder);
    await cluster.backUp();
  });
  after(async () => {
    await cluster.stop();
    await rm(folder, { recursive: true });
  });

  /** Reads what members see of their money. */
  async function seenBy({ members, path }: TestGroup): Promise<Json> {
    const { http } = members[0]!;
    const { data: meetings } = (await http.ok(`${path}/meetings?limit=200`)) as unknown as { data: Meeting[] };
    const details = meetings.map(async ({ id, status }) => [
      await http.ok(`${path}/meetings/${id}/dues?limit=200`),
      await http.ok(`${path}/meetings/${id}/contributions?limit=200`),
      status === 'settled' ? await http.ok(`${path}/meetings/${id}/settlement`) : null,
    ]);
    return {
      meetings,
      details: await Promise.all(details),
      balances: await http.ok(`${path}/balances`),
      wallets: await Promise.all(members.map((member) => member.http.ok(`/wallets/${member.wallet_id}`))),
      ledger: (await http.get(`${path}/ledger/export`)).text,
      statements: await Promise.all(
        members.map(async (member) => ({ ...(await member.http.ok(`${path}/statement`)), made_at: null })),
      ),
      cycles: await http.ok(`${path}/cycles`),
      approvals: await http.ok(`${path}/governance/approvals?limit=200`),
      distributions: await http.ok(`${path}/distributions?limit=200`),
      cash: await http.ok(`${path}/cash-ledger?limit=200`),
      association: await http.ok(path),
      roster: await http.ok(`${path}/members?limit=200`),
    };
  }

  /** @param unrecorded fields that are not, or not to the millisecond, in any other record */
  async function expectSeen(group: TestGroup, before: Json, unrecorded: string[] = []): Promise<void> {
    const recorded = (name: string, value: unknown) => (unrecorded.includes(name) ? null : value);
    const after = await seenBy(group);
    // One by one, as a difference is easier to find in a part.
    for (const [part, seen] of Object.entries(before)) {
      expect(JSON.stringify(after[part], recorded, 1), part).to.equal(JSON.stringify(seen, recorded, 1));
    }
  }

  async function verify(expected: 0 | 1): Promise<string> {
    const { code, output } = await cluster.command('verify.ts', 'ledger', '--restart');
    expect(code, output).to.equal(expected);
    return output;
  }

  async function repair(...args: string[]): Promise<{ code: number | null; output: string }> {
    const repaired = await cluster.command('repair.ts', ...args);
    expect(repaired.output, repaired.output).to.not.contain('UNDECIDED');
    return repaired;
  }

  /** Repairs, first without and then with an effect, and starts the services. */
  async function bringTogether(): Promise<string> {
    const plan = await repair();

    expect(plan.output, plan.output).to.match(/Would repair \d+ records\. Nothing is changed/);
    expect(plan.code).to.equal(1);
    const { code, output } = await repair('--apply', '--all');
    expect(code, output).to.equal(0);
    const again = await repair();
    expect(again.output).to.equal('Nothing to repair.\n');
    expect(again.code).to.equal(0);
    await cluster.startServices();
    return output;
  }

  it('of which the treasury is behind: each lost transfer is posted again, exactly as it was', async () => {
    const group = await foundGroup(cluster.cluster, { size: 6, funding: 50_000 });
    const [ama, bih, ...others] = group.members as [TestMember, TestMember, ...TestMember[]];
    const [round = ''] = await startedRounds(ama);
    await done(contribute(ama, round, AMOUNT));
    const instant = await cluster.instant();
    for (const payer of [bih, ...others]) await done(contribute(payer, round, AMOUNT));
    const before = await seenBy(group);
    await cluster.restore({ treasury: instant });

    const found = await verify(1);
    expect(found).to.match(/contributions: 5 differences/);
    expect(found).to.match(/contribution .* is paid, but the treasury has no transfer contribution .* -1000/);
    expect(found).to.match(/pools: 1 differences/);
    const output = await bringTogether();
    expect(output).to.match(/transfers: 5\n {2}post contribution .* again, exactly as recorded/);
    await expectSeen(group, before);
    await verify(0);

    expect(await outcomeOf(contribute(bih, round, AMOUNT)), 'pays twice').to.equal('contribution_exceeds_due');
    const settled = await done(settle(ama, round));
    expect(settled.collected_amount).to.equal(6 * AMOUNT);
    await verify(0);
  });

  it('of which contribution is behind: cycles, meetings, payments, settlements and cash are stored again', async () => {
    const instant = await cluster.instant();
    const { tontine, savings } = await playEverything(cluster.cluster);
    const before = [await seenBy(tontine), await seenBy(savings)];
    await cluster.restore({ contribution: instant });

    const found = await verify(1);
    expect(found).to.match(/owners: \d+ differences/);
    expect(found).to.match(/transfer .* was posted, but contribution has no contribution for it/);
    const output = await bringTogether();
    expect(output).to.match(/cycles: 2\n/);
    const unrecorded = ['title', 'settled_at', 'paid_at', 'created_at'];
    await expectSeen(tontine, before[0]!, unrecorded);
    await expectSeen(savings, before[1]!, unrecorded);
    await verify(0);
  });
});
