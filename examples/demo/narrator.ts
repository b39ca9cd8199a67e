let step = 0;

/** Prints the title of a part. */
export function chapter(title: string): void {
  console.log(`\n— ${title} —`);
}

/** Prints a step. Steps are numbered through all parts. */
export function say(text: string): void {
  step += 1;
  console.log(`${String(step).padStart(2)}. ${text}`);
}

/** Returns an amount with its currency. */
export function money(amount: unknown): string {
  return `${String(amount)} XAF`;
}
