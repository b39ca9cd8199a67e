import { expect } from 'chai';
import { recoverable, unfinished } from '../chaos/stored-plans.ts';
import { idsIn, readOutcome } from '../fixtures/releases/outcome.ts';
import { expectAllEventsOnce } from '../harness/cluster-events.ts';
import { firstBreak } from '../harness/chain.ts';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { HttpClient, type HttpAnswer, type Json } from '../harness/http.ts';
import {
  readExpectedOutcome,
  readReleaseData,
  readRows,
  releaseClusterData,
  type InterruptedRequest,
} from '../harness/release-data.ts';
import { LAST_RELEASE } from '../harness/releases.ts';
import { ask, type Asked } from '../harness/requests.ts';
import { endHolds } from '../chaos/stored-plans.ts';
import { expectValidLedger } from '../harness/verified-ledger.ts';
import type { TransferRecord } from '../../lib/contracts/treasury.ts';

/** More than recovery of all interrupted sagas takes on a busy machine. */
const CONVERGED_MS = 120_000;

describe(`this release on the data of ${LAST_RELEASE}`, function () {
  this.timeout(240_000);
  const data = readReleaseData();
  let cluster: Cluster;

  before(async () => {
    cluster = await startCluster({
      faults: true,
      data: await releaseClusterData(data),
      // Its stored payments have no statement of the payer.
      settings: { CALLER_STATEMENTS: 'optional' },
    });
  });
  after(() => cluster.stop());

  /** The bank is among the users. */
  const as = (user: string) => new HttpClient(cluster.origin, cluster.token(user, { scope: 'wallets:fund' }));

  /** Repeats a request with its key until its answer is final. A kept answer has only what that release has written. */
  async function repeat({ user, key, method, path, body, pin }: InterruptedRequest): Promise<HttpAnswer> {
    const by = as(user);
    by.isChecked = false;
    const asked: Asked = { by, method, path, body, pin };
    return eventually(async () => {
      const answer = await ask(asked, { 'Idempotency-Key': key });
      if (answer.body.code === 'idempotency_in_flight') await endHolds(cluster);
      if (answer.status >= 500 || answer.body.code === 'idempotency_in_flight') throw new Error(answer.text);
      return answer;
    });
  }

  it('completes all interrupted sagas, and answers repeats with the keys, as that release would have', async () => {
    await eventually(async () => expect(await recoverable(cluster)).to.deep.equal([]), CONVERGED_MS);
    const different: string[] = [];
    for (const request of data.requests) {
      const { status, body } = await repeat(request);
      const expected = `${String(request.answer.status)} ${String(request.answer.code)}`;
      const given = `${String(status)} ${(body.code as string | undefined) ?? 'null'}`;
      if (given !== expected) different.push(`${request.title}: ${given} instead of ${expected}`);
    }
    expect(different).to.deep.equal([]);
    await eventually(async () => {
      // Cash contributions wait for a vote.
      const left = (await unfinished(cluster)).filter((each) => !each.startsWith('contribution.contributions'));
      expect(left).to.deep.equal([]);
    }, CONVERGED_MS);
    const outcome = await readOutcome(cluster, new Set(idsIn(JSON.stringify(readRows()))));
    for (const [table, rows] of Object.entries(readExpectedOutcome())) {
      expect(outcome[table], table).to.deep.equal(rows);
    }
  });

  it('continues every ledger, and publishes every event once', async () => {
    for (const { path, user } of data.groups) {
      const { text } = await as(user).get(`${path}/ledger/export`);
      const transfers = text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as TransferRecord);
      expect(firstBreak(transfers), path).to.equal(undefined);
    }
    const { path, user } = data.groups.at(-1)!;
    await expectValidLedger(as(user), path);
    await expectAllEventsOnce(cluster);
  });

  it('accepts its tokens, PINs and cursors', async () => {
    const { page } = data;
    const member = new HttpClient(cluster.origin, page.token);
    const { data: rows } = await member.ok(page.path);
    expect((rows as Json[]).map(({ id }) => id)).to.deep.equal(page.ids);
    const pin = await member.sealedPin();
    const current_pin = await member.sealedPin();
    expect((await member.send('PUT', '/me/pin', { pin, current_pin })).status).to.equal(204);
  });
});
