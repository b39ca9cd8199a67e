import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to connections (from 32768 on), one of which might otherwise take the port while its
 * server is restarted.
 */
const PORTS = [16_000, 32_000] as const;

/** The ports of a process follow one another, so that it gets none twice, and processes begin at different ones. */
let next = randomInt(...PORTS);

/** Returns a loopback port without a listener. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = next;
    next = port + 1 < PORTS[1] ? port + 1 : PORTS[0];
    const probe = createServer().listen(port, '127.0.0.1');
    try {
      await once(probe, 'listening');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue;
      throw error;
    }
    probe.close();
    await once(probe, 'close');
    return port;
  }
}
