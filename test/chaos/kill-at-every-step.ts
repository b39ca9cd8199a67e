import { expect } from 'chai';
import { startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { expectAgreement } from '../harness/verified-databases.ts';
import { expectValidLedger } from '../harness/verified-ledger.ts';
import { play } from './play.ts';
import { Scene } from './stories/scene.ts';
import type { Act, Story } from './stories/story.ts';
import { unfinished } from './stored-plans.ts';

/** Defines the tests that play stories, all on one cluster of processes. */
export function killAtEveryStep(title: string, stories: readonly Story[]): void {
  describe(title, function () {
    this.timeout(120_000);
    let cluster: Cluster;

    before(async () => {
      cluster = await startCluster({ faults: true });
    });
    after(() => cluster.stop());

    for (const story of stories) {
      describe(story.title, () => {
        const scenes: Scene[] = [];

        async function open(): Promise<Scene> {
          const scene = await Scene.open(cluster, story.group);
          await story.set_up?.(scene);
          scenes.push(scene);
          return scene;
        }

        before(async () => {
          if (story.separate_groups !== true) await open();
        });

        for (const act of story.acts) {
          it(titleOf(act), async () => {
            await play(story.separate_groups === true ? await open() : scenes[0]!, act);
          });
        }

        it('leaves no unfinished saga, a valid ledger, and databases that agree', async () => {
          await eventually(async () => expect(await unfinished(cluster)).to.deep.equal([]));
          for (const scene of scenes) await atTheEndOf(story, scene);
          await expectAgreement(cluster);
        });
      });
    }
  });
}

function titleOf({ what, deaths, refused }: Act): string {
  const points = deaths.map(({ service, step }) => (step.startsWith(service) ? step : `${service}'s ${step}`));
  return `${refused === undefined ? 'completes' : 'refuses'} ${what} if killed at ${points.join(', then ')}`;
}

async function atTheEndOf(story: Story, scene: Scene): Promise<void> {
  await story.end?.(scene);
  const { http } = scene.president;
  // A group that has never moved money has no ledger to verify.
  if ((await http.ok(`${scene.path}/ledger/head`)).seq !== 0) await expectValidLedger(http, scene.path);
}
