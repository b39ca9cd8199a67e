import type { Answer } from '@association-service/contracts';
import { toMajor } from '@association-service/contracts/service';
import type { listSent } from '../contracts.ts';
import type { DoneMessage } from './messages.store.ts';

/** Returns a message as its person sees it. */
export function sentView(message: DoneMessage): Answer<typeof listSent>['data'][number] {
  const { message_id, type, association_id, channel, status, reason, facts, currency } = message;
  const hasAmount = facts.amount_minor !== undefined && currency !== null;
  return {
    id: message_id,
    type,
    association_id,
    channel,
    status,
    reason,
    occasion: {
      meeting_id: facts.meeting_id ?? null,
      due_on: facts.due_on ?? null,
      amount: hasAmount ? toMajor(BigInt(facts.amount_minor ?? 0), currency) : null,
      currency: hasAmount ? currency : null,
      distribution_id: facts.distribution_id ?? null,
      approval_id: facts.approval_id ?? null,
    },
    subject: message.subject,
    text: message.body,
    created_at: message.created_at.toISOString(),
    sent_at: message.sent_at?.toISOString() ?? null,
  };
}
