/** The resources of deploy/kubernetes, as `kubectl apply -k` sends them. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadAll } from 'js-yaml';
import type { IIoK8sApiCoreV1Container as Container } from 'kubernetes-models/v1/Container';
import type { IIoK8sApiCoreV1PodTemplateSpec as PodTemplate } from 'kubernetes-models/v1/PodTemplateSpec';
import type { DeployedContainer } from '../deployed.ts';
import { ROOT } from '../process.ts';

export type { Container };

/** Kubernetes' terminationGracePeriodSeconds. */
const DEFAULT_GRACE_S = 30;

export interface Resource {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  spec?: object;
  data?: Record<string, string>;
}

/** A resource that runs pods of one container each. */
export interface Workload extends Resource {
  spec: { template: PodTemplate; replicas?: number; selector?: { matchLabels: Record<string, string> } };
}

/** Builds a directory of deploy/kubernetes. */
export async function build(kubectl: string, directory: string): Promise<Resource[]> {
  const path = join(ROOT, 'deploy', 'kubernetes', directory);
  const { stdout, stderr } = await promisify(execFile)(kubectl, ['kustomize', path]);
  if (stderr !== '') throw new Error(`kubectl kustomize ${directory}: ${stderr}`);
  return loadAll(stdout) as Resource[];
}

export function ofKind(resources: readonly Resource[], ...kinds: string[]): Resource[] {
  return resources.filter(({ kind }) => kinds.includes(kind));
}

/** Returns the resources that run pods. */
export function workloads(resources: readonly Resource[]): Workload[] {
  return ofKind(resources, 'Deployment', 'StatefulSet', 'Job') as Workload[];
}

/** Returns the resource's pod, and the only container in it. */
export function podOf({ metadata, spec }: Workload) {
  const pod = spec.template.spec;
  const [container, ...others] = pod?.containers ?? [];
  if (pod === undefined || container === undefined || others.length > 0)
    throw new Error(`${metadata.name} is not one container`);
  return { pod, container };
}

/** Returns the container's variables, with the values that ConfigMaps of `resources` give them, without those of optional secrets. */
export function environmentOf(
  { env = [], envFrom = [] }: Container,
  resources: readonly Resource[],
): Record<string, string> {
  const dataOf = (name = ''): Record<string, string> => {
    const found = ofKind(resources, 'ConfigMap').find(({ metadata }) => metadata.name === name);
    if (found?.data === undefined) throw new Error(`No ConfigMap ${name}`);
    return found.data;
  };
  const variables: Record<string, string> = {};
  for (const { configMapRef } of envFrom) Object.assign(variables, dataOf(configMapRef?.name));
  for (const { name, value, valueFrom } of env) {
    const { configMapKeyRef, fieldRef, secretKeyRef } = valueFrom ?? {};
    if (secretKeyRef?.optional === true) continue;
    const given = value ?? fieldRef?.fieldPath ?? dataOf(configMapKeyRef?.name)[configMapKeyRef?.key ?? ''];
    if (given === undefined) throw new Error(`${name} has no value`);
    variables[name] = given;
  }
  return variables;
}

/** Returns the keys of the secret that need not exist, by the variables that have their values. */
export function optionalSecrets({ env = [] }: Container): Record<string, string> {
  const optional = env.filter(({ valueFrom }) => valueFrom?.secretKeyRef?.optional === true);
  return Object.fromEntries(optional.map(({ name, valueFrom }) => [name, valueFrom?.secretKeyRef?.key ?? '']));
}

/** Returns the keys of the secret in a pod, by the path at which its container has them. */
export function mountedSecrets(workload: Workload): Record<string, string> {
  const { pod, container } = podOf(workload);
  const items = pod.volumes?.find(({ name }) => name === 'secrets')?.secret?.items ?? [];
  const { mountPath } = container.volumeMounts?.find(({ name }) => name === 'secrets') ?? {};
  return Object.fromEntries(items.map(({ key, path }) => [`${mountPath ?? ''}/${path}`, key]));
}

/** Returns how many seconds a pod may take to stop, with `preStop`. */
export function graceOf(workload: Workload): number {
  return podOf(workload).pod.terminationGracePeriodSeconds ?? DEFAULT_GRACE_S;
}

/** Returns the container of a workload, with the values that ConfigMaps of `resources` give its variables. */
export function deployedContainer(workload: Workload, resources: readonly Resource[]): DeployedContainer {
  const { container } = podOf(workload);
  return {
    args: container.args ?? [],
    env: environmentOf(container, resources),
    secrets: mountedSecrets(workload),
  };
}
