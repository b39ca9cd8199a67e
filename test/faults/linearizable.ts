import { checkHistory, describeFaults } from './history/check-history.ts';
import { closingReads } from './history/closing-reads.ts';
import type { Recorder } from './history/recorder.ts';
import type { World } from './world.ts';

/** The history of every wallet, due, meeting and approval is linearizable, up to reads of all of them at the end. */
export async function checkLinearizable({ people }: World, recorder: Recorder): Promise<string[]> {
  for (const { user, path } of closingReads(recorder.history())) {
    const own = people.find(({ client }) => client.user === user);
    const others = people.filter((person) => person !== own);
    const { isDone } = (await own?.client.request('GET', path)) ?? {};
    if (isDone === true || !path.startsWith('/associations/')) continue;
    // The sender may have left the association since.
    for (const { client } of others) if ((await client.request('GET', path)).isDone === true) break;
  }
  // The history of an object that no answer shows takes no step: it has nothing to check. Another unknown one was not checked.
  const faults = checkHistory(recorder.history()).filter(({ steps }) => steps > 0);
  const text = describeFaults(faults);
  return text === '' ? [] : [text];
}
