import { expect } from 'chai';
import * as contract from '../../../lib/contracts/contribution.ts';
import type { Fine } from '../../../lib/contracts/contribution.ts';
import type { FineRule } from '../../../lib/contracts/membership.ts';
import { useContribution, type Group, type Person } from '../../harness/contribution.ts';
import { RIGHT_PIN } from '../../harness/fakes/membership.ts';
import { outcomeOf } from '../../harness/refusal.ts';

const FINES: FineRule[] = [{ code: 'phone', trigger: 'manual', amount: 300, grace_days: 0, repeat: 'once' }];

describe('contribution: reversals of payments of fines', () => {
  const harness = useContribution();
  const { newId } = harness;

  const takeBack = ({ association_id }: Group, transfer_id: string, correction_id: string) =>
    harness.command(contract.takeBack, { association_id, transfer_id, correction_id });
  const finish = ({ association_id }: Group, correction_id: string, reversed: boolean) =>
    harness.command(contract.finishReversal, { association_id, correction_id, reversed });
  const check = ({ association_id }: Group, transfer_id: string) =>
    outcomeOf(harness.command(contract.checkReversal, { association_id, transfer_id }));
  /** Takes a transfer back and reverses it. */
  const reverse = async (group: Group, transfer_id: string) => {
    const correction_id = newId();
    await takeBack(group, transfer_id, correction_id);
    await finish(group, correction_id, true);
  };
  const assess = ({ association_id, president }: Group, { member_id }: Person, meeting_id?: string) =>
    harness.as(president.user_id, contract.assessFine, {
      path: { association_id },
      body: { member_id, code: 'phone', reason: 'It rang', ...(meeting_id === undefined ? {} : { meeting_id }) },
    });
  const pay = (by: Person, { association_id, id: fine_id }: Fine, amount: number) =>
    harness.as(by.user_id, contract.payFine, {
      path: { association_id, fine_id },
      body: { wallet_id: by.wallet_id, amount, pin: RIGHT_PIN },
    });
  const read = ({ president }: Group, { association_id, id: fine_id }: Fine) =>
    harness.as(president.user_id, contract.getFine, { path: { association_id, fine_id } });
  const waive = ({ association_id, id: fine_id }: Fine) =>
    harness.command(contract.executeApproval, {
      approval_id: newId(),
      association_id,
      subject_type: 'fine_waiver',
      subject_id: newId(),
      decision: 'approved',
      payload: { fine_id },
    });

  it('make the fine due again, or paid as before if the ledger refuses', async () => {
    const group = await harness.cycle([1, 1], { fines: FINES });
    const { member } = group;
    const fine = await assess(group, member);
    const part = await pay(member, fine, 100);
    const rest = await pay(member, fine, 200);
    expect(await check(group, rest.transfer_id!)).to.equal('done');
    const refused = newId();
    await takeBack(group, rest.transfer_id!, refused);
    expect(await read(group, fine)).to.deep.include({ status: 'due', paid: 100 });
    expect(await outcomeOf(pay(member, fine, 1))).to.equal('fine_exceeded');
    for (let times = 0; times < 2; times += 1) await finish(group, refused, false);
    expect(await read(group, fine)).to.deep.include({ status: 'paid', paid: 300, outstanding: 0 });

    await reverse(group, rest.transfer_id!);
    expect(await read(group, fine)).to.deep.include({ status: 'due', paid: 100, outstanding: 200 });
    await reverse(group, part.transfer_id!);
    expect(await read(group, fine)).to.deep.include({ status: 'due', paid: 0, outstanding: 300 });
    expect((await pay(member, fine, 300)).status).to.equal('paid');
  });

  it('leave a waived fine waived, with less paid', async () => {
    const group = await harness.cycle([1, 1], { fines: FINES });
    const { member } = group;
    const fine = await assess(group, member);
    const part = await pay(member, fine, 100);
    await waive(fine);
    await reverse(group, part.transfer_id!);
    expect(await read(group, fine)).to.deep.include({ status: 'waived', paid: 0, outstanding: 0 });
  });

  it('keep the fine from being waived until the ledger has decided', async () => {
    const group = await harness.cycle([1, 1], { fines: FINES });
    const { member } = group;
    const fine = await assess(group, member);
    const part = await pay(member, fine, 100);
    const correction_id = newId();
    await takeBack(group, part.transfer_id!, correction_id);
    expect(await outcomeOf(waive(fine))).to.equal('service_unavailable');
    await finish(group, correction_id, false);
    await waive(fine);
    expect(await read(group, fine)).to.deep.include({ status: 'waived', paid: 100 });
  });

  it('name the meeting of the fine on a statement, as the payments do', async () => {
    const group = await harness.cycle([1, 1], { fines: FINES });
    const { association_id, member, first } = group;
    const ofMeeting = await assess(group, member, first.id);
    const ofNone = await assess(group, member);
    const paid = [await pay(member, ofMeeting, 100), await pay(member, ofNone, 100)].map((each) => each.transfer_id!);
    const reversals = paid.map(() => newId());
    for (const [index, correction_id] of reversals.entries()) {
      await takeBack(group, paid[index]!, correction_id);
      await finish(group, correction_id, true);
    }
    const transfer_ids = [...paid, ...reversals];
    const asked = { association_id, member_id: member.member_id, transfer_ids };
    const { meetings } = await harness.command(contract.statementFacts, asked);
    expect(meetings.map(({ meeting }) => meeting.id)).to.deep.equal([first.id]);
    expect(meetings[0]!.transfer_ids).to.have.members([paid[0], reversals[0]]);
  });

  it('do not need an open meeting', async () => {
    const group = await harness.cycle([1, 1], { fines: FINES });
    const { president, member, first, pay: payDues } = group;
    const fine = await assess(group, member);
    const paid = await pay(member, fine, 300);
    await payDues(first);
    await harness.settle(president, first);
    await reverse(group, paid.transfer_id!);
    expect((await read(group, fine)).status).to.equal('due');
  });
});
