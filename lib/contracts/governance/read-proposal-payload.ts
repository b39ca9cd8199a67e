/** The validation of proposals: governance stores payloads, membership executes them. */
import { invalid } from '../../errors/problem.ts';
import { complaintsAbout } from '../../schema/complaints.ts';
import { ruleOf } from '../../schema/rules.ts';
import { contractValidator } from '../../schema/validator.ts';
import type { ProposalType } from '../approvals.ts';
import { PROPOSAL_PAYLOADS, type ProposalPayloads } from './proposal-payloads.ts';

const validator = contractValidator();
const checks = new Map<ProposalType, ReturnType<typeof validator.compile>>();

/** Returns the compiled check of a payload. It is compiled at the first use, since only two services need it. */
function checkOf(type: ProposalType) {
  const check = checks.get(type) ?? validator.compile({ $$root: true, ...(ruleOf(PROPOSAL_PAYLOADS[type]) as object) });
  checks.set(type, check);
  return check;
}

/**
 * Validates the payload of a proposal, and returns it in the form in which it is stored and hashed.
 * @throws validation_failed with pointers below `/payload`
 */
export function readProposalPayload<T extends ProposalType>(
  type: T,
  payload: Record<string, unknown>,
): ProposalPayloads[T] {
  const read = structuredClone(payload);
  const findings: unknown = checkOf(type)(read);
  if (Array.isArray(findings)) throw invalid(...complaintsAbout(findings, read, '/payload'));
  // The validator leaves `undefined` for absent optional members, which JSON cannot represent.
  return JSON.parse(JSON.stringify(read)) as ProposalPayloads[T];
}
