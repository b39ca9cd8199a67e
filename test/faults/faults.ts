/** How each fault is made and ended. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isTableService, type AnyService, type TableService } from '../../lib/config/service-names.ts';
import * as contribution from '../../lib/contracts/contribution.ts';
import { STREAM } from '../../lib/contracts/events.ts';
import * as governance from '../../lib/contracts/governance.ts';
import * as membership from '../../lib/contracts/membership.ts';
import * as treasury from '../../lib/contracts/treasury.ts';
import { openBus } from '../../lib/events/stream.ts';
import { announcedSteps, furtherSteps } from '../chaos/announced-steps.ts';
import type { TestNats } from '../harness/nats.ts';
import type { Direction, Intercept, ProxiedConnection, TcpProxy } from '../harness/tcp-proxy.ts';
import { againIfNatsFails } from './again-if-nats-fails.ts';
import { fillDisk, makeReadOnly, refuseConnections, slowDues } from './database-faults.ts';
import { leaderOf, untilHealthy } from './nats-health.ts';
import type { InterceptMessage } from './nats-messages.ts';
import type { FaultKind, PlannedFault } from './plan.ts';
import type { ServiceProcess, Site } from './site.ts';

/** Returns false if the statement, message or step that the fault waits for did not occur. */
type End = () => Promise<boolean | void>;
/** What a fault can use: the site, and its target. */
interface Place extends PlannedFault {
  site: Site;
  process: ServiceProcess;
  server: TestNats;
}
type Begin = (place: Place) => Promise<End>;

const SKEW_MS = 60 * 60_000;
/** Long enough for the server to commit or store what it has got. */
const LOST_ANSWER_MS = 50;
const SLOW_MS = [20, 100, 400, 1_500];
/** A fault at a statement happens at one of its first occurrences. */
const OCCURRENCES_MAX = 4;

/**
 * Texts in the statements with which a service commits: transactions, and statements that are transactions of their own. The
 * ledger's is chosen twice as often as others, as all money moves with it.
 */
const COMMITS: Record<TableService, string[]> = {
  membership: ['COMMIT', 'idempotency.claim', 'membership.use_of_uncounted_pins'],
  contribution: ['COMMIT', 'idempotency.claim', 'contribution.take_due', 'contribution.mark_all_paid'],
  treasury: ['ledger.write', 'COMMIT', 'ledger.write', 'idempotency.claim'],
  governance: ['COMMIT', 'idempotency.claim'],
};

/** Whose database a fault affects. The treasury's is chosen twice as often as others, as all money moves with it. */
const DATABASES: readonly TableService[] = ['membership', 'contribution', 'treasury', 'treasury', 'governance'];

/** Calls that follow a stored plan: while the process that made one is frozen, another one repeats it. */
const AFTER_PLAN = [
  treasury.transfer,
  treasury.executeApproval,
  membership.executeApproval,
  contribution.takeCash,
  contribution.decideCash,
  governance.requestApproval,
].map(({ name }) => `"${name}"`);
/** How long a fault waits for such a call before it takes any: the rest of its time is longer than a takeover takes. */
const AFTER_PLAN_MS = 800;

function kill(target: ServiceProcess): void {
  target.isKilled = true;
  target.started?.child.kill('SIGKILL');
}

function stop({ process }: Place): void {
  process.started?.child.kill('SIGSTOP');
}

function resume({ process }: Place): void {
  process.started?.child.kill('SIGCONT');
}

/** Starts the process again if it has died. */
function revive({ site, process }: Place): () => Promise<void> {
  return async () => {
    if (process.isKilled) await process.started?.ended;
    if (process.started?.hasEnded() !== false) await site.start(process);
  };
}

/** Kills the process at the beginning, and starts another at the end. */
const killProcess: Begin = async (place) => {
  kill(place.process);
  await place.process.started?.ended;
  return revive(place);
};

/**
 * Waits for the chosen one of several steps or texts for half of the fault's time, and then for any of them: most occur too
 * seldom to be met in the whole time.
 * @returns a function that ends it
 */
function awaitChosen(all: readonly string[], { detail, lasts_ms }: Place, use: (some: readonly string[]) => void) {
  const chosen = detail % all.length;
  use(all.slice(chosen, chosen + 1));
  const widening = setTimeout(use, lasts_ms / 2, all);
  return () => clearTimeout(widening);
}

/** Kills the process when it reaches one of the fault points that its service announces. */
const killAtStep: Begin = (place) => {
  const { process } = place;
  const own = [...announcedSteps(), ...furtherSteps()].filter((step) => isReachedBy(step, process.service));
  const send = (diesAt: readonly string[]) => {
    // The process may end at any time, and does so at a step.
    if (process.started?.child.connected === true) process.started.child.send({ diesAt }, () => undefined);
  };
  const end = awaitChosen(own, place, send);
  return Promise.resolve(async () => {
    end();
    send([]);
    // The signal of a step that was just reached may be on its way.
    await sleep(LOST_ANSWER_MS);
    const isReached = process.started?.child.signalCode === 'SIGKILL';
    await revive(place)();
    return isReached;
  });
};

function isReachedBy(step: string, service: AnyService): boolean {
  return step.startsWith(`${service}.`) || step.startsWith('idempotency.');
}

/** Does something once when the process sends one of its commits to PostgreSQL. */
function atCommit(act: (place: Place, bytes: Buffer, connection: ProxiedConnection) => void): Begin {
  return (place) => {
    const { service } = place.process;
    return atStatement(place, isTableService(service) ? COMMITS[service] : [], act);
  };
}

function atStatement(
  place: Place,
  texts: readonly string[],
  act: (place: Place, bytes: Buffer, connection: ProxiedConnection) => void,
): Promise<End> {
  const { postgres } = place.process;
  let left = 1 + (place.detail % OCCURRENCES_MAX);
  let awaited = texts;
  const end = awaitChosen(texts, place, (some) => (awaited = some));
  const intercept: Intercept = (bytes, connection) => {
    if (left > 0 && awaited.some((text) => bytes.includes(text))) left -= 1;
    else return connection.pass(bytes);
    if (left > 0) connection.pass(bytes);
    else act(place, bytes, connection);
  };
  postgres?.intercept(intercept);
  return Promise.resolve(async () => {
    end();
    postgres?.intercept(undefined);
    await revive(place)();
    return left === 0;
  });
}

/** Does something once when the process publishes a message on a subject that begins so. */
function atMessage(prefix: string, act: (place: Place, bytes: Buffer, connection: ProxiedConnection) => void): Begin {
  return (place) => {
    // Events with subscribers are few.
    let left = prefix.startsWith('$JS') ? 1 : 1 + (place.detail % OCCURRENCES_MAX);
    return interceptMessages(place, ({ subject, bytes }, connection) => {
      const isNext = left > 0 && subject.startsWith(prefix);
      if (isNext) left -= 1;
      const isIt = isNext && left === 0;
      if (isIt) act(place, bytes, connection);
      else connection.pass(bytes);
      return isIt;
    });
  };
}

/** @param intercept returns whether it has done something with the message */
function interceptMessages(place: Place, intercept: (...args: Parameters<InterceptMessage>) => boolean): Promise<End> {
  let hasHappened = false;
  for (const link of place.process.nats) {
    link.intercept((message, connection) => {
      if (intercept(message, connection)) hasHappened = true;
    });
  }
  return Promise.resolve(async () => {
    for (const link of place.process.nats) link.intercept(undefined);
    await revive(place)();
    return hasHappened;
  });
}

function loseAnswer(_: Place, bytes: Buffer, connection: ProxiedConnection): void {
  connection.loseAnswers();
  connection.pass(bytes);
  setTimeout(() => connection.close(), LOST_ANSWER_MS);
}

/** Affects the process's connections to PostgreSQL, to NATS, or from clients. */
function onLinks(begin: (link: TcpProxy, place: Place) => void, end: (link: TcpProxy) => Promise<void>): Begin {
  return (place) => {
    const { postgres, http, nats } = place.process;
    const direct = postgres ?? http;
    const links = place.detail % 2 === 0 && direct !== undefined ? [direct] : nats.map(({ proxy }) => proxy);
    for (const link of links) begin(link, place);
    return Promise.resolve(async () => {
      await Promise.all(links.map(end));
    });
  };
}

const release = (link: TcpProxy) => Promise.resolve(link.release());
const hold = (direction: Direction) => onLinks((link) => link.hold(direction), release);

/** Sends signals to a process and its children. */
async function signalAll(pid: number, signal: NodeJS.Signals): Promise<void> {
  const children = await readFile(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8');
  for (const each of [pid, ...children.split(' ').filter(Boolean).map(Number)]) {
    try {
      process.kill(each, signal);
    } catch (error) {
      // A child may end at any time.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

const killNats =
  (serverOf: (place: Place) => Promise<TestNats>, whileDown: (server: TestNats) => Promise<void>): Begin =>
  async (place) => {
    const server = await serverOf(place);
    await server.kill();
    await whileDown(server);
    return async () => {
      await server.restart();
      await untilHealthy(place.site);
    };
  };

async function deleteStream(natsUrl: string): Promise<void> {
  const bus = await openBus(natsUrl, 'faults');
  try {
    await bus.manager.streams.delete(STREAM);
  } finally {
    await bus.close();
  }
}

const databaseOf = ({ detail }: Place): TableService => DATABASES[detail % DATABASES.length]!;
const idle = () => Promise.resolve();

export const FAULTS: Record<FaultKind, Begin> = {
  kill: killProcess,
  kill_at_step: killAtStep,
  kill_before_commit: atCommit(({ process }) => kill(process)),
  kill_after_commit: atCommit(({ process }, bytes, connection) => {
    connection.loseAnswers(() => kill(process));
    connection.pass(bytes);
  }),
  lose_commit_answer: atCommit(loseAnswer),
  kill_before_answer: atMessage('MOL.RES.', ({ process }) => kill(process)),
  kill_before_publish: atMessage('ledger.v1.', ({ process }) => kill(process)),
  kill_before_mark: (place) => atStatement(place, ['outbox.published'], ({ process }) => kill(process)),
  lose_publish_ack: atMessage('ledger.v1.', loseAnswer),
  kill_at_ack: atMessage('$JS.ACK.', ({ process, detail }, bytes, connection) => {
    // Mostly the acknowledgement arrives.
    if (detail % 4 > 0) connection.pass(bytes);
    kill(process);
  }),
  freeze: (place) => {
    stop(place);
    return Promise.resolve(() => Promise.resolve(resume(place)));
  },
  freeze_at_request: async (place) => {
    const anyFrom_ms = performance.now() + AFTER_PLAN_MS;
    let isFrozen = false;
    const end = await interceptMessages(place, ({ subject, bytes }, connection) => {
      connection.pass(bytes);
      if (isFrozen || !subject.startsWith('MOL.REQ.')) return false;
      if (performance.now() < anyFrom_ms && !AFTER_PLAN.some((name) => bytes.includes(name))) return false;
      stop(place);
      isFrozen = true;
      return true;
    });
    return () => {
      resume(place);
      return end();
    };
  },
  skew_clock: async (place) => {
    const { site, process, detail } = place;
    await killProcess(place);
    await site.start(process, detail % 2 === 0 ? SKEW_MS : -SKEW_MS);
    return idle;
  },
  cut_link: onLinks(
    (link) => link.cut(),
    (link) => link.restore(),
  ),
  hang_link: onLinks(
    (link) => link.freeze(),
    (link) => link.restore(),
  ),
  slow_link: onLinks((link, { detail }) => link.delay(SLOW_MS[detail % SLOW_MS.length]!), release),
  hold_requests: hold('requests'),
  hold_answers: hold('answers'),
  repeat_messages: (place) => {
    const every = 1 + (place.detail % OCCURRENCES_MAX);
    let count = 0;
    return interceptMessages(place, ({ bytes }, connection) => {
      connection.pass(bytes);
      count += 1;
      if (count % every !== 0) return false;
      if (place.detail % 2 === 0) connection.pass(bytes);
      else setTimeout(() => connection.pass(bytes), place.detail);
      return true;
    });
  },
  delay_messages: (place) => {
    const every = 2 + (place.detail % OCCURRENCES_MAX);
    let count = 0;
    const ends_ms = performance.now() + place.lasts_ms;
    return interceptMessages(place, ({ subject, bytes }, connection) => {
      count += 1;
      const isHeld = count % every === 0 && /^MOL\.RE[QS]\.|^ledger\.v1\.|^\$JS\.ACK\./.test(subject);
      if (!isHeld) connection.pass(bytes);
      else setTimeout(() => connection.pass(bytes), ends_ms - performance.now());
      return isHeld;
    });
  },
  kill_nats: killNats(({ server }) => Promise.resolve(server), idle),
  freeze_nats: ({ site, server }) => {
    server.freeze();
    return Promise.resolve(() => {
      server.thaw();
      return untilHealthy(site);
    });
  },
  kill_stream_leader: killNats(leaderOf, idle),
  lose_nats_store: killNats(
    ({ server }) => Promise.resolve(server),
    ({ dir }) => rm(join(dir, 'jetstream'), { recursive: true, force: true }),
  ),
  delete_stream: async ({ site }) => {
    // After an earlier deletion NATS may still be choosing the leader, which alone answers.
    await againIfNatsFails(() => deleteStream(site.natsUrl));
    // The services create the stream and its consumers again, and NATS chooses their leaders.
    return () => untilHealthy(site);
  },
  kill_postgres: async ({ site }) => {
    process.kill(await site.postmaster(), 'SIGKILL');
    return () => site.startPostgres();
  },
  freeze_postgres: async ({ site }) => {
    const postmaster = await site.postmaster();
    await signalAll(postmaster, 'SIGSTOP');
    return () => signalAll(postmaster, 'SIGCONT');
  },
  read_only: (place) => makeReadOnly(place.site, databaseOf(place)),
  full_disk: ({ site }) => fillDisk(site),
  slow_dues: ({ site }) => slowDues(site, 100),
  no_connections: (place) => refuseConnections(place.site, databaseOf(place)),
};

/** Begins a fault. @returns a function that ends it */
export function beginFault(site: Site, fault: PlannedFault): Promise<End> {
  const process = site.processes[fault.target % site.processes.length]!;
  const server = site.nats[fault.target % site.nats.length]!;
  return FAULTS[fault.kind]({ ...fault, site, process, server });
}
