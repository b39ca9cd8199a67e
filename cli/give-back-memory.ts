import { Session } from 'node:inspector/promises';
import { flushCompileCache } from 'node:module';

/**
 * Gives back the memory that only the start needed: parse results of hundreds of modules, and the space for young
 * objects, which grew while they were loaded. V8 would do so only when the heap is full again: an idle process would keep
 * a fifth of its memory for nothing. It blocks the process for about 0.1 s, once.
 */
export async function giveBackMemory(): Promise<void> {
  // Not at the end of the process: one that is killed would leave nothing.
  flushCompileCache();
  const session = new Session();
  session.connect();
  try {
    // Collects as much as when the system warns that memory is short. The function `gc` does less and needs a flag.
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
