import { once } from 'node:events';
import type { Member } from '../../harness/cluster.ts';

/** Variables with which a process can be asked to collect garbage. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** What a process holds. */
export interface ProcessState {
  /** The JavaScript heap in use, after a collection of garbage. */
  heap_bytes: number;
  /** Open connections of clients. Those to NATS and PostgreSQL are not counted: pools open and close them as they are needed. */
  clients: number;
}

/** Measures a process that was started with INSPECTED. @param port at which clients connect */
export async function measureProcess(member: Member, port: number): Promise<ProcessState> {
  const inspector = new WebSocket(/listening on (ws:\S+)/.exec(member.output())?.[1] ?? '');
  await once(inspector, 'open');
  let calls = 0;
  const call = async (method: string, params = {}): Promise<{ usedSize?: number; result?: { value?: number } }> => {
    inspector.send(JSON.stringify({ id: ++calls, method, params }));
    const [message] = (await once(inspector, 'message')) as [{ data: string }];
    return (JSON.parse(message.data) as { result: object }).result;
  };
  // No documented function of Node tells the sockets apart.
  const expression = `process._getActiveHandles().filter(({ localPort }) => localPort === ${String(port)}).length`;
  const { result: { value: clients } = {} } = await call('Runtime.evaluate', { expression });
  if (clients === undefined) throw new Error('The process does not count its connections.');
  // A second collection frees what finalizers of the first one have released.
  await call('HeapProfiler.collectGarbage');
  await call('HeapProfiler.collectGarbage');
  const { usedSize = NaN } = await call('Runtime.getHeapUsage');
  inspector.close();
  return { heap_bytes: usedSize, clients };
}
