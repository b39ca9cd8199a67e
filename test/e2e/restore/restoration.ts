import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestGroup } from '../../harness/group.ts';
import type { Json } from '../../harness/http.ts';
import { RestorableCluster } from '../../harness/restorable-cluster.ts';

interface Meeting {
  id: string;
  status: string;
}

/** A cluster whose databases are restored, verified and repaired. */
export class Restoration {
  readonly cluster: RestorableCluster;
  readonly #folder: string;

  private constructor(cluster: RestorableCluster, folder: string) {
    this.cluster = cluster;
    this.#folder = folder;
  }

  /** Starts the cluster, with a base backup of each database. */
  static async start(): Promise<Restoration> {
    const folder = await mkdtemp(join(tmpdir(), 'restore-'));
    const cluster = await RestorableCluster.start(folder);
    await cluster.backUp();
    return new Restoration(cluster, folder);
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
    await rm(this.#folder, { recursive: true });
  }

  /** Reads what members see of their money. */
  async seenBy({ members, path }: TestGroup): Promise<Json> {
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

  /** Expects that members see the same. @param unrecorded fields that are not, or not to the millisecond, in any other record */
  async expectSeen(group: TestGroup, before: Json, unrecorded: string[] = []): Promise<void> {
    const recorded = (name: string, value: unknown) => (unrecorded.includes(name) ? null : value);
    const after = await this.seenBy(group);
    // One by one, as a difference is easier to find in a part.
    for (const [part, seen] of Object.entries(before)) {
      expect(JSON.stringify(after[part], recorded, 1), part).to.equal(JSON.stringify(seen, recorded, 1));
    }
  }

  /** Verifies, and expects this exit code. @returns the output */
  async verify(expected: 0 | 1): Promise<string> {
    const { code, output } = await this.cluster.command('verify.ts', 'ledger', '--restart', '--recheck-after', '1s');
    expect(code, output).to.equal(expected);
    return output;
  }

  /** Runs the repair, which must not leave anything undecided. */
  async repair(...args: string[]): Promise<{ code: number | null; output: string }> {
    const repaired = await this.cluster.command('repair.ts', ...args);
    expect(repaired.output, repaired.output).to.not.contain('UNDECIDED');
    return repaired;
  }

  /** Repairs, first without and then with an effect, and starts the services. */
  async bringTogether(): Promise<string> {
    const plan = await this.repair();

    expect(plan.output, plan.output).to.match(/Would repair \d+ records\. Nothing is changed/);
    expect(plan.code).to.equal(1);
    const { code, output } = await this.repair('--apply', '--all');
    expect(code, output).to.equal(0);
    const again = await this.repair();
    expect(again.output).to.equal('Nothing to repair.\n');
    expect(again.code).to.equal(0);
    await this.cluster.startServices();
    return output;
  }
}

/** Reads the balances of the members' wallets, and what the association holds. */
export async function walletsOf({ members, path }: TestGroup): Promise<unknown[]> {
  const balances = members.map(async ({ http, wallet_id }) => (await http.ok(`/wallets/${wallet_id}`)).balance);
  return [await members[0]!.http.ok(`${path}/balances`), ...(await Promise.all(balances))];
}
