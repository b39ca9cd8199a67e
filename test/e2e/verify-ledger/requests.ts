import { one, type TamperingCase } from './money.ts';

const ID = '[0-9a-f-]{36}';

/** Changes of what the treasury keeps of cash, distributions and corrections, and of what services say of one another. */
export const TAMPERINGS_OF_REQUESTS: TamperingCase[] = [
  [
    'savings',
    'savings that no settlement has made',
    { service: 'treasury', table: 'accounts', where: 'savings = 6000', set: 'savings = 5000' },
    /leave savings of 6000 and 0 in cash, and its treasury has 5000 and 0/,
  ],
  [
    'cash',
    'a confirmed deposit without a transfer',
    { service: 'treasury', table: 'transfers', where: `kind = 'cash_deposit'` },
    /cash deposit .* of 2000 XAF .* is confirmed, but the treasury has no transfer cash_deposit/,
  ],
  [
    'cash for meetings',
    'confirmed cash whose contribution is not paid',
    {
      service: 'contribution',
      table: 'contributions',
      where: one('contributions', `method = 'cash' AND status = 'paid'`),
      set: `status = 'pending', decided_at = NULL`,
    },
    /cash deposit .* is confirmed for meeting .*, but its contribution is pending/,
  ],
  [
    'distributions',
    'a paid distribution without its payment',
    { service: 'treasury', table: 'transfers', where: `kind = 'distribution_payment'` },
    /distribution .* of 1500 XAF .* is paid, but the treasury has no transfer distribution_payment/,
  ],
  [
    'corrections',
    'a correction that is done without its reversal',
    { service: 'treasury', table: 'transfers', where: one('transfers', `kind = 'reversal'`) },
    /correction .* of transfer .* is done, but the treasury has no transfer reversal/,
  ],
  [
    'corrections',
    'a reversal whose correction is not done',
    {
      service: 'treasury',
      table: 'corrections',
      where: one('corrections', `status = 'done'`),
      set: `status = 'failed'`,
    },
    /correction .* of transfer .* is failed, but the treasury has the transfer reversal/,
  ],
  [
    'owners',
    'a reversal without its correction',
    { service: 'treasury', table: 'corrections', where: one('corrections', `status = 'done'`) },
    /\(reversal\) of association .* was posted, but treasury has no correction for it/,
  ],
  [
    'reversed cash and distributions',
    'a reversed deposit that still counts',
    { service: 'treasury', table: 'cash_deposits', where: `status = 'reversed'`, set: `status = 'confirmed'` },
    /correction .* is done, but the cash deposit of transfer .* is confirmed/,
  ],
  [
    'reversed cash and distributions',
    'a distribution that no correction has reversed',
    {
      service: 'treasury',
      table: 'distributions',
      where: one('distributions', `status = 'paid'`),
      set: `status = 'reversed'`,
    },
    /the distribution of transfer .* is reversed, but has no correction/,
  ],
  [
    'reversals',
    'a correction whose contribution was not taken back',
    { service: 'contribution', table: 'reversals', where: `status = 'reversed'` },
    /correction .* is done, but its reversal in contribution is absent/,
  ],
  [
    'reversed payments',
    'a contribution that counts although it is reversed',
    { service: 'contribution', table: 'contributions', where: `status = 'reversed'`, set: `status = 'paid'` },
    /the contribution .* is paid, and by its reversal it is reversed/,
  ],
  [
    'reversed payments',
    'a sheet that counts although it is reversed',
    { service: 'contribution', table: 'sheet_submissions', where: `status = 'reversed'`, set: `status = 'confirmed'` },
    /the submission of a sheet .* is confirmed, and by its reversal it is reversed/,
  ],
  [
    'dues',
    'a reversed contribution that the due still counts',
    {
      service: 'contribution',
      table: 'dues',
      where: `(meeting_id, member_id) = (SELECT meeting_id, member_id FROM contributions
                WHERE status = 'reversed' AND method = 'wallet')`,
      set: 'paid_minor = paid_minor + 50, taken_minor = taken_minor + 50',
    },
    /the due of member .* says paid 110 and taken 110, and its contributions sum to 60 and 60/,
  ],
  [
    'approvals',
    'an approval whose distribution is missing',
    { service: 'treasury', table: 'distributions', where: `status = 'pending_approval'` },
    /approval .* of distribution .* is pending, but the treasury has no such request/,
  ],
  [
    'approvals',
    'an approval that was decided in another way',
    {
      service: 'governance',
      table: 'approvals',
      where: `subject_type = 'distribution' AND status = 'rejected'`,
      set: `status = 'approved', execution_status = 'done'`,
    },
    /is approved with execution done, but it is rejected in the treasury/,
  ],
  [
    'requests',
    'a request without its approval',
    { service: 'governance', table: 'approvals', where: `subject_type = 'cash_deposit' AND status = 'pending'` },
    /cash_deposit .* is pending_approval, but governance has no approval/,
  ],
  [
    'sheet approvals',
    'an approval whose sheet was not confirmed',
    {
      service: 'governance',
      table: 'approvals',
      where: `subject_type = 'meeting_sheet' AND status = 'rejected'`,
      set: `status = 'approved', execution_status = 'done'`,
    },
    /approval .* of meeting_sheet .* is approved with execution done, but its submission is rejected/,
  ],
  [
    'submissions',
    'a submitted sheet without its approval',
    { service: 'governance', table: 'approvals', where: `subject_type = 'meeting_sheet' AND status = 'rejected'` },
    /the submission of sheet .* is rejected, but governance has no approval/,
  ],
  [
    'waivers',
    'an approved waiver whose fine is not waived',
    {
      service: 'contribution',
      table: 'fines',
      where: `status = 'waived'`,
      set: `status = 'due', waived_by_approval_id = NULL`,
    },
    /approval .* of fine_waiver .* is approved with execution done, but fine .* is due/,
  ],
  [
    'waivers',
    'a waived fine whose waiver was rejected',
    {
      service: 'governance',
      table: 'approvals',
      where: `subject_type = 'fine_waiver' AND status = 'approved'`,
      set: `status = 'rejected', execution_status = 'none'`,
    },
    /approval .* of fine_waiver .* is rejected with execution none, but fine .* is waived by it/,
  ],
  [
    'waived fines',
    'a waived fine without its approval',
    { service: 'governance', table: 'approvals', where: `subject_type = 'fine_waiver'` },
    /fine .* is waived by approval .*, which governance does not have/,
  ],
  [
    'executions',
    'a proposal that membership has not executed',
    { service: 'membership', table: 'executed_approvals', where: one('executed_approvals', 'true', 'approval_id') },
    /is approved with execution done, but membership has not executed it/,
  ],
  [
    'proposals',
    'an execution without its approval',
    { service: 'governance', table: 'approvals', where: `subject_type = 'rules_change'` },
    new RegExp(`membership has executed approval ${ID} \\(done\\), but governance does not have it`),
  ],
  [
    'cycles',
    'a running cycle whose members are not bound',
    { service: 'membership', table: 'cycle_bindings', where: 'released_at IS NULL' },
    /cycle .* is running, but membership has not bound its members/,
  ],
  [
    'cycles',
    'a cycle with other hands',
    {
      service: 'contribution',
      table: 'cycle_members',
      where: `cycle_id = (SELECT id FROM cycles WHERE status = 'running')`,
      set: 'hands = hands + 1',
    },
    /is running with 3 members with 6 hands, but membership has bound 3 members with 3 hands/,
  ],
  [
    'bindings',
    'bound members without their cycle',
    { service: 'contribution', table: 'cycles', where: `status = 'running'` },
    /membership has bound the members .* to cycle .*, which contribution does not have/,
  ],
  [
    'members',
    'dues of an unknown member',
    { service: 'membership', table: 'members', where: one('members', 'true') },
    /member .* has dues, but membership does not have this member/,
  ],
  [
    'wallets',
    'a member whose wallet is missing',
    { service: 'treasury', table: 'wallets', where: one('wallets', 'true') },
    /member .* has the payout wallet .*, which the treasury does not have/,
  ],
  [
    'stream',
    'an event of the stream that its outbox does not have',
    { service: 'contribution', table: 'outbox', where: `position = (SELECT max(position) FROM outbox)` },
    /the stream has event .* of contribution of .*, which its outbox does not have/,
  ],
  [
    'stream',
    'an event that the stream does not have',
    { service: 'governance', table: 'outbox', where: 'position = 3', set: `event_id = gen_random_uuid()` },
    /event .* of governance \(position 3\) is not in the stream/,
  ],
  [
    'inboxes',
    'a handled event that the inbox does not have',
    { service: 'membership', table: 'inbox', where: `consumer = 'membership-cycle-completed'` },
    /membership: the subscription membership-cycle-completed has acknowledged event/,
  ],
];
