import { HttpClient } from '../../harness/http.ts';
import { inDatabase, type Deployment } from '../../harness/cluster.ts';
import { foundGroup } from '../../harness/group.ts';
import { SELDOM } from '../../e2e/conformance/webhooks.ts';
import { caseOf, type FuzzCase, type Targets } from './cases.ts';
import { sendRaw, type RawAnswer } from './raw-client.ts';

/** More than the threads of the server can work on at the same time. */
const IN_FLIGHT = 16;

/** The largest refusal names a few hundred wrong fields. */
const ANSWER_MAX_BYTES = 256 * 1_024;

export interface FuzzResult {
  requests: number;
  /** How often each status was answered. */
  statuses: Record<string, number>;
  /** What is wrong, each with the seed that repeats it. */
  faults: string[];
}

/** Creates the objects that the requests name. */
export async function makeTargets(deployment: Deployment): Promise<Targets> {
  const group = await foundGroup(deployment, { size: 3, funding: 5_000, roles: ['president', 'treasurer'] });
  const [president] = group.members;
  const { http } = president!;
  const nextYear = `${String(new Date().getUTCFullYear() + 1)}-01-01`;
  const cycle = await http.created(`${group.path}/cycles`, { starts_on: nextYear, order: 'join' });
  const { data } = await http.ok(`${group.path}/meetings`);
  const meeting_id = (data as { id: string }[])[0]!.id;
  const { id: webhook_id } = await http.created(`${group.path}/webhooks`, SELDOM);
  // Strangers may see public associations and join them.
  await inDatabase(deployment, 'membership', (client) => client.query('UPDATE associations SET is_public = false'));
  const ids = {
    meeting_id,
    association_id: group.id,
    cycle_id: String(cycle.id),
    webhook_id: String(webhook_id),
  };
  const { member_id, wallet_id } = president!;
  return {
    tokens: ['stranger-1', 'stranger-2'].map((user) => deployment.token(user)),
    member_token: http.token,
    ids: { ...ids, member_id, wallet_id },
    isRefused: true,
  };
}

/** The same objects, of which the caller is the president. */
export function ofMember(targets: Targets): Targets {
  return { ...targets, tokens: [targets.member_token], isRefused: false };
}

/** Sends the requests of the seeds from `seed` to `seed + requests - 1`, and checks each answer. */
export async function fuzz(
  deployment: Deployment,
  targets: Targets,
  seed: number,
  requests: number,
): Promise<FuzzResult> {
  const port = Number(new URL(deployment.origin).port);
  const statuses: Record<string, number> = {};
  const faults: string[] = [];
  let next = seed;
  const work = async (): Promise<void> => {
    while (next < seed + requests) {
      const fuzzCase = caseOf(next++, targets);
      const complaint = await judge(port, fuzzCase, statuses, targets.isRefused).catch(
        (error: unknown) => (error as Error).message,
      );
      if (complaint !== undefined) faults.push(`seed ${String(fuzzCase.seed)} (${fuzzCase.kind}): ${complaint}`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  return { requests, statuses, faults };
}

async function judge(
  port: number,
  { bytes, endsEarly, answers: expected }: FuzzCase,
  statuses: Record<string, number>,
  isRefused: boolean,
): Promise<string | undefined> {
  const answers = await sendRaw(port, bytes, endsEarly);
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
  const judged = answers.filter(({ status }) => isRefused || status < 200 || status > 399);
  const complaints = judged.map((answer) => complaintAbout(answer)).filter((each) => each !== undefined);
  if (complaints.length > 0) return complaints.join('; ');
  if (expected !== undefined && answers.length !== expected) return `${String(answers.length)} answers`;
  return answers.length === 0 && !endsEarly ? 'no answer' : undefined;
}

/** Returns what is wrong with an answer to a bad request. */
function complaintAbout({ status, headers, body }: RawAnswer): string | undefined {
  if (status < 400 || status > 499) return `status ${String(status)}: ${body.slice(0, 400)}`;
  if (headers['content-type'] !== 'application/problem+json') return `type ${String(headers['content-type'])}`;
  if (body.length > ANSWER_MAX_BYTES) return `${String(body.length)} bytes`;
  const problem = JSON.parse(body) as Record<string, unknown>;
  if (problem.status !== status || typeof problem.code !== 'string') return `not a problem: ${body.slice(0, 200)}`;
  return problem.request_id === headers['x-request-id'] ? undefined : 'another request_id';
}

/** Whether a client of another user is still served. @throws Error if not */
export async function expectServed(deployment: Deployment): Promise<void> {
  await new HttpClient(deployment.origin, deployment.token('served')).ok('/associations/my');
}
