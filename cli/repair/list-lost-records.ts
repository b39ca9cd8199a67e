/** What contribution has lost and a repair does not store again: attendance, fines and meeting sheets. */
import type { LostEvent, Repair } from './repair.ts';

/** Lists the lost attendance, fines and sheets as undecided. Their events stay out of the outbox. */
export async function listLostRecords(repair: Repair): Promise<void> {
  const { lost, tx } = repair;
  const has = async (table: string, column: string, id: string) =>
    (await tx.contribution.first(`SELECT FROM ${table} WHERE ${column} = $1`, [id])) !== undefined;
  const giveUp = (event: LostEvent, what?: string) => {
    lost.markUndone(event);
    if (what !== undefined) repair.cannot(`${what} is lost`);
  };

  for (const each of lost.ofType('attendance.recorded')) {
    const { data, time } = each.event;
    giveUp(each, `the attendance of meeting ${data.meeting_id} that was recorded at ${time}`);
  }
  for (const each of lost.ofType('fine.assessed')) {
    const { fine_id, code, member_id } = each.event.data;
    if (!(await has('fines', 'id', fine_id))) giveUp(each, `fine ${fine_id} (${code}) of member ${member_id}`);
  }
  for (const each of lost.ofType('fine.waived')) {
    if (!(await has('fines', 'id', each.event.data.fine_id))) giveUp(each);
  }
  for (const each of lost.ofType('sheet.submitted', 'sheet.confirmed', 'sheet.rejected')) {
    const { sheet_id, meeting_id, approval_id } = each.event.data;
    if (await has('sheet_submissions', 'approval_id', approval_id)) continue;
    giveUp(each, `a submission of sheet ${sheet_id} of meeting ${meeting_id}`);
  }
  // The payments themselves are listed by their transfers.
  for (const each of lost.ofType('fine.paid')) {
    const { transfer_id } = each.event.data;
    const isKept =
      (await has('fine_payments', 'id', transfer_id)) || (await has('sheet_submissions', 'id', transfer_id));
    if (!isKept) giveUp(each);
  }
  for (const each of lost.ofType('contribution.paid', 'contribution.failed')) {
    const { contribution_id, method } = each.event.data;
    // Those of cash deposits have been stored again, so this is the line of a sheet.
    if (method === 'cash' && !(await has('contributions', 'id', contribution_id))) giveUp(each);
  }
}
