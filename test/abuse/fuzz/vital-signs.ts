import { once } from 'node:events';
import { metricsUrl, type Member } from '../../harness/cluster.ts';

/** Variables with which a process can be asked to collect garbage. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** What a process holds. */
export interface VitalSigns {
  /** The JavaScript heap in use, after a collection of garbage. */
  heap_bytes: number;
  /** Open TCP connections: of clients, to NATS and to PostgreSQL. */
  sockets: number;
}

/** Measures a process that was started with INSPECTED. */
export async function vitalSigns(member: Member): Promise<VitalSigns> {
  const sockets = await socketsOf(member);
  const inspector = new WebSocket(/listening on (ws:\S+)/.exec(member.output())?.[1] ?? '');
  await once(inspector, 'open');
  let calls = 0;
  const call = async (method: string): Promise<Record<string, number>> => {
    inspector.send(JSON.stringify({ id: ++calls, method }));
    const [message] = (await once(inspector, 'message')) as [{ data: string }];
    return (JSON.parse(message.data) as { result: Record<string, number> }).result;
  };
  // A second collection frees what finalizers of the first one have released.
  await call('HeapProfiler.collectGarbage');
  await call('HeapProfiler.collectGarbage');
  const { usedSize = NaN } = await call('Runtime.getHeapUsage');
  inspector.close();
  return { heap_bytes: usedSize, sockets };
}

async function socketsOf(member: Member): Promise<number> {
  const text = await (await fetch(metricsUrl(member) ?? '', { headers: { Connection: 'close' } })).text();
  const sockets = /^nodejs_active_resources\{type="TCPSocketWrap".*\} (\d+)$/m.exec(text)?.[1];
  if (sockets === undefined) throw new Error(`The metrics do not count sockets:\n${text}`);
  return Number(sockets);
}
