import type { TestGroup } from './group.ts';
import type { Json } from './http.ts';

/**
 * Reads everything that acts on money change, as clients see it: wallets, balances, meetings, dues, fines, and the sums of
 * statements and overviews. Members and meetings are named by their places, so that the states of two groups can be compared.
 * @param meetings their ids
 */
export async function stateOf({ path, members }: Pick<TestGroup, 'path' | 'members'>, meetings: readonly string[]) {
  const { http } = members[0]!;
  const memberAt = (id: unknown) => members.findIndex(({ member_id }) => member_id === id);
  const meetingAt = (id: unknown) => meetings.indexOf(id as string);
  const listOf = async (where: string) => (await http.ok(`${path}${where}?limit=200`)).data as Json[];

  const [{ pools, ...balances }, fines, ...perMeeting] = await Promise.all([
    http.ok(`${path}/balances`),
    listOf('/fines'),
    ...meetings.map(async (id) => {
      const [{ status, collected_amount }, dues] = await Promise.all([
        http.ok(`${path}/meetings/${id}`),
        listOf(`/meetings/${id}/dues`),
      ]);
      return {
        status,
        collected_amount,
        dues: dues.map(({ member_id, due, paid, outstanding, arrears }) => {
          return { member: memberAt(member_id), due, paid, outstanding, arrears };
        }),
      };
    }),
  ]);
  const perMember = await Promise.all(
    members.map(async (member) => {
      const [wallet, statement, { associations }] = await Promise.all([
        member.http.ok(`/wallets/${member.wallet_id}`),
        member.http.ok(`${path}/statement`),
        member.http.ok('/me/overview'),
      ]);
      const { closing_balance, owes, is_owed, fines_outstanding } = statement;
      const home = (associations as Json[])[0]!;
      return {
        wallet: wallet.balance as number,
        statement: { closing_balance, owes, is_owed, fines_outstanding },
        home: {
          dues: (home.dues as Json[]).map(({ meeting_id, outstanding }) => [meetingAt(meeting_id), outstanding]),
          owes: home.owes,
          is_owed: home.is_owed,
          fines_outstanding: home.fines_outstanding,
        },
      };
    }),
  );
  return {
    balances: balances as { treasury: number; reserved: number; cash: number; available: number },
    pools: (pools as Json[])
      .map(({ meeting_id, amount, cash_amount }) => [meetingAt(meeting_id), amount as number, cash_amount as number])
      .toSorted(([a = 0], [b = 0]) => a - b),
    fines: fines.toReversed().map(({ member_id, code, amount, paid, outstanding, status }) => {
      return { member: memberAt(member_id), code, amount, paid, outstanding, status };
    }),
    meetings: perMeeting,
    members: perMember,
  };
}
