import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { sharedCluster, type Deployment } from '../harness/cluster.ts';
import type { Operation } from '../harness/api-document.ts';
import { api } from '../harness/own-document.ts';
import { followLocations, forgetLocations } from '../harness/coverage.ts';
import { eventComplaints } from '../harness/event-schemas.ts';
import { SECRET, TestGateway } from '../harness/gateway.ts';
import { foundGroup } from '../harness/group.ts';
import type { TestMember } from '../harness/test-member.ts';
import { HttpClient, type Json } from '../harness/http.ts';
import { done, openedMeeting, propose, putSheet, vote } from '../harness/requests.ts';
import { eventsStored } from '../harness/stored.ts';
import { claimKeys } from './conformance/claims.ts';
import { NOTHING, operation, operationsWith, pathOf, send, shownBody, walk, walkInOrder } from './conformance/walk.ts';
import type { Step } from './conformance/walk.ts';
import { makeGlobalWebhook, makeWebhook } from './conformance/webhooks.ts';
import { allowedCaller, bodies, FINE_RULES, makeWorld, type World } from './conformance/world.ts';

/** Malformed values of the path parameters that are not UUIDs. */
const ILL_FORMED = { code: 'nothing', wallet_id: 'nothing', user_id: 'u'.repeat(300) };

describe('every operation of the OpenAPI document', function () {
  this.timeout(120_000);
  let cluster: Deployment;
  let w: World;

  before(async () => {
    forgetLocations();
    cluster = await sharedCluster();
    w = await makeWorld(cluster);
  });

  const client = (token: string) => new HttpClient(cluster.origin, token);
  const each = (code: string, step: (of: Operation) => Omit<Step, 'operation' | 'expected'>): Step[] =>
    operationsWith(code).map((of) => ({ operation: of, expected: code, ...step(of) }));

  async function expectAll(steps: Step[]): Promise<void> {
    expect(steps.length).to.be.above(0);
    const wrong = await walk(steps);
    expect(wrong, wrong.join('\n')).to.deep.equal([]);
  }

  it('refuses a missing, invalid or expired token', async () => {
    await expectAll([
      ...each('token_missing', (of) => ({ as: client(''), body: shownBody(of) })),
      ...each('token_invalid', (of) => ({ as: client('nonsense'), body: shownBody(of) })),
      ...each('token_expired', (of) => ({ as: client(cluster.token('a', { exp: 1 })), body: shownBody(of) })),
    ]);
  });

  it('refuses a body that is malformed, too large or not JSON', async () => {
    const as = w.operator;
    await expectAll([
      ...each('malformed_json', () => ({ as, body: '{"name":' })),
      ...each('body_too_large', () => ({ as, body: JSON.stringify({ name: 'x'.repeat(300_000) }) })),
      ...each('unsupported_media_type', () => ({ as, body: 'a=b', headers: { 'Content-Type': 'text/plain' } })),
    ]);
  });

  it('refuses unknown parameters', async () => {
    await expectAll(each('validation_failed', (of) => ({ as: w.operator, body: shownBody(of), query: '?nonsense=1' })));
  });

  it('answers not_found for ids that no object has', async () => {
    await expectAll(each('not_found', (of) => ({ as: w.operator, ids: ILL_FORMED, body: shownBody(of) })));
  });

  it('refuses a token without the documented scope', async () => {
    await expectAll(each('insufficient_scope', (of) => ({ as: w.president.http, ids: w.ids, body: shownBody(of) })));
  });

  it('refuses a caller without a documented role', async () => {
    const { http } = w.member;
    const body = bodies(w.member, w.ids.approval_id!, await http.sealedPin());
    const query = `?member_id=${w.president.member_id}`;
    await expectAll(
      each('role_not_allowed', (of) => ({
        as: http,
        ids: w.ids,
        body: body[of.id],
        ...(of.id === 'statement' ? { query } : {}),
      })),
    );
  });

  it('refuses a change of what is no longer as the caller has read it', async () => {
    const body = bodies(w.president, w.ids.approval_id!, '');
    const headers = { 'If-Match': '"earlier"' };
    await expectAll(
      each('precondition_failed', (of) => ({ as: allowedCaller(w, of), ids: w.ids, headers, body: body[of.id] })),
    );
  });

  it('accepts a change of what is still as the caller has read it, and answers with its new ETag', async () => {
    const body = bodies(w.president, w.ids.approval_id!, await w.president.http.sealedPin());
    for (const of of operationsWith('precondition_failed')) {
      const http = allowedCaller(w, of);
      const tagNow = async () => (await http.get(pathOf(of, w.ids))).headers.get('etag') ?? '';
      const headers = { 'If-Match': `"other", ${await tagNow()}` };
      const changed = await send({ operation: of, as: http, ids: w.ids, headers, body: body[of.id], expected: 200 });
      expect([of.id, changed.status, changed.headers.get('etag')]).to.deep.equal([of.id, 200, await tagNow()]);
    }
  });

  it('refuses amounts with more decimals than the currency has', async () => {
    const body: Record<string, Json> = {
      ...bodies(w.president, w.ids.approval_id!, await w.president.http.sealedPin()),
      propose: { type: 'rules_change', title: 'Half', payload: { contribution_amount: 0.5 } },
      deposit: { amount: 0.5, reference: 'half' },
      withdraw: { amount: 0.5, reference: 'half' },
      createAssociation: { ...shownBody(operation('createAssociation')), contribution_amount: 0.5 },
      putSheet: { lines: [], counted_cash: 0.5 },
    };
    await expectAll(
      each('amount_precision', (of) => ({
        as: allowedCaller(w, of),
        ids: of.id === 'putSheet' ? { ...w.ids, sheet_id: randomUUID() } : w.ids,
        body: 'amount' in (body[of.id] ?? {}) ? { ...body[of.id], amount: 0.5 } : body[of.id],
      })),
    );
  });

  it('returns each readable object, and 304 if it has not changed', async () => {
    const place: Record<string, Record<string, string>> = {
      getSettlement: { meeting_id: w.settledMeeting },
      getContribution: { meeting_id: w.settledMeeting },
    };
    const reads = api.operations.filter(({ method }) => method === 'GET');
    const read = (of: Operation): Step => ({
      operation: of,
      as: allowedCaller(w, of),
      expected: 200,
      ids: { ...w.ids, ...place[of.id] },
    });
    await expectAll(reads.map(read));
    const tagged = reads.filter(({ responses }) => responses['304'] !== undefined);
    const again = await Promise.all(
      tagged.map(async (of): Promise<Step> => {
        const tag = (await send(read(of))).headers.get('etag') ?? '';
        return { ...read(of), headers: { 'If-None-Match': tag }, expected: 304 };
      }),
    );
    await expectAll(again);
    const statement = read(operation('statement'));
    await expectAll([
      { ...statement, headers: { Accept: 'text/csv' } },
      { ...statement, headers: { Accept: 'application/pdf' } },
      { ...statement, headers: { Accept: 'image/png' }, expected: 'not_acceptable' },
    ]);
  });

  it('refuses a PIN that is not set, unreadable, wrong, replayed or locked', async () => {
    const pinless = await foundGroup(cluster, {
      size: 2,
      pins: false,
      roles: ['president', 'treasurer'],
      association: { rules: FINE_RULES },
    });
    const [president, treasurer] = pinless.members as [TestMember, TestMember];
    const kitty = await openedMeeting(president);
    const { id: sheet_id } = await done(putSheet(president, kitty, randomUUID(), { lines: [], counted_cash: 0 }));
    const fined = { member_id: treasurer.member_id, code: 'phone', reason: 'It rang' };
    const { id: fine_id } = await president.http.created(`${pinless.path}/fines`, fined);
    const made = { fine_id: fine_id as string, sheet_id: sheet_id as string };
    const ids = { association_id: pinless.id, meeting_id: kitty, ...made };
    const step = async (of: Operation, { http, ...who }: TestMember, pin: string, expected: string) => {
      const sealed = expected === 'pin_unreadable' ? pin : await http.sealedPin(pin);
      const change = { pin: await http.sealedPin(), current_pin: sealed };
      const body = of.id === 'setPin' ? change : bodies({ http, ...who }, NOTHING, sealed)[of.id];
      return { operation: of, as: http, ids, body, expected };
    };
    const unset = operationsWith('pin_not_set').map((of) => step(of, president, '2468', 'pin_not_set'));
    await expectAll(await Promise.all(unset));

    await Promise.all(pinless.members.map(({ http }) => http.setPin()));
    const judging = operationsWith('pin_invalid');
    // Five consecutive wrong PINs lock, so the treasurer sends some of them.
    const guesses = await Promise.all(
      judging.map((of, index) => step(of, index < 4 ? president : treasurer, '9999', 'pin_invalid')),
    );
    const fifth = await step(judging[0]!, president, '9999', 'pin_invalid');
    const wrong = await walkInOrder([
      ...(await Promise.all(judging.map((of) => step(of, president, '2468', 'pin_unreadable')))),
      ...guesses,
      ...guesses.map((guess) => ({ ...guess, expected: 'pin_replayed' })),
      fifth,
      ...(await Promise.all(judging.map((of) => step(of, president, '2468', 'pin_locked')))),
    ]);
    expect(wrong, wrong.join('\n')).to.deep.equal([]);
  });

  it('refuses changes of a closed association', async () => {
    const closed = await foundGroup(cluster, {
      size: 3,
      roles: ['president', 'treasurer'],
      association: { rules: FINE_RULES },
    });
    const [founder, treasurer, member] = closed.members as [TestMember, TestMember, TestMember];
    const outsider = client(cluster.token('outsider'));
    const kitty = await openedMeeting(founder);
    const { id: sheet_id } = await done(putSheet(founder, kitty, randomUUID(), { lines: [], counted_cash: 0 }));
    await founder.http.okPost(`${closed.path}/meetings/${kitty}/cancel`, {});
    const { code, id: invitation_id } = await founder.http.created(`${closed.path}/invitations`, {});
    const fined = { member_id: member.member_id, code: 'phone', reason: 'It rang' };
    const { id: fine_id } = await founder.http.created(`${closed.path}/fines`, fined);
    const endpoint = await makeWebhook(founder.http, `${closed.path}/webhooks`);
    let approval_id = '';
    const decided: [string, Json][] = [
      ['fine_waiver', { fine_id }],
      ['closure', {}],
    ];
    for (const [type, payload] of decided) {
      const { approval } = await done(propose(founder, type, payload));
      approval_id = (approval as Json).id as string;
      await done(vote(treasurer, approval_id));
    }
    const made = { code: code as string, invitation_id: invitation_id as string, fine_id: fine_id as string };
    const sheet = { sheet_id: sheet_id as string };
    const ids = { association_id: closed.id, meeting_id: kitty, approval_id, ...made, ...sheet, ...endpoint };
    const steps = operationsWith('association_closed').map(async (of): Promise<Step> => {
      const body = bodies(founder, approval_id, await founder.http.sealedPin())[of.id];
      const as = ['join', 'acceptInvitation'].includes(of.id) ? outsider : founder.http;
      // A draft is replaced only with `If-Match`.
      const own = of.id === 'putSheet' ? { ...ids, sheet_id: randomUUID() } : ids;
      return { operation: of, as, ids: own, body, expected: 'association_closed' };
    });
    await expectAll(await Promise.all(steps));
  });

  it('applies Idempotency-Key to every write', async () => {
    const claimed = await claimKeys(cluster, 'operator', ['idempotency_key_reused', 'idempotency_in_flight']);
    await expectAll(
      claimed.map(({ of, key, code }) => ({
        operation: of,
        as: w.operator,
        body: shownBody(of),
        expected: code,
        headers: { 'Idempotency-Key': key },
      })),
    );
  });

  it('accepts the writes of the members of a group', async () => {
    const { president, member, group } = w;
    const sheet_id = randomUUID();
    const newcomer = client(cluster.token('newcomer'));
    await newcomer.created('/wallets', { currency: 'XAF' });
    await newcomer.okPost('/wallets', { currency: 'XAF' });
    const { id: invitation_id } = await president.http.created(`${group.path}/invitations`, {});
    // The Location of the later one is followed.
    const { code } = await president.http.created(`${group.path}/invitations`, {});
    await newcomer.created(`/invitations/${code as string}/accept`, {});
    const wrong = await walkInOrder([
      step('changeAssociation', president.http, 200, { description: 'Changed' }),
      { ...step('withdrawInvitation', president.http, 204), ids: { ...w.ids, invitation_id: invitation_id as string } },
      step('changeOwnMembership', newcomer, 200, { display_name: 'New' }),
      step('leave', newcomer, 204),
      step('join', newcomer, 201, {}),
      step('resetPin', w.operator, 204),
      step('withdraw', w.operator, 201, { amount: 5, reference: 'out' }),
      step('changeMeeting', president.http, 200, { title: 'Round two' }),
      step('recordAttendance', president.http, 200, {
        entries: [{ member_id: member.member_id, status: 'present' }],
      }),
      step('assessFine', president.http, 201, { member_id: member.member_id, code: 'phone', reason: 'It rang' }),
      step('payFine', president.http, 201, {
        wallet_id: president.wallet_id,
        amount: 300,
        pin: await president.http.sealedPin(),
      }),
      { ...step('cancelMeeting', president.http, 200), ids: { ...w.ids, meeting_id: w.kitty } },
      sheetStep(201, { lines: [], counted_cash: 0 }),
      sheetStep(200, { lines: [], counted_cash: 0 }),
      step('submitSheet', president.http, 200, {
        pin: await president.http.sealedPin(),
        sheet_hash: (await president.http.ok(`${group.path}/meetings/${w.ids.meeting_id!}/sheets/${w.ids.sheet_id!}`))
          .sheet_hash,
      }),
      step('approve', president.http, 200, { ...approval(), pin: await president.http.sealedPin() }),
      step('reject', w.treasurer.http, 200, {
        approval_id: await motion(),
        pin: await w.treasurer.http.sealedPin(),
      }),
      { ...step('cancelApproval', president.http, 200), ids: { ...w.ids, approval_id: await motion() } },
    ]);
    expect(wrong, wrong.join('\n')).to.deep.equal([]);
    expect((await member.http.ok(`${group.path}/statement`)).movements).to.not.be.empty;

    function sheetStep(expected: number, body: Json): Step {
      return { ...step('putSheet', president.http, expected, body), ids: { ...w.ids, sheet_id } };
    }
    function step(id: string, as: HttpClient, expected: number, body?: Json): Step {
      return { operation: operation(id), as, ids: w.ids, expected, ...(body === undefined ? {} : { body }) };
    }
    function approval(): Json {
      return { approval_id: w.ids.approval_id };
    }
    async function motion(): Promise<string> {
      const body = { type: 'motion', title: 'A motion', payload: { text: 'We meet at the school.' } };
      const made = await president.http.created(`${group.path}/governance/proposals`, body);
      return (made.approval as Json).id as string;
    }
  });

  it('accepts the writes on endpoints of an association, and on those of all', async () => {
    const { president, operator, group } = w;
    const own = await makeWebhook(president.http, `${group.path}/webhooks`);
    const global = await makeGlobalWebhook(operator);
    const ids = { ...own, global_webhook_id: global.webhook_id };
    const wrong = await walkInOrder(
      ['', 'Global'].flatMap((kind) => [
        step(`rotate${kind}WebhookSecret`, 200),
        step(`retry${kind}WebhookDelivery`, 200),
        step(`replay${kind}WebhookEvents`, 200, { from: '2026-01-01T00:00:00Z' }),
        step(`ping${kind}Webhook`, 200),
        { ...step(`delete${kind}Webhook`, 204), ids: { ...w.ids, ...ids } },
      ]),
    );
    expect(wrong, wrong.join('\n')).to.deep.equal([]);
    // Their Locations are followed.
    await makeWebhook(president.http, `${group.path}/webhooks`);
    await makeGlobalWebhook(operator);

    function step(id: string, expected: number, body?: Json): Step {
      const of = operation(id);
      return { operation: of, as: allowedCaller(w, of), ids: w.ids, expected, body };
    }
  });

  it('returns Locations that the receiver can read', async () => {
    const wrong = await followLocations();
    expect(wrong, wrong.join('\n')).to.deep.equal([]);
  });

  it('writes events that conform to the AsyncAPI document', async () => {
    const events = await eventsStored(cluster);
    expect(new Set(events.map(({ type }) => type)).size).to.be.at.least(15);
    const wrong = eventComplaints(events);
    expect(wrong, wrong.join('\n')).to.deep.equal([]);
  });

  it('answers rate_limited above the rate limit', async () => {
    const gateway = await new TestGateway({ services: [], env: { RATE_LIMIT: '1' } }).start();
    try {
      const token = jwt.sign({}, SECRET, { subject: 'hasty', expiresIn: 60 });
      const hasty = new HttpClient(gateway.origin, token);
      await hasty.get('//openapi.json');
      await expectAll(each('rate_limited', (of) => ({ as: hasty, body: shownBody(of) })));
    } finally {
      await gateway.stop();
    }
  });
});
