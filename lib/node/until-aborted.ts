/**
 * Waits for work, at most until the signal is aborted.
 * `Promise.race` with a promise for the end of the process would keep a few hundred bytes of every race until then.
 * @returns undefined if it is aborted first; the work goes on
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const aborted = Promise.withResolvers<undefined>();
  const abort = () => aborted.resolve(undefined);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
