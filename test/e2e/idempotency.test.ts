import { expect } from 'chai';
import { DATABASE_SERVICES } from '../../lib/config/service-names.ts';
import { sharedCluster, type Deployment } from '../harness/cluster.ts';
import { foundGroup, type TestGroup } from '../harness/group.ts';
import type { HttpAnswer, HttpClient } from '../harness/http.ts';
import { SELDOM } from './conformance/webhooks.ts';

describe('an Idempotency-Key', function () {
  this.timeout(120_000);
  let cluster: Deployment;
  let group: TestGroup;
  let president: HttpClient;
  let keys = 0;

  before(async () => {
    cluster = await sharedCluster();
    group = await foundGroup(cluster, { size: 2, funding: 5_000 });
    president = group.members[0]!.http;
  });

  const freshKey = () => `key-${String((keys += 1))}`;
  const write = (method: string, path: string, body: object, key: string): Promise<HttpAnswer> =>
    president.send(method, path, body, { 'Idempotency-Key': key });
  const founding = { name: 'Another', type: 'solidarity', currency: 'XAF', contribution_amount: 5 };
  /** A request to each service that succeeds. */
  const requests = (): [service: string, method: string, path: string, body: object][] => [
    ['membership', 'POST', '/associations', { ...founding, contribution_frequency: 'weekly' }],
    ['contribution', 'POST', `${group.path}/meetings`, { title: 'Once' }],
    ['treasury', 'POST', '/wallets', { currency: 'EUR' }],
    [
      'governance',
      'POST',
      `${group.path}/governance/proposals`,
      { type: 'motion', title: 'T', payload: { text: 'So be it.' } },
    ],
    ['webhooks', 'POST', `${group.path}/webhooks`, SELDOM],
    ['reminders', 'PATCH', '/me/notifications', { language: 'fr' }],
  ];
  /** A request to each service that is refused once its key is claimed. */
  const refused = (): [service: string, method: string, path: string, body: object][] => [
    ['membership', 'POST', `${group.path}/join`, {}],
    ['contribution', 'POST', `${group.path}/meetings/${group.id}/cancel`, {}],
    ['treasury', 'POST', `/wallets/${group.members[0]!.wallet_id}/deposits`, { amount: 1, reference: 'no scope' }],
    ['governance', 'POST', `${group.path}/governance/approvals/${group.id}/cancel`, {}],
    ['webhooks', 'PATCH', `${group.path}/webhooks/${group.id}`, { description: 'None' }],
    ['reminders', 'POST', '/me/notifications/confirm', { channel: 'sms', code: '000000' }],
  ];

  for (const [place, service] of DATABASE_SERVICES.entries()) {
    it(`used at ${service} replays that request, and is refused as reused by every other service`, async () => {
      const key = freshKey();
      const [, ...request] = requests()[place]!;
      const first = await write(...request, key);
      expect(first.status, first.text).to.be.within(200, 201);
      for (const [other, ...another] of requests()) {
        const answer = await write(...another, key);
        if (other === service) {
          expect(answer.headers.get('Idempotency-Replayed')).to.equal('true');
          expect(answer.text).to.equal(first.text);
        } else {
          expect([answer.status, answer.body.code]).to.deep.equal([422, 'idempotency_key_reused']);
        }
      }
    });

    it(`of a request that ${service} refused can be used for any other request`, async () => {
      const key = freshKey();
      const [, ...bad] = refused()[place]!;
      expect((await write(...bad, key)).status).to.be.within(400, 499);
      const [, ...another] = requests()[(place + 1) % DATABASE_SERVICES.length]!;
      const answer = await write(...another, key);
      expect(answer.status, answer.text).to.be.within(200, 201);
    });
  }

  it('pays once for 12 concurrent requests, each with a newly sealed PIN', async () => {
    const meeting = await president.created(`${group.path}/meetings`, {});
    const path = `${group.path}/meetings/${meeting.id as string}/contribute`;
    const { wallet_id } = group.members[0]!;
    const key = freshKey();
    const answers = await Promise.all(
      Array.from({ length: 12 }, async () =>
        write('POST', path, { wallet_id, amount: 100, pin: await president.sealedPin() }, key),
      ),
    );
    const codes = answers.map(({ status, body }) => (status === 201 ? 'paid' : body.code));
    expect(codes.filter((code) => code !== 'paid' && code !== 'idempotency_in_flight')).to.deep.equal([]);
    expect(new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text)).size).to.equal(1);
    const shown = await president.ok(`${group.path}/meetings/${meeting.id as string}`);
    expect(shown.collected_amount).to.equal(100);
  });
});
