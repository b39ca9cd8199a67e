import { expect } from 'chai';
import pg from 'pg';
import { sharedCluster } from '../harness/cluster.ts';
import type { Deployment } from '../harness/cluster.ts';
import { foundGroup } from '../harness/group.ts';
import type { TestGroup, TestMember } from '../harness/group.ts';
import type { HttpAnswer, Json } from '../harness/http.ts';

/** The class of the advisory locks on associations and memberships: see lib/locks. */
const SUBJECT_LOCKS = 7_207;
/** Long enough for what is let through to come to where the other is held. */
const HEAD_START_MS = 150;

/** Which of the two is held until the other has had its head start. */
const ORDERS = ['both at once', 'the departure has looked', 'the request is authorized'] as const;
type Order = (typeof ORDERS)[number];
const TRIES_OF_EACH = 8;

const TODAY = new Date().toISOString().slice(0, 10);
const codeOf = ({ status, body }: HttpAnswer) => (status < 300 ? 'done' : body.code);

describe('what ends and what begins at the same time', function () {
  this.timeout(240_000);
  let cluster: Deployment;

  before(async () => {
    cluster = await sharedCluster();
  });

  /** Holds a lock in a service's database while `work` has its head start, as a slow process would. */
  async function holding<T>(service: string, sql: string, values: unknown[], work: () => Promise<T>): Promise<T> {
    const url = new URL(cluster.adminUrl);
    url.pathname = `/association_${service}`;
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query(sql, values);
      const begun = work();
      await new Promise((resolve) => setTimeout(resolve, HEAD_START_MS));
      await client.query('COMMIT');
      return await begun;
    } finally {
      await client.end();
    }
  }

  function inOrder<T>(order: Order, association_id: string, work: () => Promise<T>): Promise<T> {
    if (order === 'both at once') return work();
    // A departure is held where membership decides; authorizing takes no lock there.
    return order === 'the departure has looked'
      ? holding('membership', 'SELECT FROM associations WHERE id = $1 FOR UPDATE', [association_id], work)
      : holding('treasury', 'SELECT pg_advisory_xact_lock($1, hashtext($2))', [SUBJECT_LOCKS, association_id], work);
  }

  interface Scene {
    group: TestGroup;
    president: TestMember;
    treasurer: TestMember;
    goer: TestMember;
  }

  async function scene(): Promise<Scene> {
    // A cycle is one meeting, which settles also if a member has not paid.
    const association = { rules: { shortfall: 'pay_collected', beneficiaries_per_meeting: 3 } };
    const group = await foundGroup(cluster, {
      size: 3,
      funding: 1_000,
      association,
      roles: ['president', 'treasurer'],
    });
    const [president, treasurer, goer] = group.members as [TestMember, TestMember, TestMember];
    return { group, president, treasurer, goer };
  }

  async function vote({ group, treasurer }: Scene, approval_id: unknown, decision: 'approve' | 'reject') {
    const body = { approval_id, pin: await treasurer.http.sealedPin() };
    return treasurer.http.post(`${group.path}/governance/${decision}`, body);
  }

  /** Two ways to go; each gives `done` or why not. */
  const DEPARTURES = {
    leaving: ({ group, goer }: Scene) =>
      Promise.resolve(async () => codeOf(await goer.http.send('DELETE', `${group.path}/members/me`))),
    expulsion: async (at: Scene) => {
      const { group, president, goer } = at;
      const body = { type: 'expulsion', title: 'Out', payload: { member_id: goer.member_id } };
      const { approval } = await president.http.created(`${group.path}/governance/proposals`, body);
      const { id } = approval as Json;
      const pin = await at.treasurer.http.sealedPin();
      return async () => {
        const answer = await at.treasurer.http.post(`${group.path}/governance/approve`, { approval_id: id, pin });
        const { status, error } = answer.body.execution as Json;
        return status === 'done' ? 'done' : error;
      };
    },
  };

  /** What may begin for a member; `meeting_id` is of an open meeting. */
  const REQUESTS = {
    'a cash deposit': async ({ group, president, goer }: Scene) => {
      const body = { member_id: goer.member_id, amount: 5, reason: 'in hand', pin: await president.http.sealedPin() };
      return () => president.http.post(`${group.path}/cash-contribution`, body);
    },
    'a cash deposit for a meeting': async ({ group, president, goer }: Scene, meeting_id: string) => {
      const pin = await president.http.sealedPin();
      const body = { member_id: goer.member_id, amount: 5, reason: 'in hand', meeting_id, pin };
      return () => president.http.post(`${group.path}/cash-contribution`, body);
    },
    'a distribution': ({ group, president, goer }: Scene) => {
      const body = { beneficiary_member_id: goer.member_id, amount: 5, reason: 'a roof' };
      return Promise.resolve(() => president.http.post(`${group.path}/distributions`, body));
    },
  };

  const pendingIn = async ({ group, president }: Scene) =>
    (await president.http.ok(`${group.path}/governance/approvals?status=pending`)).data as Json[];

  for (const [departure, prepareDeparture] of Object.entries(DEPARTURES)) {
    for (const [request, prepareRequest] of Object.entries(REQUESTS)) {
      it(`${departure} and ${request} never both succeed, in ${String(ORDERS.length * TRIES_OF_EACH)} tries`, async () => {
        const at = await scene();
        const { group, president, goer } = at;
        const meeting = await president.http.created(`${group.path}/meetings`, {});
        const paid = await president.http.created(`${group.path}/meetings`, {});
        const { wallet_id } = president;
        const payment = { wallet_id, amount: 500, pin: await president.http.sealedPin() };
        await president.http.created(`${group.path}/meetings/${paid.id as string}/contribute`, payment);
        await president.http.okPost(`${group.path}/meetings/${paid.id as string}/settle`, {});
        const before = await president.http.ok(`${group.path}/balances`);
        const seen = new Set<unknown>();

        for (let n = 0; n < ORDERS.length * TRIES_OF_EACH; n += 1) {
          const order = ORDERS[n % ORDERS.length] ?? ORDERS[0];
          const [go, ask] = [await prepareDeparture(at), await prepareRequest(at, meeting.id as string)];
          const [gone, asked] = await inOrder(order, group.id, () => Promise.all([go(), ask()]));
          const outcome = [gone, codeOf(asked)];
          seen.add(outcome.join());
          expect(outcome, order).to.deep.be.oneOf([
            ['done', 'not_found'],
            ['member_has_obligations', 'done'],
          ]);
          const pending = await pendingIn(at);
          if (gone === 'done') {
            expect(pending).to.deep.equal([]);
            const back =
              departure === 'leaving'
                ? `${group.path}/join`
                : `/invitations/${((await president.http.created(`${group.path}/invitations`, {})).code as string) ?? ''}/accept`;
            await goer.http.created(back, {});
          } else {
            expect(pending).to.have.length(1);
            expect((await vote(at, pending[0]?.id, 'reject')).status).to.equal(200);
          }
          expect(await president.http.ok(`${group.path}/balances`)).to.deep.equal(before);
        }
        expect(seen.size, [...seen].join(' | ')).to.equal(2);
      });
    }

    it(`${departure} and the start of a cycle never both succeed, in 24 tries`, async () => {
      for (let n = 0; n < 24; n += 1) {
        const group = await foundGroup(cluster, { size: 3, pins: false });
        const [president, , goer] = group.members as [TestMember, TestMember, TestMember];
        const expel = { type: 'expulsion', title: 'Out', payload: { member_id: goer.member_id } };
        const go = async () => {
          if (departure === 'leaving') return codeOf(await goer.http.send('DELETE', `${group.path}/members/me`));
          const { status, body } = await president.http.post(`${group.path}/governance/proposals`, expel);
          if (status >= 300) return body.code;
          const execution = (body.approval as Json).execution as Json;
          return execution.status === 'done' ? 'done' : execution.error;
        };
        const start = () => president.http.created(`${group.path}/cycles`, { starts_on: TODAY, order: 'join' });
        const order = ORDERS[n % 2] ?? ORDERS[0];
        const [gone, cycle] = await inOrder(order, group.id, () => Promise.all([go(), start()]));
        expect(gone).to.be.oneOf(['done', 'member_has_obligations']);
        const hands = (cycle.hands as Json[]).map((hand) => hand.member_id);
        expect(hands.includes(goer.member_id), String(gone)).to.equal(gone !== 'done');
      }
    });
  }

  describe('a closure', () => {
    /** Proposes the closure, which takes the treasurer's vote. */
    async function proposeClosure({ group, president }: Scene): Promise<unknown> {
      const body = { type: 'closure', title: 'We close', payload: {} };
      const { approval } = await president.http.created(`${group.path}/governance/proposals`, body);
      return (approval as Json).id;
    }

    /** Requests of all kinds that an association may get; each gives its code. */
    async function requests({ group, president, goer }: Scene, meeting_id?: string) {
      const { path } = group;
      const pins = await Promise.all(Array.from({ length: 3 }, () => president.http.sealedPin()));
      const cash = { member_id: goer.member_id, amount: 1, reason: 'in hand', pin: pins[0] };
      const payments = pins.slice(1).map((pin) => ({ wallet_id: president.wallet_id, amount: 1, pin }));
      const { http } = president;
      return {
        cash: () => http.post(`${path}/cash-contribution`, cash),
        help: () =>
          http.post(`${path}/distributions`, { beneficiary_member_id: goer.member_id, amount: 1, reason: 'roof' }),
        meeting: () => http.post(`${path}/meetings`, {}),
        cycle: () => http.post(`${path}/cycles`, { starts_on: TODAY, order: 'join' }),
        motion: () =>
          http.post(`${path}/governance/proposals`, { type: 'motion', title: 'On', payload: { text: 'We go on.' } }),
        invitation: () => http.post(`${path}/invitations`, {}),
        leaving: () => goer.http.send('DELETE', `${path}/members/me`),
        ...(meeting_id === undefined
          ? {}
          : Object.fromEntries(
              payments.map((body, n) => [
                `payment${String(n)}`,
                () => http.post(`${path}/meetings/${meeting_id}/contribute`, body),
              ]),
            )),
      };
    }

    /** What comes after the closure is proposed, and makes it fail; gives the meeting that takes payments, if one does. */
    const LEFTOVERS = {
      'an open meeting': async ({ group, president }: Scene) =>
        (await president.http.created(`${group.path}/meetings`, {})).id as string,
      'money in the treasury': async (at: Scene) => {
        const deposit = await (await REQUESTS['a cash deposit'](at))();
        expect((await vote(at, deposit.body.approval_id, 'approve')).status).to.equal(200);
        return undefined;
      },
      arrears: async ({ group, president, treasurer, goer }: Scene) => {
        await president.http.created(`${group.path}/cycles`, { starts_on: TODAY, order: 'join' });
        const [meeting] = (await president.http.ok(`${group.path}/meetings`)).data as Json[];
        const path = `${group.path}/meetings/${meeting?.id as string}`;
        for (const { http, wallet_id } of [treasurer, goer])
          await http.created(`${path}/contribute`, { wallet_id, amount: 1_000, pin: await http.sealedPin() });
        const settlement = await president.http.okPost(`${path}/settle`, {});
        expect(settlement.arrears).to.have.length(1);
        return meeting?.id as string;
      },
    };
    for (const [leftover, leave] of Object.entries(LEFTOVERS)) {
      it(`that is bound to fail for ${leftover} has nothing refused as closed, in 24 tries with all requests each`, async () => {
        const codes: unknown[] = [];
        for (let n = 0; n < 24; n += 1) {
          const at = await scene();
          const approval_id = await proposeClosure(at);
          const all = Object.values(await requests(at, await leave(at)));
          const voted = vote(at, approval_id, 'approve');
          const work = () => Promise.all(all.map(async (request) => codeOf(await request())));
          // In every second try the closure has to wait for the treasury.
          const answers = await inOrder(n % 2 === 0 ? 'both at once' : 'the request is authorized', at.group.id, work);
          codes.push(...answers, ((await voted).body.execution as Json).status);
          expect((await at.president.http.ok(at.group.path)).status).to.equal('active');
          codes.push(codeOf(await at.president.http.post(`${at.group.path}/meetings`, {})));
        }
        expect(codes).to.include('failed').and.to.not.include('association_closed');
        expect(codes).to.not.include('service_unavailable');
      });
    }

    it('that succeeds refuses whatever did not come before it, and fails for what did', async () => {
      const ends = new Set<unknown>();
      for (let n = 0; n < 24; n += 1) {
        const at = await scene();
        const approval_id = await proposeClosure(at);
        const { invitation, leaving, ...lasting } = await requests(at);
        // One of them at a time, so that the closure has its chance.
        const [name, request] = Object.entries(lasting)[n % Object.keys(lasting).length] ?? ['', invitation];
        const work = () => Promise.all([request(), invitation(), leaving(), vote(at, approval_id, 'approve')]);
        const order = name === 'cash' || name === 'help' ? (ORDERS[2 * (n % 2)] ?? ORDERS[0]) : ORDERS[0];
        const [asked, invited, left, voted] = await inOrder(order, at.group.id, work);
        const { status, error } = voted.body.execution as Json;
        ends.add(status);
        const { status: standing } = await at.president.http.ok(at.group.path);
        expect([status, error, standing]).to.deep.be.oneOf([
          ['done', null, 'closed'],
          ['failed', 'association_not_empty', 'active'],
        ]);
        // An empty treasury has nothing to distribute, whether it is closed or not.
        const refused =
          name === 'help'
            ? ['association_closed', 'insufficient_funds', 'not_found']
            : ['association_closed', 'not_found'];
        if (status === 'done') expect(codeOf(asked), name).to.be.oneOf(refused);
        else expect(codeOf(asked), name).to.equal('done');
        for (const each of [invited, left])
          expect(codeOf(each)).to.be.oneOf(['done', 'association_closed', 'member_has_obligations']);
      }
      // What asks for help from an empty treasury is in no closure's way.
      expect([...ends]).to.include('done');
    });
  });
});
