import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { TableService } from '../../lib/config/service-names.ts';
import { SUBJECT_LOCKS } from '../../lib/locks/advisory.ts';
import { inDatabase, sharedCluster, type Deployment } from '../harness/cluster.ts';
import { foundGroup } from '../harness/group.ts';
import type { TestMember } from '../harness/test-member.ts';
import type { Json } from '../harness/http.ts';
import {
  ask,
  contribute,
  distribute,
  done,
  join,
  leave,
  openedMeeting,
  openMeeting,
  outcomeOf,
  propose,
  recordCash,
  sealed,
  settle,
  startCycle,
  startedRounds,
  vote,
} from '../harness/requests.ts';
import type { Asked } from '../harness/requests.ts';

/** Time in which the request that is not held reaches the place where the other is held. */
const HEAD_START_MS = 150;

/** The request that is held until the other has had its head start, if any. */
type Order = 'the departure has looked' | 'the request is authorized' | 'neither is held';
/** Orders without a held departure are tried several times, because they can interleave in more ways. */
const ORDERS: readonly Order[] = [
  'the departure has looked',
  'the request is authorized',
  'the request is authorized',
  'neither is held',
  'neither is held',
  'neither is held',
];

interface Scene {
  id: string;
  path: string;
  president: TestMember;
  treasurer: TestMember;
  goer: TestMember;
}

describe('concurrent ends and beginnings', function () {
  this.timeout(120_000);
  let cluster: Deployment;

  before(async () => {
    cluster = await sharedCluster();
  });

  async function scene(pins = true): Promise<Scene> {
    // A cycle has one meeting, which settles even if a member has not paid.
    const association = { rules: { shortfall: 'pay_collected', beneficiaries_per_meeting: 3 } };
    const officers = { funding: 1_000, association, roles: ['president' as const, 'treasurer' as const] };
    const { id, path, members } = await foundGroup(cluster, { size: 3, pins, ...(pins ? officers : {}) });
    const [president, treasurer, goer] = members as [TestMember, TestMember, TestMember];
    return { id, path, president, treasurer, goer };
  }

  /** Starts `work` while a lock is held in a service's database, and releases the lock after the head start. */
  function holding<T>(service: TableService, sql: string, values: unknown[], work: () => Promise<T>): Promise<T> {
    return inDatabase(cluster, service, async (client) => {
      await client.query('BEGIN');
      await client.query(sql, values);
      const begun = work();
      await sleep(HEAD_START_MS);
      await client.query('COMMIT');
      return begun;
    });
  }

  function inOrder<T>(order: Order, { id }: Scene, work: () => Promise<T>): Promise<T> {
    if (order === 'neither is held') return work();
    // A departure is held while membership decides; authorizing takes no lock there.
    return order === 'the departure has looked'
      ? holding('membership', 'SELECT FROM associations WHERE id = $1 FOR UPDATE', [id], work)
      : holding('treasury', 'SELECT pg_advisory_xact_lock($1, hashtext($2))', [SUBJECT_LOCKS, id], work);
  }

  /** Proposes as president now. @returns a function that votes and returns the outcome of the execution */
  async function decision(at: Scene, type: string, payload: Json = {}): Promise<() => Promise<unknown>> {
    const { approval } = await done(propose(at.president, type, payload));
    const voting = await sealed(vote(at.treasurer, (approval as Json).id));
    return async () => executionOf(await done(voting));
  }
  const executionOf = ({ execution }: Json) =>
    (execution as Json).status === 'done' ? 'done' : (execution as Json).error;

  /** Ways in which a member departs; each returns `done` or the code of the refusal. */
  const DEPARTURES = {
    leaving: {
      prepare: ({ goer }: Scene) => Promise.resolve(() => outcomeOf(leave(goer))),
      comeBack: ({ goer }: Scene) => done(join(goer)),
    },
    expulsion: {
      prepare: (at: Scene) => decision(at, 'expulsion', { member_id: at.goer.member_id }),
      comeBack: async ({ president, goer, path }: Scene) => {
        const { code } = await president.http.created(`${path}/invitations`, {});
        await goer.http.created(`/invitations/${code as string}/accept`, {});
      },
    },
  };

  /** Requests that oblige a member; `meeting_id` is an open meeting. */
  const REQUESTS: Record<string, (at: Scene, meeting_id: string) => Asked> = {
    'a cash deposit': ({ president, goer }) => recordCash(president, goer, 5),
    'a cash deposit for a meeting': ({ president, goer }, meeting_id) => recordCash(president, goer, 5, meeting_id),
    'a distribution': ({ president, goer }) => distribute(president, goer, 5),
  };

  for (const [departure, { prepare, comeBack }] of Object.entries(DEPARTURES)) {
    for (const [name, request] of Object.entries(REQUESTS)) {
      it(`never let ${departure} and ${name} both succeed`, async () => {
        const at = await scene();
        const { president, treasurer, path } = at;
        const meeting_id = await openedMeeting(president);
        const paid = await openedMeeting(president);
        await done(contribute(president, paid, 500));
        await done(settle(president, paid));
        const before = await president.http.ok(`${path}/balances`);
        const seen = new Set<unknown>();

        for (const order of ['the departure first' as const, ...ORDERS]) {
          const go = await prepare(at);
          const asking = await sealed(request(at, meeting_id));
          const [gone, asked] =
            order === 'the departure first'
              ? [await go(), await outcomeOf(asking)]
              : await inOrder(order, at, () => Promise.all([go(), outcomeOf(asking)]));
          seen.add(gone);
          expect([gone, asked], order).to.deep.be.oneOf([
            ['done', 'not_found'],
            ['member_has_obligations', 'done'],
          ]);
          const pending = (await president.http.ok(`${path}/governance/approvals?status=pending`)).data as Json[];
          expect(pending).to.have.length(gone === 'done' ? 0 : 1);
          if (gone === 'done') await comeBack(at);
          else await done(vote(treasurer, pending[0]?.id, 'reject'));
          expect(await president.http.ok(`${path}/balances`)).to.deep.equal(before);
        }
        expect([...seen]).to.have.members(['done', 'member_has_obligations']);
      });
    }

    it(`never let ${departure} of a member and the start of a cycle with them both succeed`, async () => {
      for (const order of ORDERS.filter((each) => each !== 'the request is authorized')) {
        const at = await scene(false);
        const { president, goer } = at;
        // The president is the only board member, so the proposal expels immediately.
        const go = async () => {
          if (departure === 'leaving') return outcomeOf(leave(goer));
          const { status, body } = await ask(propose(president, 'expulsion', { member_id: goer.member_id }));
          return status < 300 ? executionOf(body.approval as Json) : body.code;
        };
        const [gone, cycle] = await inOrder(order, at, () => Promise.all([go(), done(startCycle(president))]));
        expect(gone).to.be.oneOf(['done', 'member_has_obligations']);
        const hands = (cycle.hands as Json[]).map((hand) => hand.member_id);
        expect(hands.includes(goer.member_id), String(gone)).to.equal(gone !== 'done');
      }
    });
  }

  describe('a closure', () => {
    /** Requests that leave objects for a while. */
    const lasting = ({ president, goer }: Scene): Record<string, Asked> => ({
      cash: recordCash(president, goer, 1),
      help: distribute(president, goer, 1),
      meeting: openMeeting(president),
      cycle: startCycle(president),
      motion: propose(president, 'motion', { text: 'We go on.' }),
    });
    const passing = ({ president, goer, path }: Scene): Asked[] => [
      { by: president.http, path: `${path}/invitations` },
      leave(goer),
    ];

    /** Objects that make a proposed closure fail. Each function returns the meeting that accepts payments, if any. */
    const LEFTOVERS: Record<string, (at: Scene) => Promise<string | undefined>> = {
      'an open meeting': ({ president }) => openedMeeting(president),
      async 'money in the treasury'({ president, treasurer, goer }) {
        const { approval_id } = await done(recordCash(president, goer, 5));
        await done(vote(treasurer, approval_id));
        return undefined;
      },
      async arrears({ president, treasurer, goer }) {
        const [meeting] = await startedRounds(president);
        for (const payer of [treasurer, goer]) await done(contribute(payer, meeting!, 1_000));
        expect((await done(settle(president, meeting!))).arrears).to.have.length(1);
        return meeting;
      },
    };

    for (const [leftover, begin] of Object.entries(LEFTOVERS)) {
      it(`that fails because of ${leftover} never causes requests to be refused as closed`, async () => {
        const codes: unknown[] = [];
        // In some tries the closure waits for the treasury.
        for (const order of ORDERS.filter((each) => each !== 'the departure has looked')) {
          const at = await scene();
          const close = await decision(at, 'closure');
          const meeting = await begin(at);
          const payments = meeting === undefined ? [] : [1, 2].map(() => contribute(at.president, meeting, 1));
          const all = await Promise.all([...Object.values(lasting(at)), ...passing(at), ...payments].map(sealed));
          const closing = close();
          codes.push(...(await inOrder(order, at, () => Promise.all(all.map(outcomeOf)))), await closing);
          expect((await at.president.http.ok(at.path)).status).to.equal('active');
          codes.push(await outcomeOf(openMeeting(at.president)));
        }
        expect(codes).to.include('association_not_empty').and.to.not.include('association_closed');
        expect(codes).to.not.include('service_unavailable');
      });
    }

    it('that succeeds refuses later requests; a request that came earlier makes it fail', async () => {
      const ends = new Set<unknown>();
      const tries = Object.keys(lasting(await scene())).flatMap((name) => {
        // The treasury may also execute the request before it checks for the closure.
        const orders: Order[] = name === 'cash' || name === 'help' ? ['the request is authorized'] : [];
        return [...orders, 'neither is held' as const, 'neither is held' as const].map((order) => ({ name, order }));
      });
      for (const { name, order } of tries) {
        const at = await scene();
        const close = await decision(at, 'closure');
        const asking = await sealed(lasting(at)[name]!);
        // Only one request that leaves an object, so that the closure can succeed.
        const [asked, closed, ...others] = await inOrder(order, at, () =>
          Promise.all([outcomeOf(asking), close(), ...passing(at).map(outcomeOf)]),
        );
        ends.add(closed);
        const { status } = await at.president.http.ok(at.path);
        expect([closed, status]).to.deep.be.oneOf([
          ['done', 'closed'],
          ['association_not_empty', 'active'],
        ]);
        // A distribution from an empty treasury and a cycle with indivisible hands are refused in any case.
        const others_refused = { help: ['insufficient_funds'], cycle: ['hands_not_divisible'] }[name] ?? [];
        const refused = ['association_closed', 'not_found', ...others_refused];
        expect(asked, name).to.be.oneOf(closed === 'done' ? refused : ['done']);
        for (const other of others) expect(other).to.be.oneOf(['done', 'association_closed', 'member_has_obligations']);
      }
      // The refused distribution never prevents a closure.
      expect([...ends]).to.include('done');
    });
  });
});
