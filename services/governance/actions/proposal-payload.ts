import { PROPOSAL_PAYLOADS } from '../../../lib/contracts/governance.ts';
import type { Values } from '../../../lib/schema/fields.ts';
import { invalid } from '../../../lib/errors/problem.ts';
import { complaintsAbout } from '../../../lib/schema/complaints.ts';
import { rulesOf } from '../../../lib/schema/rules.ts';
import { contractValidator } from '../../../lib/schema/validator.ts';

type ProposalType = keyof typeof PROPOSAL_PAYLOADS;
type Payload<T extends ProposalType> = Values<(typeof PROPOSAL_PAYLOADS)[T]>;

const validator = contractValidator();
const CHECKS = Object.fromEntries(
  Object.entries(PROPOSAL_PAYLOADS).map(([type, fields]) => [
    type,
    validator.compile({ $$strict: true, ...rulesOf(fields) }),
  ]),
);

/**
 * Checks what a proposal of this type carries, and gives it in its normal form.
 * @throws validation_failed with pointers below `/payload`
 */
export function readPayload<T extends ProposalType>(type: T, payload: Record<string, unknown>): Payload<T> {
  const read = structuredClone(payload);
  const result: unknown = CHECKS[type]?.(read);
  if (Array.isArray(result)) throw invalid(...complaintsAbout(result, read, '/payload'));
  return read as Payload<T>;
}
