/** Loaded into a measured process before its own code: answers each request on a socket with what the process keeps. */
import { createServer } from 'node:http';
import { giveBackMemory } from '../../lib/node/give-back-memory.ts';
import { keptMemorySocket } from './kept-memory.ts';

const server = createServer((_request, response) => {
  const answer = () => {
    const { heapUsed, external } = process.memoryUsage();
    response.end(JSON.stringify(heapUsed + external));
  };
  giveBackMemory().then(answer, (error: Error) => response.destroy(error));
});
server.listen(keptMemorySocket(process.env['DATA_DIR']!, process.pid)).unref();
