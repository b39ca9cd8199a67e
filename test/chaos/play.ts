import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { SERVICES } from '../../lib/config/service-names.ts';
import type { Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import {
  REPEAT_EVERY_MS,
  repeated,
  sealedAgain,
  send,
  untilRecovered,
  written,
  type Scene,
  type Written,
} from './stories/scene.ts';
import type { Act, Death, Moves } from './stories/story.ts';
import { endHolds } from './stored-plans.ts';

/**
 * Maximum time until a process reaches the fault point at which it is killed. Much longer than it takes: in 10 s, one did not while the
 * machine was busy with other work.
 */
const DEATH_PATIENCE_MS = 30_000;

type Money = Awaited<ReturnType<Scene['money']>>;

/**
 * Plays an act: sends its request, kills processes at its fault points and replaces them. Recovery completes what was
 * begun; if nothing was stored, the repeated request does. A repeat never has a second effect and gets the same
 * answer.
 */
export async function play(scene: Scene, act: Act): Promise<void> {
  const { cluster } = scene;
  await replaceDead(cluster);
  await act.before?.(scene);
  const before = await eventually(() => scene.money());
  const request = await written(await act.asked(scene));
  const expectEnd = async () => {
    const moves = typeof act.moves === 'function' ? await act.moves(scene) : (act.moves ?? {});
    expect(await scene.money()).to.deep.equal(moved(before, moves));
    await act.then?.(scene);
  };

  // Recovery of an earlier act could otherwise reach the fault point first.
  await untilRecovered(cluster);
  arm(cluster, act.deaths[0]);
  const answers: string[] = [];
  const first = sendToDeath(scene, request, act, answers);
  await dieAndBeReplaced(scene, act, answers);
  if (act.needs_repeat !== true) await eventually(expectEnd);
  await first;
  await endHolds(cluster);
  const answer = await repeated(cluster, request);
  expect(act.refused ?? 'a success', answer.text).to.equal(answer.status < 300 ? 'a success' : answer.body.code);
  await eventually(expectEnd);

  if (act.refused === undefined) {
    const again = await repeated(cluster, await sealedAgain(request));
    expect(again.headers.get('idempotency-replayed')).to.equal('true');
    expect([again.status, again.body]).to.deep.equal([answer.status, answer.body]);
    await expectEnd();
  }
}

function moved(before: Money, { wallets = {}, ...moves }: Moves): Money {
  const after: Money = {
    ...before,
    wallets: before.wallets.map((balance, index) => balance + (wallets[index] ?? 0)),
  };
  for (const [name, amount] of Object.entries(moves) as [keyof typeof moves, number][]) after[name] += amount;
  return after;
}

/** Starts each service that a failed test has left without a process. */
async function replaceDead(cluster: Cluster): Promise<void> {
  for (const service of SERVICES) if (cluster.running(service).hasEnded()) await cluster.start([service]);
}

/**
 * Sends the request until it has reached the process to be killed. Requests are lost while the other processes have not
 * yet noticed that a process was killed in the act before; their key is then held for some time. The answers are not defined, so they
 * are not checked.
 */
async function sendToDeath(
  { cluster }: Scene,
  request: Written,
  { deaths: [death] }: Act,
  answers: string[],
): Promise<void> {
  const doomed = death === undefined ? undefined : cluster.running(death.service);
  while (doomed?.hasEnded() === false) {
    const { status, body, text } = await send(request);
    answers.push(`${String(status)} ${text}`);
    if (status < 500 && body.code !== 'idempotency_in_flight') return;
    await sleep(REPEAT_EVERY_MS);
  }
}

function arm(cluster: Cluster, death: Death | undefined): void {
  if (death !== undefined) cluster.running(death.service).dieAt(death.step);
}

async function dieAndBeReplaced(
  scene: Scene,
  { deaths, during_outage }: Act,
  answers: readonly string[],
): Promise<void> {
  const { cluster } = scene;
  for (const [index, { service, step }] of deaths.entries()) {
    const doomed = cluster.running(service);
    await Promise.race([doomed.ended, sleep(DEATH_PATIENCE_MS, undefined, { ref: false })]);
    const seen = `${step} was never reached:\n${doomed.output()}\n${answers.join('\n')}`;
    expect(doomed.hasEnded(), seen).to.equal(true);
    if (index === 0) await during_outage?.(scene);
    const next = deaths[index + 1];
    if (next?.service === service) {
      await cluster.start([service], { diesAt: next.step });
    } else {
      arm(cluster, next);
      await cluster.start([service]);
    }
  }
}
