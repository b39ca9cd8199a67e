import type { EndpointInput } from '../../../lib/contracts/action.ts';
import type { startCycle } from '../../../lib/contracts/contribution.ts';
import { invalid } from '../../../lib/errors/problem.ts';
import type { FieldComplaint } from '../../../lib/errors/problem.ts';

type Body = EndpointInput<typeof startCycle>['body'];
type Member = 'order' | 'member_order' | 'rounds';

/**
 * What the request alone decides: `manual` needs an order of members, the other orders take none.
 * @throws validation_failed
 */
export function checkOrder({ order, member_order }: Body): void {
  if (order === 'manual' && member_order === undefined) {
    throw invalid(required('member_order', 'The order `manual` needs member_order.'));
  }
  if (order !== undefined && order !== 'manual' && member_order !== undefined) {
    throw invalid(notAllowed('member_order', 'Only the order `manual` takes this.'));
  }
}

/**
 * What the association's type decides: a tontine needs an order, from whose hands its rounds follow; savings need
 * rounds and have no order.
 * @throws validation_failed with every complaint
 */
export function checkOrderOfType(type: 'tontine' | 'savings', body: Body): void {
  const complaints = type === 'tontine' ? complaintsOfTontine(body) : complaintsOfSavings(body);
  if (complaints.length > 0) throw invalid(...complaints);
}

function complaintsOfTontine({ order, rounds }: Body): FieldComplaint[] {
  return [
    ...(order === undefined ? [required('order', 'A tontine needs an order of its hands.')] : []),
    ...(rounds === undefined ? [] : [notAllowed('rounds', 'The rounds of a tontine follow from its hands.')]),
  ];
}

function complaintsOfSavings({ order, member_order, rounds }: Body): FieldComplaint[] {
  return [
    ...(order === undefined ? [] : [notAllowed('order', 'Savings have no turns to put in order.')]),
    ...(member_order === undefined ? [] : [notAllowed('member_order', 'Savings have no turns to put in order.')]),
    ...(rounds === undefined ? [required('rounds', 'A cycle of savings needs its number of rounds.')] : []),
  ];
}

function required(member: Member, detail: string): FieldComplaint {
  return { pointer: `/${member}`, code: 'required', detail };
}

function notAllowed(member: Member, detail: string): FieldComplaint {
  return { pointer: `/${member}`, code: 'not_allowed', detail };
}
