let step = 0;

/** Starts a story. */
export function chapter(title: string): void {
  console.log(`\n— ${title} —`);
}

/** One step of a story, numbered through all of them. */
export function say(text: string): void {
  step += 1;
  console.log(`${String(step).padStart(2)}. ${text}`);
}

/** An amount with its currency. */
export function money(amount: unknown): string {
  return `${String(amount)} XAF`;
}
