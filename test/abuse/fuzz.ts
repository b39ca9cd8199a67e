/** node test/abuse/fuzz.ts --seed S --requests N: sends bad requests to a cluster of its own; one case of seed S with --requests 1. */
import { parseArgs } from 'node:util';
import { startServers } from '../harness/servers.ts';
import { fuzzCluster } from './fuzz/harmless.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, requests: { type: 'string', default: '20000' } },
});
const stop = await startServers();
const report = await fuzzCluster({ seed: Number(values.seed), requests: Number(values.requests), waitsForSlow: true });
await stop();
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
process.exitCode = report.faults.length === 0 ? 0 : 1;
