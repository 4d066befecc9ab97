import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import t, { type Test } from 'tap';
import { parseAllDocuments } from 'yaml';
import { repositoryRoot } from '../support/repository-root.ts';
import { chart, headOf, renderedFileOf, shapes, valuesFileOf } from './chart.ts';

/*
 * The Helm chart, Kubernetes' objects and the workflows, by the tools that read them. What a machine lacks is built with Go
 * or installed with pip, once, into .interop/bin: helm takes some 200 s of CPU time.
 *
 * WRITE_FIXTURE=1 writes test/packaging/chart.
 */
t.setTimeout(1_800_000);

const root = repositoryRoot();
const bin = join(root, '.interop', 'bin');
const kubernetes = '1.34';
/** The package of Go of each tool. */
const modules = {
  helm: 'helm.sh/helm/v3/cmd/helm@v3.22.0',
  actionlint: 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12',
};
const env = { ...process.env, GOBIN: bin, PATH: [bin, process.env['PATH']].join(delimiter) };

function run(
  command: string,
  words: readonly string[],
): { readonly status: number | null; readonly text: string } {
  const { status, stdout, stderr, error } = spawnSync(command, words, { env, encoding: 'utf8', cwd: root });
  return { status, text: error?.message ?? stdout + stderr };
}

/** @returns false, or why the tool cannot be had */
function missing(tool: keyof typeof modules): string | false {
  if (run(tool, [tool === 'helm' ? 'version' : '-version']).status === 0) return false;
  mkdirSync(bin, { recursive: true });
  const { status, text } = run('go', ['install', modules[tool]]);
  return status === 0 ? false : `${tool} cannot be built: ${text.trim().slice(-200)}`;
}

/** kubeconform would fetch its schemas from GitHub; this package of PyPI contains them. */
function missingValidator(): string | false {
  if (run('kubernetes-validate', ['--version']).status === 0) return false;
  const folder = join(root, '.interop', 'kubernetes-validate');
  const made = run('python3', ['-m', 'venv', folder]);
  const { status, text } =
    made.status === 0
      ? run(join(folder, 'bin', 'pip'), ['install', '-q', 'kubernetes-validate==1.37.0'])
      : made;
  if (status !== 0) return `kubernetes-validate cannot be installed: ${text.trim().slice(-200)}`;
  mkdirSync(bin, { recursive: true });
  const script = `#!/bin/sh\nexec '${join(folder, 'bin', 'kubernetes-validate')}' "$@"\n`;
  writeFileSync(join(bin, 'kubernetes-validate'), script, { mode: 0o755 });
  return false;
}

/** The objects of a rendered file, in an order that no version of helm decides. */
function objectsIn(text: string): unknown {
  const objects = parseAllDocuments(text).map((one) => one.toJS());
  const named = objects.filter(Boolean).map((one) => [`${one.kind} ${one.metadata.name}`, one] as const);
  return Object.fromEntries(named);
}

function passes(t: Test, command: string, words: readonly string[]): string {
  const { status, text } = run(command, words);
  t.equal(status, 0, text);
  return text;
}

t.test(
  'helm accepts the chart and makes the objects that are committed',
  { skip: missing('helm') },
  async (t) => {
    passes(t, 'helm', ['lint', '--strict', chart]);
    for (const shape of shapes) {
      const options = ['--kube-version', `${kubernetes}.0`, '--values', valuesFileOf(shape)];
      const text = headOf(shape) + passes(t, 'helm', ['template', 'burgee', chart, ...options]);
      if (process.env['WRITE_FIXTURE'] === '1') writeFileSync(renderedFileOf(shape), text);
      t.same(objectsIn(text), objectsIn(readFileSync(renderedFileOf(shape), 'utf8')), shape);
    }
    const template = (...words: readonly string[]): string =>
      run('helm', ['template', 'burgee', chart, '--kube-version', `${kubernetes}.0`, ...words]).text;
    t.match(template('--set', 'shape=pair'), /shape.*must be one of/s, 'unknown values are refused');
    t.match(template('--set', 'replicas=2'), /replicas.*not allowed/s, 'and unknown names');
    t.match(template('--set', 'provision.secret=a,provision.configMap=b'), 'not both');
    t.notMatch(template('--set', 'shape=cluster,cluster.create=false'), 'kind: Job');
  },
);

t.test("Kubernetes' schemas have every key of the objects", { skip: missingValidator() }, async (t) => {
  const folder = join(root, 'deploy', 'kubernetes');
  const files = readdirSync(folder).map((name) => join(folder, name));
  const options = ['--strict', '--kubernetes-version', kubernetes];
  passes(t, 'kubernetes-validate', [...options, ...files, ...shapes.map(renderedFileOf)]);
});

t.test('actionlint accepts the workflows', { skip: missing('actionlint') }, async (t) => {
  passes(t, 'actionlint', []);
});
