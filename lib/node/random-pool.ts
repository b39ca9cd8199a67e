/** One call of the system's random source costs as much as a hundred ids: many bytes are read at a time. */
const RANDOM_POOL_BYTES = 4_096;

/** Longer pieces would use up the pool: they are read directly. */
const PIECE_MAX_BYTES = 64;

/**
 * Random bytes in small pieces, each byte returned once. They are in memory before they are used: for ids, not for
 * secrets.
 * @param source gives `length` random bytes
 */
export function pooledBytes(source: (length: number) => Buffer): (length: number) => Buffer {
  let pool: Buffer = Buffer.alloc(0);
  let used = 0;
  return (length) => {
    if (length > PIECE_MAX_BYTES) return source(length);
    if (used + length > pool.length) {
      pool = source(RANDOM_POOL_BYTES);
      used = 0;
    }
    used += length;
    return pool.subarray(used - length, used);
  };
}
