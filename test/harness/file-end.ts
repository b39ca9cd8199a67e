/** Functions that a process of the run calls after each test file; without `--parallel`, once after all files. */
const callbacks: (() => Promise<void>)[] = [];

export function onFileEnd(callback: () => Promise<void>): void {
  callbacks.push(callback);
}

export async function endFile(): Promise<void> {
  for (const callback of callbacks) await callback();
}
