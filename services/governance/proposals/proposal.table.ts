import type { ProposalType } from '../../../lib/contracts/approvals.ts';
import { instant, json, key, table, text, uuid, type RowOf } from '../../../lib/db/table.ts';

export const proposals = table('proposals', {
  id: key(uuid()),
  association_id: uuid(),
  type: text<ProposalType>(),
  title: text(),
  payload: json<Record<string, unknown>>(),
  approval_id: uuid(),
  created_at: instant(),
});
export type ProposalRow = RowOf<typeof proposals>;
