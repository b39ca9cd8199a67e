/** What a process of the run does after each test file; without `--parallel`, once after all of them. */
const callbacks: (() => Promise<void>)[] = [];

export function onFileEnd(callback: () => Promise<void>): void {
  callbacks.push(callback);
}

export async function endFile(): Promise<void> {
  for (const callback of callbacks) await callback();
}
