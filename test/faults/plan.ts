/** The plan of a run: its people, their work and the faults. It depends only on the seed. */
import { FURTHER_SERVICES, SERVICES, TABLE_SERVICES, type AnyService } from '../../lib/config/service-names.ts';
import { CONSUMERS } from '../../lib/contracts/events.ts';
import { ABANDONED_AFTER_MS } from '../../lib/node/takeover.ts';
import { NATS_SERVERS, PROCESSES } from './processes.ts';
import { createRandom, type Random } from '../harness/random.ts';

/** An operation of a person. The integers select objects among those that exist when it begins. */
export interface Task {
  kind: TaskKind;
  group: number;
  other: number;
  what: number;
  /** Of the association's contribution amount; zero and too much are refused. */
  percent: number;
  flag: boolean;
  /** With an `Idempotency-Key`, and repeated until the answer is definite. */
  isKeyed: boolean;
  pause_ms: number;
}

export interface PlannedAssociation {
  type: 'tontine' | 'savings' | 'solidarity';
  currency: 'XAF' | 'EUR';
  contribution_amount: number;
  rules: {
    shortfall: 'block' | 'pay_collected';
    approvals: Record<string, number>;
    fines: { code: string; trigger: 'manual' | 'absence'; amount: number }[];
  };
  /** Indexes of people: president, treasurer, secretary, members. */
  people: number[];
}

export interface PlannedFault {
  kind: FaultKind;
  /** From the beginning of the work. */
  at_ms: number;
  lasts_ms: number;
  /** Index of a process or NATS server; unused by faults of PostgreSQL. */
  target: number;
  /** Selects among the variants of a fault. */
  detail: number;
}

export interface Plan {
  seed: number;
  people: number;
  associations: PlannedAssociation[];
  /** For each person, in order; the last is followed by the first. */
  tasks: Task[][];
  faults: PlannedFault[];
  /** How long the people work. */
  work_ms: number;
}

/** How often each kind of work is chosen. */
const WORK = {
  contribute: 14,
  deposit: 3,
  withdraw: 3,
  scheduleMeeting: 5,
  changeMeeting: 1,
  settle: 8,
  cancelMeeting: 1,
  startCycle: 2,
  recordCash: 4,
  recordAttendance: 3,
  assessFine: 5,
  payFine: 4,
  writeSheet: 5,
  correct: 5,
  distribute: 3,
  vote: 13,
  cancelApproval: 1,
  propose: 3,
  invite: 1,
  join: 2,
  leave: 3,
  changeOwnMembership: 1,
  changePin: 1,
  wrongPin: 1,
  usedPin: 2,
  oustOfficer: 2,
  foundAssociation: 1,
  read: 8,
  statement: 2,
} as const;
export type TaskKind = keyof typeof WORK;

/** What a fault affects: of each, one at a time. A second loss of a NATS server would end its majority. */
export type Domain = 'process' | 'nats' | 'postgres';

interface KindOfFault {
  domain: Domain;
  /** How often it is chosen. */
  weight: number;
  /** Whose processes it can affect, the more often the more often a service is listed; those of all services if absent. */
  services?: readonly AnyService[];
  /** If the usual times are too short. */
  lasts_ms?: readonly [least: number, most: number];
}

/** The service of each consumer, whose name begins with it. */
const SUBSCRIBERS: readonly AnyService[] = [
  ...Object.keys(CONSUMERS).flatMap((name) => SERVICES.filter((service) => name.startsWith(`${service}-`))),
  ...FURTHER_SERVICES,
];

/** The services with fault points of their own. */
const WITH_STEPS = [...TABLE_SERVICES, ...FURTHER_SERVICES];

/** The services that call others. */
const CALLERS: readonly AnyService[] = ['contribution', 'treasury', 'governance'];

/** Long enough for another process to take over and finish the work, so that a process that continues comes second. */
const PAST_TAKEOVER_MS = [ABANDONED_AFTER_MS + 1_000, ABANDONED_AFTER_MS + 2_000] as const;

/** Longer than services wait for each other's answers (5 s). */
const PAST_TIMEOUTS_MS = [5_200, 6_500] as const;

/** For what seldom occurs: events with subscribers are few, and of two processes only one publishes. */
const LONG_MS = [3_000, 4_500] as const;

export const FAULT_KINDS = {
  kill: { domain: 'process', weight: 3 },
  kill_at_step: { domain: 'process', weight: 6, services: WITH_STEPS },
  kill_before_commit: { domain: 'process', weight: 3, services: TABLE_SERVICES },
  kill_after_commit: { domain: 'process', weight: 4, services: TABLE_SERVICES },
  lose_commit_answer: { domain: 'process', weight: 4, services: TABLE_SERVICES },
  kill_before_answer: { domain: 'process', weight: 4, services: TABLE_SERVICES },
  kill_before_publish: { domain: 'process', weight: 3, services: TABLE_SERVICES, lasts_ms: LONG_MS },
  kill_before_mark: { domain: 'process', weight: 2, services: TABLE_SERVICES, lasts_ms: LONG_MS },
  lose_publish_ack: { domain: 'process', weight: 2, services: TABLE_SERVICES, lasts_ms: LONG_MS },
  kill_at_ack: { domain: 'process', weight: 9, services: SUBSCRIBERS, lasts_ms: LONG_MS },
  freeze: { domain: 'process', weight: 4 },
  freeze_at_request: { domain: 'process', weight: 4, services: CALLERS, lasts_ms: PAST_TAKEOVER_MS },
  skew_clock: { domain: 'process', weight: 3 },
  cut_link: { domain: 'process', weight: 2 },
  hang_link: { domain: 'process', weight: 3 },
  slow_link: { domain: 'process', weight: 2 },
  hold_requests: { domain: 'process', weight: 2 },
  hold_answers: { domain: 'process', weight: 3 },
  repeat_messages: { domain: 'process', weight: 3 },
  delay_messages: { domain: 'process', weight: 3, lasts_ms: PAST_TIMEOUTS_MS },
  kill_nats: { domain: 'nats', weight: 2 },
  freeze_nats: { domain: 'nats', weight: 1 },
  kill_stream_leader: { domain: 'nats', weight: 2 },
  lose_nats_store: { domain: 'nats', weight: 2 },
  delete_stream: { domain: 'nats', weight: 2 },
  kill_postgres: { domain: 'postgres', weight: 2 },
  freeze_postgres: { domain: 'postgres', weight: 1 },
  read_only: { domain: 'postgres', weight: 2 },
  full_disk: { domain: 'postgres', weight: 2 },
  no_connections: { domain: 'postgres', weight: 2 },
  slow_dues: { domain: 'postgres', weight: 6, lasts_ms: LONG_MS },
} as const satisfies Record<string, KindOfFault>;
export type FaultKind = keyof typeof FAULT_KINDS;

/** Small, so that many members can pay them: fines block leaving. */
const FINES: PlannedAssociation['rules']['fines'] = [
  { code: 'phone', trigger: 'manual', amount: 30 },
  { code: 'absence', trigger: 'absence', amount: 20 },
];

/** More than a person does in a run. */
const TASKS = 100;
const PAUSE_MAX_MS = 150;
/** Every second write has no key: its outcome may stay unknown to the client, and a repeat within the services would do it twice. */
const UNKEYED_ONE_IN = 2;

export interface Lengths {
  work_ms: number;
  fault_max_ms: number;
}

/** Enough time for several faults, one of them longer than the lease of a relay. */
export const USUAL: Lengths = { work_ms: 6_000, fault_max_ms: 4_500 };

export function makePlan(seed: number, lengths: Lengths = USUAL): Plan {
  const random = createRandom(seed);
  const people = random.between(3, 12);
  const associations = Array.from({ length: random.between(2, 3) }, () => association(random, people));
  const tasks = Array.from({ length: people }, () => {
    const own = random.fork();
    return Array.from({ length: TASKS }, () => task(own));
  });
  return { seed, people, associations, tasks, faults: faultsOf(random.fork(), lengths), work_ms: lengths.work_ms };
}

function association(random: Random, people: number): PlannedAssociation {
  const order = Array.from({ length: people }, (_, index) => index);
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1);
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  return {
    type: random.pick(['tontine', 'tontine', 'savings', 'solidarity']),
    currency: random.pick(['XAF', 'EUR']),
    contribution_amount: random.pick([100, 1_000, 1_001]),
    rules: {
      shortfall: random.pick(['block', 'pay_collected', 'pay_collected']),
      approvals: {
        cash_deposit: 1,
        distribution: random.between(1, 2),
        rules_change: 1,
        role_change: 1,
        expulsion: 1,
        motion: 2,
        meeting_sheet: 1,
        correction: 1,
        fine_waiver: 1,
      },
      fines: FINES,
    },
    people: order.slice(0, random.between(3, people)),
  };
}

function task(random: Random): Task {
  return {
    kind: weighted(random, WORK),
    group: random.below(1_000),
    other: random.below(1_000),
    what: random.below(1_000),
    percent: random.pick([100, 100, 100, 50, 33, 200, 1_000, 0]),
    flag: random.oneIn(2),
    isKeyed: !random.oneIn(UNKEYED_ONE_IN),
    pause_ms: random.below(PAUSE_MAX_MS),
  };
}

function faultsOf(random: Random, { work_ms, fault_max_ms }: Lengths): PlannedFault[] {
  const weights = Object.fromEntries(Object.entries(FAULT_KINDS).map(([kind, { weight }]) => [kind, weight]));
  const faults: PlannedFault[] = [];
  const free_ms = new Map<string, number>();
  for (let left = random.between(3, 6); left > 0; left -= 1) {
    const kind = weighted(random, weights) as FaultKind;
    const { domain, services, lasts_ms: [least_ms, most_ms] = [200, fault_max_ms] }: KindOfFault = FAULT_KINDS[kind];
    const target = domain === 'process' ? targetAmong(random, services) : random.below(NATS_SERVERS);
    const place = placeOf({ kind, target });
    const at_ms = Math.max(random.below(work_ms), free_ms.get(place) ?? 0);
    const lasts_ms = random.between(least_ms, most_ms);
    const detail = random.below(1_000);
    if (at_ms > work_ms) continue;
    free_ms.set(place, at_ms + lasts_ms + 1);
    faults.push({ kind, at_ms, lasts_ms, target, detail });
  }
  return sameDirection(faults.sort((one, other) => one.at_ms - other.at_ms));
}

/** Selects a process: the index of one of all, or of one of the services. */
function targetAmong(random: Random, services?: readonly AnyService[]): number {
  if (services === undefined) return random.below(PROCESSES.length);
  const service = random.pick(services);
  return random.pick(PROCESSES.flatMap((process, index) => (process.service === service ? [index] : [])));
}

/** Clocks may be an hour apart (check-caller.ts), so all that are wrong in a run are wrong in the same direction. */
function sameDirection(faults: PlannedFault[]): PlannedFault[] {
  const first = faults.find(({ kind }) => kind === 'skew_clock');
  return faults.map((fault) => (fault.kind === 'skew_clock' ? { ...fault, detail: first!.detail } : fault));
}

/** What a fault affects: one process, the NATS servers, or PostgreSQL. */
export function placeOf({ kind, target }: Pick<PlannedFault, 'kind' | 'target'>): string {
  const { domain } = FAULT_KINDS[kind];
  return domain === 'process' ? `process ${String(target)}` : domain;
}

function weighted<K extends string>(random: Random, weights: Record<K, number>): K {
  const entries = Object.entries(weights) as [K, number][];
  let left = random.below(entries.reduce((sum, [, weight]) => sum + weight, 0));
  for (const [kind, weight] of entries) {
    if (left < weight) return kind;
    left -= weight;
  }
  throw new Error('The weights are empty');
}

/** Describes a plan, one line for each association and fault. */
export function wordsOf({ seed, people, associations, faults, work_ms }: Plan): string[] {
  return [
    `seed ${String(seed)}: ${String(people)} people work for ${String(work_ms)} ms`,
    ...associations.map(
      ({ type, currency, people: members, rules }) =>
        `  a ${type} of ${String(members.length)} in ${currency}, shortfall ${rules.shortfall}; officers are ${members
          .slice(0, 3)
          .join(', ')}`,
    ),
    ...faults.map(wordsOfFault),
  ];
}

export function wordsOfFault({ kind, at_ms, lasts_ms, target, detail }: PlannedFault): string {
  const { domain } = FAULT_KINDS[kind];
  const where = { process: PROCESSES[target]?.name ?? '', nats: `NATS ${String(target + 1)}`, postgres: '' }[domain];
  return `  at ${String(at_ms)} ms for ${String(lasts_ms)} ms: ${kind} ${where} (variant ${String(detail)})`;
}
