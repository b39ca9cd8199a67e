/** The service on real servers, with doubles of the services that it asks. */
import { randomUUID } from 'node:crypto';
import { brokerOptions, startNode } from '@association-service/contracts/moleculer';
import { readServiceSettings, startService, type RunningService } from '@association-service/contracts/service';
import { openSqlDatabase, type SqlDatabase } from '@association-service/contracts/subscriber';
import {
  startTestMembership,
  startTestServers,
  TEST_CALLER_KEY,
  type TestAssociations,
  type TestServers,
} from '@association-service/contracts/testing';
import { NAME } from '../../src/contracts.ts';
import { reminders } from '../../src/service.ts';
import { startMailServer, type MailServer } from './outbox.ts';
import { summaryDouble } from './summary-double.ts';
import { CODE_KEY } from './world.ts';

/** The running service and what its tests control. */
export interface StartedReminders {
  servers: TestServers;
  mail: MailServer;
  running: RunningService;
  db: SqlDatabase;
  databaseUrl: string;
  associations: TestAssociations;
  meetings: Map<string, { member_id: string; due_on: string }>;
  /** Added to the service's clock. */
  ahead_ms: number;
  clock(): Date;
  /** The step at which the next request fails, as if the process ended there. */
  fail_at: string | undefined;
}

/** @param onStop takes what is to be stopped at the end, the last one first */
export async function startReminders(onStop: (stop: () => Promise<void>) => void): Promise<StartedReminders> {
  const [servers, mail] = await Promise.all([startTestServers(), startMailServer()]);
  onStop(() => servers.stop());
  onStop(() => mail.stop());
  const associations: TestAssociations = new Map();
  const membership = await startTestMembership(servers.natsUrl, associations);
  onStop(() => membership.stop());
  const meetings: StartedReminders['meetings'] = new Map();
  const settings = { nodeId: `contribution.${randomUUID()}`, production: false, logLevel: 'warn' } as const;
  const other = await startNode({
    services: [() => ({ name: 'contribution', actions: { meeting_summary: summaryDouble(meetings) } })],
    runtime: {},
    broker: brokerOptions(settings, servers.natsUrl),
  });
  onStop(() => other.stop());
  const DATABASE_URL = await servers.createDatabase();
  const env = {
    NATS_URL: servers.natsUrl,
    DATABASE_URL,
    CALLER_KEY: TEST_CALLER_KEY,
    REMINDERS_CODE_KEY: CODE_KEY,
    SMTP_URL: mail.url,
    SMTP_FROM: 'Tontine <no-reply@tontine.example>',
    METRICS_PORT: '0',
    LOG_LEVEL: 'fatal',
  };
  const control = { ahead_ms: 0, fail_at: undefined as string | undefined };
  const clock = () => new Date(Date.now() + control.ahead_ms);
  const reached = (step: string) => {
    if (step !== control.fail_at) return Promise.resolve();
    control.fail_at = undefined;
    return Promise.reject(new Error('the process ends here'));
  };
  const running = await startService(reminders, readServiceSettings(NAME, env), onStop, { clock, reached });
  await running.node.broker.waitForServices(['membership', 'contribution']);
  const db = await openSqlDatabase(DATABASE_URL, []);
  onStop(() => db.close());
  return Object.assign(control, {
    servers,
    mail,
    running,
    db,
    databaseUrl: DATABASE_URL,
    associations,
    meetings,
    clock,
  });
}
