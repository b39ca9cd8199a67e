import { expect } from 'chai';
import type { Approval, Proposal } from '../../../lib/contracts/governance.ts';
import type { Role } from '../../../lib/contracts/permissions.ts';
import { eventually } from '../../harness/eventually.ts';
import { DONE } from '../../harness/fakes/fake.ts';
import { RIGHT_PIN, type FakeAssociation } from '../../harness/fakes/membership.ts';
import { useGovernance } from '../../harness/governance.ts';
import { outcomeOf } from '../../harness/refusal.ts';

const KEY = 'a key';
/** As if the time had passed for which keys are held unless their request renews it. */
const END_HOLDS = `UPDATE idempotency_keys SET held_until = '-infinity' WHERE answer IS NULL`;

/** The fault points between a decision and the end of its execution. */
const EXECUTION_POINTS = ['notifying', 'notifying.acted', 'notified'].map((point) => `governance.execution.${point}`);

describe('governance: requests repeated with their Idempotency-Key', () => {
  const harness = useGovernance();
  let group: FakeAssociation;
  /** A request for which one approval is enough. */
  let requested: Approval;
  const prepare = async (...roles: Role[]) => {
    group = harness.found(...roles);
    requested = await harness.request(group);
  };
  // Keys belong to a user, and all tests have the same users.
  afterEach(() => harness.sql('DELETE FROM idempotency_keys'));

  const vote = (key = KEY) => harness.approve(1, requested, undefined, key);
  const cancel = (key = KEY) => harness.cancel(0, requested, key);
  const propose = (type: 'motion' | 'expulsion' = 'expulsion', key = KEY) => {
    const payload = type === 'motion' ? { text: 'Thanks' } : { member_id: group.members.at(-1)!.member_id };
    return harness.propose(0, group, payload, type, key);
  };
  const approvalIn = (answer: Approval | Proposal) => ('approval' in answer ? answer.approval : answer);
  const votesOf = async (approval: Approval, index: number) =>
    (await harness.read(approval)).votes.filter(({ member_id }) => member_id === harness.memberId(group, index));

  /** Each kind of request with its answer, its events and the points at which its process may die. */
  const KINDS = [
    {
      kind: 'a vote',
      prepare: () => prepare('president', 'treasurer'),
      send: vote,
      answer: { status: 'approved', execution: DONE },
      events: ['approval.requested', 'approval.voted', 'approval.approved'],
      points: EXECUTION_POINTS,
    },
    {
      kind: 'a cancellation',
      prepare: () => prepare('president', 'treasurer'),
      send: cancel,
      answer: { status: 'cancelled' },
      events: ['approval.requested', 'approval.cancelled'],
      points: EXECUTION_POINTS,
    },
    {
      kind: 'a proposal',
      prepare: () => prepare('president', 'treasurer', 'member'),
      send: () => propose(),
      answer: { status: 'pending' },
      events: ['approval.requested'],
      points: ['governance.proposal_stored'],
    },
    {
      kind: 'a proposal of the only board member',
      prepare: () => {
        group = harness.found('president', 'member');
      },
      send: () => propose(),
      answer: { status: 'approved', execution: DONE },
      events: ['approval.requested', 'approval.approved'],
      points: ['governance.proposal_stored', ...EXECUTION_POINTS],
    },
  ];
  for (const { kind, prepare, send, answer, events, points } of KINDS) {
    describe(kind, () => {
      beforeEach(prepare);

      /** Expects that this is the answer and that the effect of the requests has happened once. */
      const expectOnce = async (given: Approval | Proposal) => {
        const approval = approvalIn(given);
        expect(approval).to.deep.include(answer);
        const { status } = approval;
        if (status !== 'pending') await eventually(() => expect(harness.sentDecisions(approval)).to.include(status));
        const left = (await harness.events(group.id)).filter(
          ({ data }) => 'approval_id' in data && data.approval_id === approval.id,
        );
        expect(left.map(({ type }) => type)).to.deep.equal(events);
      };

      it('is carried out once, and a repeat gets the first answer with its Location', async () => {
        const first = await send();
        const again = await send();
        expect(again).to.deep.equal(first);
        expect(harness.headOf(first).replayed).to.equal(false);
        expect(harness.headOf(again)).to.deep.equal({ ...harness.headOf(first), replayed: true });
        await expectOnce(first);
      });

      for (const point of ['idempotency.claimed', ...points]) {
        it(`is completed by a repeat after the process died at ${point}`, async () => {
          await harness.dieAt(point, send);
          // The expulsion may have been executed by now, which must not make its own repeat fail.
          const isStored = point !== 'idempotency.claimed';
          if (kind === 'a proposal of the only board member' && isStored) group.members[1]!.status = 'expelled';
          const repeated = await send();
          if ('approval' in repeated) expect(harness.headOf(repeated).location).to.contain(repeated.approval.id);
          expect(await send()).to.deep.equal(repeated);
          await expectOnce(repeated);
        });
      }

      it('has no effect if its process was frozen while a repeat was refused', async () => {
        const before = await harness.events(group.id);
        expect(await harness.outcomeAfterRefusedRepeat(KEY, send)).to.equal('idempotency_in_flight');
        expect(await harness.events(group.id)).to.deep.equal(before);
        await expectOnce(await send());
      });

      it('is carried out once if the first request is slow and a repeat takes over its key', async () => {
        const { there, goOn } = harness.holdAt('idempotency.claimed');
        const slow = send();
        await there;
        await harness.sql(END_HOLDS);
        const quick = await send();
        goOn();
        expect(await slow).to.deep.equal(quick);
        await expectOnce(quick);
      });
    });
  }

  for (const cast of ['approve', 'reject'] as const) {
    for (const required of [1, 2]) {
      it(`get the first answer to ${cast}, with ${String(required)} required, even if the voter has lost their role`, async () => {
        group = harness.found('president', 'treasurer', 'secretary');
        group.terms.rules.approvals.motion = required;
        const { approval } = await harness.propose(0, group, { text: 'Thanks' }, 'motion');
        const first = await harness[cast](1, approval, undefined, KEY);
        if (first.status === 'pending') await harness.approve(2, approval);
        group.members[1]!.role = 'member';
        expect(await harness[cast](1, approval, undefined, KEY)).to.deep.equal(first);
        expect(await votesOf(approval, 1)).to.have.length(1);
      });
    }
  }

  it('are validated before their key is checked', async () => {
    await prepare('president', 'treasurer', 'member');
    await propose('motion');
    expect(await outcomeOf(harness.propose(0, group, { text: '' }, 'motion', KEY))).to.equal('validation_failed');
    expect(await outcomeOf(propose('expulsion'))).to.equal('idempotency_key_reused');
  });

  it('leave no PIN in the stored key, encrypted or not', async () => {
    await prepare('president', 'treasurer');
    await vote();
    const kept = await harness.sql('SELECT idempotency_keys::text AS kept FROM idempotency_keys');
    expect(kept).to.have.length(1);
    expect(JSON.stringify(kept)).not.to.contain(RIGHT_PIN);
  });
});
