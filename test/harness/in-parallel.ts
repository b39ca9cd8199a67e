/** Number of concurrent requests; the tests share two cores with the servers. */
const PARALLEL = 6;

/** Does the work for each item, a few concurrently. @returns the results in the order of the items */
export async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  const worker = async () => {
    for (const [index, item] of waiting) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return results;
}
