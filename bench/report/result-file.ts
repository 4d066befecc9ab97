import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Comparison, ResultFile } from '../comparison.ts';
import { resultsFolder } from './result-store.ts';

/** A larger file is refused. The suite writes none that is. */
const bytesMax = 64 * 2 ** 20;
const errorsShownMax = 3;

const Name = Type.String({ pattern: '^[a-z0-9][a-z0-9.-]*$' });
const Numbers = Type.Array(Type.Number());

const ComparisonSchema = Type.Object({
  id: Name,
  title: Type.String(),
  driver: Type.String(),
  settings: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
  rounds: Type.Integer({ minimum: 1 }),
  contenders: Type.Array(
    Type.Object({ name: Type.String(), what: Type.String(), x: Type.Optional(Type.Number({ minimum: 0 })) }),
  ),
  base: Type.String(),
  metrics: Type.Array(
    Type.Object({
      key: Type.String(),
      label: Type.String(),
      better: Type.Union([Type.Literal('more'), Type.Literal('less')]),
      digits: Type.Integer({ minimum: 0, maximum: 10 }),
      values: Type.Record(Type.String(), Numbers),
    }),
  ),
  histograms: Type.Optional(Type.Record(Type.String(), Type.String())),
  remarks: Type.Optional(Type.Array(Type.String())),
});

const ResultSchema = Type.Object({
  format: Type.Literal(1),
  run: Type.Object({
    at: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z$' }),
    commit: Type.String(),
    isModified: Type.Boolean(),
    node: Type.String(),
    cpu: Type.String(),
    cores: Type.Integer({ minimum: 1 }),
    memoryBytes: Type.Number(),
    kernel: Type.String(),
    command: Type.String(),
  }),
  report: Type.Object({
    scenario: Name,
    comparisons: Type.Array(ComparisonSchema),
    targets: Type.Array(
      Type.Object({
        what: Type.String(),
        comparison: Type.String(),
        metric: Type.String(),
        contender: Type.String(),
        of: Type.Union([Type.Literal('ratio'), Type.Literal('value')]),
        bound: Type.Union([Type.Object({ atLeast: Type.Number() }), Type.Object({ atMost: Type.Number() })]),
      }),
    ),
    missing: Type.Array(Type.Object({ name: Type.String(), why: Type.String() })),
  }),
});

/** @returns problems that the schema cannot express: missing and double names, and wrong numbers of rounds */
function problemsOf(comparison: Comparison): readonly string[] {
  const { id, contenders, base, metrics, rounds, histograms = {} } = comparison;
  const names = contenders.map(({ name }) => name);
  const problems = metrics.flatMap(({ key, values }) =>
    names
      .filter((name) => values[name]?.length !== rounds)
      .map((name) => `the metric ${key} of ${name} does not have ${rounds} values`),
  );
  if (!names.includes(base)) problems.push(`the base ${base} is not a contender`);
  if (new Set(names).size < names.length) problems.push('two contenders have the same name');
  for (const name of Object.keys(histograms))
    if (!names.includes(name)) problems.push(`a histogram is of ${name}, which is not a contender`);
  return problems.map((problem) => `comparison ${id}: ${problem}`);
}

function checkResult(value: unknown, source: string): ResultFile {
  if (!Value.Check(ResultSchema, value)) {
    const errors = [...Value.Errors(ResultSchema, value)].slice(0, errorsShownMax);
    const texts = errors.map(({ instancePath, message }) => `${instancePath || 'the file'} ${message}`);
    throw new Error(`${source} is not a result of the bench suite: ${texts.join('; ')}`);
  }
  const result: ResultFile & Static<typeof ResultSchema> = value;
  const [problem] = result.report.comparisons.flatMap(problemsOf);
  if (problem !== undefined) throw new Error(`${source} is not a result of the bench suite: ${problem}`);
  return result;
}

function readJson(path: string): unknown {
  if (statSync(path).size > bytesMax) throw new Error(`${path} is too large for a result of the bench suite`);
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (fault) {
    throw new Error(`${path} is not JSON: ${fault instanceof Error ? fault.message : fault}`);
  }
}

/** @throws Error that names the file and its problem */
export function readResultFile(path: string): ResultFile {
  return checkResult(readJson(path), path);
}

/**
 * Reads saved results: a file with one result, a list that `--json` wrote, or a folder such as `bench/results`.
 *
 * @throws Error that names the file and its problem
 */
export function readResults(path: string): readonly ResultFile[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new Error(`${path} does not exist`);
  if (stats.isDirectory()) {
    const files = readdirSync(path).filter((name) => name.endsWith('.json'));
    return files.sort().map((name) => readResultFile(join(path, name)));
  }
  const value = readJson(path);
  return Array.isArray(value)
    ? value.map((one, index) => checkResult(one, `${path}, entry ${index}`))
    : [checkResult(value, path)];
}

/** @returns the saved results; none if the folder does not exist. @throws Error for a file that is not a result */
export function readSavedResults(root: string): readonly ResultFile[] {
  const folder = resultsFolder(root);
  return existsSync(folder) ? readResults(folder) : [];
}
