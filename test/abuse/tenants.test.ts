import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { makeGlobalWebhook, makeWebhook } from '../e2e/conformance/webhooks.ts';
import { allowedCaller, makeWorld, type World } from '../e2e/conformance/world.ts';
import { pathOf } from '../e2e/conformance/walk.ts';
import { api } from '../harness/own-document.ts';
import { sharedCluster, type Deployment } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { foundGroup } from '../harness/group.ts';
import { HttpClient, type HttpAnswer } from '../harness/http.ts';
import { done, openedMeeting, propose, recordCash, vote } from '../harness/requests.ts';
import type { TestMember } from '../harness/test-member.ts';
import { NAMED_IDS } from './matrix/expected.ts';
import { sendWanted } from './matrix/requests.ts';

/** Lists that are the same for everybody who may read them. */
const OF_EVERYBODY = ['listPublicAssociations', 'listGlobalWebhooks'];

/** Longer than messages are written after the events of many groups. */
const MESSAGES_MAX_MS = 45_000;

const LISTS = api.operations.filter(({ parameters }) => parameters.some(({ name }) => name === 'cursor'));

describe('what belongs to one association', function () {
  this.timeout(60_000);
  let cluster: Deployment;
  let w: World;
  /** Another association of the same president. */
  let second: TestMember;

  before(async () => {
    cluster = await sharedCluster();
    w = await makeWorld(cluster);
    const { http, user, wallet_id } = w.president;
    const { id, membership } = await http.created('/associations', {
      ...{ name: 'Second', type: 'tontine', currency: 'XAF' },
      ...{ contribution_amount: 1_000, contribution_frequency: 'monthly' },
    });
    const { member_id } = membership as { member_id: string };
    second = { http, user, wallet_id, member_id, path: `/associations/${id as string}` };
  });

  it('is unknown in another one, also to a president of both', async () => {
    const seal = await w.president.http.pinSealer();
    const { http, wallet_id } = w.president;
    const caller = { name: 'president', column: 'president', http, wallet_id, hasPin: true };
    const { data } = await http.ok(`${w.group.path}/ledger?limit=1`);
    const [{ id: transfer_id }] = data as [{ id: string }];
    const association_id = second.path.split('/').at(-1)!;
    const ids = { ...w.ids, association_id, member_id: w.member.member_id, transfer_id };
    const rows = NAMED_IDS.filter(({ field, answer }) => !field.endsWith('wallet_id') && answer !== 'none');
    const wrong: string[] = [];
    for (const { operation: row, place, field, answer } of rows) {
      const operation = api.operations.find((each) => each.id === row.split('?')[0])!;
      if (!operation.path.includes('{association_id}')) continue;
      const id = ids[field as keyof typeof ids] ?? w.secretary.member_id;
      const { status, body } = await sendWanted({ row, operation, caller, ids, named: { place, field, id } }, seal);
      const expected = answer === 'invalid' ? 'validation_failed' : 'not_found';
      if (body.code !== expected) wrong.push(`${row} ${field}: ${String(status)} ${String(body.code)}`);
    }
    expect(rows.length).to.be.at.least(20);
    expect(wrong, wrong.join('\n')).to.deep.equal([]);
  });

  it('has approvals that cannot be voted on through another one', async () => {
    const { approval } = await done(propose(w.secretary, 'motion', { text: 'We dance.' }));
    const { id } = approval as { id: string };
    const through = await w.president.http.post(`${second.path}/governance/approve`, {
      approval_id: id,
      pin: await w.president.http.sealedPin(),
    });
    expect(through.body.code).to.equal('not_found');
    expect((await w.president.http.ok(`${w.group.path}/governance/approvals/${id}`)).votes).to.deep.equal([]);
    expect((await done(vote(w.president, id))).status).to.equal('approved');
  });

  it('has cursors that no other list takes, and no list of another one or of another user', async () => {
    // Of each list at least two items, so that its first page has a cursor.
    for (const amount of [10, 20]) {
      const { approval_id } = await done(recordCash(w.secretary, w.member, amount));
      await done(vote(w.president, approval_id));
      await openedMeeting(second);
    }
    await makeWebhook(w.president.http, `${w.group.path}/webhooks`);
    const { webhook_id, global_webhook_id } = w.ids;
    await w.president.http.okPost(`${w.group.path}/webhooks/${webhook_id!}/ping`, {});
    await w.operator.okPost(`/webhooks/${global_webhook_id!}/ping`, {});
    const stranger = (await foundGroup(cluster, { size: 2 })).members[0]!;
    const manager = new HttpClient(cluster.origin, cluster.token(stranger.user, { scope: 'webhooks:manage' }));
    const global = await makeGlobalWebhook(manager);
    const ofGroup = [
      'listMembers',
      'listMeetings',
      'listContributions',
      'listDues',
      'cashLedger',
      'ledger',
      'listApprovals',
      'listWebhooks',
      'listWebhookDeliveries',
    ];
    const ofUsers = ['myAssociations', 'listSent', 'listGlobalWebhooks', 'listGlobalWebhookDeliveries'];
    // Messages are written after the events that they are about.
    await eventually(async () => {
      expect((await w.president.http.ok('/me/notifications/sent?limit=1')).next_cursor).to.be.a('string');
    }, MESSAGES_MAX_MS);
    const cursors = await cursorsOf({ ...w.ids, meeting_id: w.settledMeeting });
    expect([...cursors.keys()]).to.include.members([...ofGroup, ...ofUsers]);
    const ids = {
      ...w.ids,
      association_id: stranger.path.split('/').at(-1)!,
      meeting_id: await openedMeeting(stranger),
      wallet_id: stranger.wallet_id,
      ...(await makeWebhook(stranger.http, `${stranger.path}/webhooks`)),
      global_webhook_id: global.webhook_id,
    };
    const wrong: string[] = [];
    for (const [origin, cursor] of cursors) {
      for (const list of LISTS) {
        if (OF_EVERYBODY.includes(origin) && list.id === origin) continue;
        const answer = await manager.get(`${pathOf(list, ids)}?cursor=${encodeURIComponent(cursor)}&limit=1`);
        if (!names(answer, 'cursor')) wrong.push(`${origin} in ${list.id}: ${String(answer.status)} ${answer.text}`);
      }
    }
    expect(wrong, wrong.join('\n')).to.deep.equal([]);
  });

  it('has idempotency keys of its users: another association needs another key, another user has their own', async () => {
    const key = { 'Idempotency-Key': randomUUID() };
    const schedule = (by: TestMember) => by.http.send('POST', `${by.path}/meetings`, { title: 'Once' }, key);
    const first = await schedule(w.president);
    expect(first.status, first.text).to.equal(201);
    expect((await schedule(second)).body.code).to.equal('idempotency_key_reused');
    const own = await schedule(w.secretary);
    expect(own.status, own.text).to.equal(201);
    expect(own.headers.get('idempotency-replayed')).to.equal(null);
    expect(own.body.id).to.not.equal(first.body.id);
    const again = await schedule(w.president);
    expect(again.headers.get('idempotency-replayed')).to.equal('true');
    expect(again.body.id).to.equal(first.body.id);
    const titles = ((await second.http.ok(`${second.path}/meetings`)).data as { title: string }[]).map(
      ({ title }) => title,
    );
    expect(titles).to.not.include('Once');
  });

  it('has invitations that admit to it alone, once for each use', async () => {
    const { code } = await w.president.http.created(`${w.group.path}/invitations`, {});
    const guest = (name: string) => new HttpClient(cluster.origin, cluster.token(`${name}-${randomUUID()}`));
    const [first, late] = [guest('first'), guest('late')];
    const member = await first.created(`/invitations/${code as string}/accept`, {});
    expect(member).to.include({ association_id: w.group.id, role: 'member' });
    expect((await first.get(`${second.path}/members`)).status).to.equal(404);
    expect((await late.post(`/invitations/${code as string}/accept`)).status).to.equal(404);
    expect((await late.get(`${w.group.path}/members`)).status).to.equal(404);
  });

  /** Returns the cursors of the first pages of all lists that have two items. */
  async function cursorsOf(ids: Record<string, string>): Promise<Map<string, string>> {
    const cursors = new Map<string, string>();
    for (const list of LISTS) {
      const { next_cursor } = await allowedCaller(w, list).ok(`${pathOf(list, ids)}?limit=1`);
      if (typeof next_cursor === 'string') cursors.set(list.id, next_cursor);
    }
    return cursors;
  }
});

/** Whether the answer refuses this field. */
function names({ status, body }: HttpAnswer, field: string): boolean {
  const errors = (body.errors ?? []) as { pointer: string }[];
  return status === 422 && errors.some(({ pointer }) => pointer === field);
}
