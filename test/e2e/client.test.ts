import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { answered, associationClient, each, ProblemError } from '../../clients/typescript/src/index.ts';
import type { AssociationClient } from '../../clients/typescript/src/index.ts';
import { eventually } from '../harness/eventually.ts';
import { sharedCluster, type Deployment } from '../harness/cluster.ts';
import { observedFetch } from '../harness/conformance.ts';
import { foundGroup, type TestGroup } from '../harness/group.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const MEETING = '/associations/{association_id}/meetings/{meeting_id}' as const;

describe('The TypeScript client', function () {
  this.timeout(120_000);
  let cluster: Deployment;
  let group: TestGroup;
  before(async () => {
    cluster = await sharedCluster();
    group = await foundGroup(cluster, { size: 3, funding: 10_000, roles: ['president', 'treasurer'] });
  });

  const clientOf = (place: number, fetchOnce = observedFetch): AssociationClient =>
    associationClient({
      origin: cluster.origin,
      token: () => cluster.token(group.members[place]!.user),
      retries: { backoff_ms: 1 },
      fetch: fetchOnce,
    });

  async function openMeeting(): Promise<{ association_id: string; meeting_id: string }> {
    const path = { association_id: group.id };
    const meeting = answered(
      await clientOf(0).POST('/associations/{association_id}/meetings', { params: { path }, body: {} }),
    );
    return { ...path, meeting_id: meeting.id };
  }

  it('pays once if answers are lost', async () => {
    const path = await openMeeting();
    const answers: Response[] = [];
    let losses = 2;
    // The request is executed, and its answer is lost.
    const losing = clientOf(0, async (request) => {
      const isPayment = request.url.endsWith('/contribute');
      const answer = await observedFetch(request);
      if (isPayment && losses-- > 0) throw new TypeError('the connection was lost');
      if (isPayment) answers.push(answer);
      return answer;
    });
    const body = { wallet_id: group.members[0]!.wallet_id, amount: 700, pin: await losing.sealedPin('2468') };
    const contribution = answered(await losing.POST(`${MEETING}/contribute`, { params: { path }, body }));
    expect(contribution.status).to.equal('paid');
    expect(answers[0]?.headers.get('Idempotency-Replayed')).to.equal('true');
    const { data } = answered(await losing.GET(`${MEETING}/contributions`, { params: { path } }));
    expect(data.map(({ id, amount }) => ({ id, amount }))).to.deep.equal([{ id: contribution.id, amount: 700 }]);
  });

  it('pays after the PIN keys were rotated without an overlap', async () => {
    const path = await openMeeting();
    const refusals: string[] = [];
    const client = clientOf(1, async (request) => {
      const answer = await observedFetch(request);
      if (!answer.ok) refusals.push(((await answer.clone().json()) as { code: string }).code);
      return answer;
    });
    const pay = async (amount: number, pin: string) =>
      client.POST(`${MEETING}/contribute`, {
        params: { path },
        body: { wallet_id: group.members[1]!.wallet_id, amount, pin },
      });
    answered(await pay(1, await client.sealedPin('2468')));
    const offered = async () => answered(await clientOf(0).GET('/keys/pin')).keys[0]?.kid;
    const retired = await offered();
    const rotate = ['cli/rotate-pin-key.ts', '--now'];
    await promisify(execFile)(process.execPath, rotate, {
      cwd: ROOT,
      env: { ...process.env, DATA_DIR: cluster.dataDir },
    });
    await eventually(async () => expect(await offered()).to.not.equal(retired));

    const paid = answered(await pay(2, await client.sealedPin('2468')));
    expect([paid.status, paid.amount]).to.deep.equal(['paid', 2]);
    expect(refusals).to.deep.equal(['pin_unreadable']);
    // The client sends one more request for pin_unreadable, and none for any other refusal.
    const wrong = await pay(3, await client.sealedPin('1357'));
    expect(wrong.error).to.include({ code: 'pin_invalid', attempts_left: 4 });
    expect(refusals).to.deep.equal(['pin_unreadable', 'pin_invalid']);
  });

  it('throws refusals with their code, in the requested language', async () => {
    const path = await openMeeting();
    const member = associationClient({
      origin: cluster.origin,
      token: cluster.token(group.members[2]!.user),
      language: 'fr' as const,
    });
    const outcome = await member.POST(`${MEETING}/settle`, { params: { path }, body: {} });
    expect(() => answered(outcome))
      .to.throw(ProblemError)
      .with.property('code', 'role_not_allowed');
    expect(outcome.response.headers.get('Content-Language')).to.equal('fr');
  });

  it('reads all pages of a list', async () => {
    const client = clientOf(1);
    const path = { association_id: group.id };
    const users: string[] = [];
    const members = each((cursor) =>
      client
        .GET('/associations/{association_id}/members', {
          params: { path, query: { limit: 1, ...(cursor === undefined ? {} : { cursor }) } },
        })
        .then(answered),
    );
    for await (const { user_id } of members) users.push(user_id);
    expect(users).to.deep.equal(group.members.map(({ user }) => user));
  });

  it('runs the example of its README', async () => {
    const tokens = [cluster.token('awa'), cluster.token('ben'), cluster.token('bank', { scope: 'wallets:fund' })];
    const { stdout } = await promisify(execFile)(process.execPath, ['clients/typescript/example.ts', ...tokens], {
      cwd: ROOT,
      env: { ...process.env, ORIGIN: cluster.origin },
    });
    expect(stdout).to.contain("Ben's contribution is paid: 5000 XAF").and.to.contain('role_not_allowed');
  });
});
