import { expect } from 'chai';
import { sharedCluster, type Deployment } from '../harness/cluster.ts';
import { foundGroup, type TestGroup } from '../harness/group.ts';
import type { HttpAnswer, HttpClient } from '../harness/http.ts';

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
  const write = (path: string, body: object, key: string): Promise<HttpAnswer> =>
    president.send('POST', path, body, { 'Idempotency-Key': key });
  const founding = { name: 'Another', type: 'solidarity', currency: 'XAF', contribution_amount: 5 };
  const requests = (): [service: string, path: string, body: object][] => [
    ['membership', '/associations', { ...founding, contribution_frequency: 'weekly' }],
    ['contribution', `${group.path}/meetings`, { title: 'Once' }],
    ['treasury', '/wallets', { currency: 'EUR' }],
    [
      'governance',
      `${group.path}/governance/proposals`,
      { type: 'motion', title: 'T', payload: { text: 'So be it.' } },
    ],
  ];

  for (const [place, service] of ['membership', 'contribution', 'treasury', 'governance'].entries()) {
    it(`used at ${service} replays that request, and is refused as reused by every other service`, async () => {
      const key = freshKey();
      const [, path, body] = requests()[place]!;
      const first = await write(path, body, key);
      expect(first.status).to.be.within(200, 201);
      for (const [other, elsewhere, another] of requests()) {
        const answer = await write(elsewhere, another, key);
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
      const refused: [path: string, body: object][] = [
        [`${group.path}/join`, {}],
        [`${group.path}/meetings/${group.id}/cancel`, {}],
        [`/wallets/${group.members[0]!.wallet_id}/deposits`, { amount: 1, reference: 'no scope' }],
        [`${group.path}/governance/approvals/${group.id}/cancel`, {}],
      ];
      const [path, body] = refused[place]!;
      expect((await write(path, body, key)).status).to.be.within(400, 499);
      const [, elsewhere, another] = requests()[(place + 1) % 4]!;
      expect((await write(elsewhere, another, key)).status).to.be.within(200, 201);
    });
  }

  it('pays once for 12 concurrent requests, each with a newly sealed PIN', async () => {
    const meeting = await president.created(`${group.path}/meetings`, {});
    const path = `${group.path}/meetings/${meeting.id as string}/contribute`;
    const { wallet_id } = group.members[0]!;
    const key = freshKey();
    const answers = await Promise.all(
      Array.from({ length: 12 }, async () =>
        write(path, { wallet_id, amount: 100, pin: await president.sealedPin() }, key),
      ),
    );
    const codes = answers.map(({ status, body }) => (status === 201 ? 'paid' : body.code));
    expect(codes.filter((code) => code !== 'paid' && code !== 'idempotency_in_flight')).to.deep.equal([]);
    expect(new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text)).size).to.equal(1);
    const shown = await president.ok(`${group.path}/meetings/${meeting.id as string}`);
    expect(shown.collected_amount).to.equal(100);
  });
});
