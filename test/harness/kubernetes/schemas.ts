/** Compares resources with Kubernetes' published OpenAPI schemas, which the package kubernetes-models has in two forms. */
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../process.ts';
import type { Resource } from './manifests.ts';

/** Never written: only the compiler sees it. Packages are found from here. */
const SOURCE = join(ROOT, 'resources.ts');

type Model = new (data: unknown) => { validate(): void };

/**
 * Returns what does not fit the schema of each resource. The validators know required fields and values, and ignore unknown
 * fields; the types refuse those.
 */
export async function schemaComplaints(resources: readonly Resource[]): Promise<string[]> {
  const invalid = await Promise.all(resources.map(validate));
  return [...invalid.flat(), ...typeComplaints(resources)];
}

async function validate(resource: Resource): Promise<string[]> {
  const { [resource.kind]: model } = (await import(moduleOf(resource))) as Record<string, Model>;
  if (model === undefined) throw new Error(`No schema for ${nameOf(resource)}`);
  try {
    new model(resource).validate();
    return [];
  } catch (error) {
    return [`${nameOf(resource)}: ${(error as Error).message}`];
  }
}

/** Compiles the resources as literals of their types. */
function typeComplaints(resources: readonly Resource[]): string[] {
  const lines = resources.map(
    (each) => `(${JSON.stringify(each)}) satisfies import('${moduleOf(each)}').I${each.kind};`,
  );
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
  };
  const host = ts.createCompilerHost(options);
  const readSource = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...how) =>
    name === SOURCE ? ts.createSourceFile(name, lines.join('\n'), ts.ScriptTarget.ESNext) : readSource(name, ...how);
  const found = ts.getPreEmitDiagnostics(ts.createProgram([SOURCE], options, host));
  return found.map(({ file, start, messageText }) => {
    const line = file?.fileName === SOURCE ? file.getLineAndCharacterOfPosition(start ?? 0).line : -1;
    const resource = resources[line];
    const text = ts.flattenDiagnosticMessageText(messageText, ' ');
    return `${resource === undefined ? 'The schemas' : nameOf(resource)}: ${text}`;
  });
}

const moduleOf = ({ apiVersion, kind }: Resource): string => `kubernetes-models/${apiVersion}/${kind}`;
const nameOf = ({ kind, metadata }: Resource): string => `${kind} ${metadata.name}`;
