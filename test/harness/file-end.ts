/** Functions that a process of the run calls after each test file; without `--parallel`, once after all files. */
const callbacks: (() => Promise<void>)[] = [];
const last: (() => Promise<void>)[] = [];

/** @param isLast whether it ends what others may still use */
export function onFileEnd(callback: () => Promise<void>, { isLast = false } = {}): void {
  (isLast ? last : callbacks).push(callback);
}

export async function endFile(): Promise<void> {
  for (const callback of [...callbacks, ...last]) await callback();
}
