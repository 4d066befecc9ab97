import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { repositoryRoot } from '../support/repository-root.ts';
import { parseCases } from './case-syntax.ts';
import type { ConformanceCase, Given, Json } from './conformance-case.ts';

const directory = join(repositoryRoot(), 'test', 'conformance');

/** Every case of every file in `cases/`, in the order of the files. */
export function readCases(): ConformanceCase[] {
  return topics().flatMap((topic) => parseCases(readText(`cases/${topic}.cases`), topic));
}

/** The names of the case files, without their extension. */
export function topics(): string[] {
  return readdirSync(join(directory, 'cases'))
    .sort()
    .map((file) => basename(file, '.cases'));
}

export function readGivens(): ReadonlyMap<string, Given> {
  return new Map(Object.entries(readJson('givens.json') as Record<string, Given>));
}

/** The headings of the specification that need cases, by document. */
export function readHeadings(): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(readJson('headings.json') as Record<string, string[]>));
}

/** Keys of the published bucketing vectors. */
export function readVectors(): {
  flagId: string;
  key: string;
  murmur3: number;
  onAt: Map<number, boolean>;
}[] {
  const path = join(repositoryRoot(), 'test', 'bucketing-vectors.json');
  const { vectors } = JSON.parse(readFileSync(path, 'utf8')) as {
    vectors: { flagId: string; key: string; murmur3_x86_32: number; onAt: Record<string, boolean> }[];
  };
  return vectors.map(({ flagId, key, murmur3_x86_32: murmur3, onAt }) => ({
    flagId,
    key,
    murmur3,
    onAt: new Map(Object.entries(onAt).map(([percentage, isOn]) => [Number(percentage), isOn])),
  }));
}

/**
 * A fixture for `burgee apply`, as it is in the file.
 * @param fixture file name in this directory
 */
export function readFixture(fixture: string): Json {
  return readJson(fixture) as Json;
}

/** Replaces `{"$fromNow": milliseconds}` by the time that is that far from now. */
export function atThisTime(value: Json, now: number): Json {
  if (Array.isArray(value)) return value.map((item: Json) => atThisTime(item, now));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value);
  const [first] = entries;
  if (entries.length === 1 && first?.[0] === '$fromNow') return now + Number(first[1]);
  // `fromEntries` defines properties: an environment may be called `__proto__`.
  return Object.fromEntries(entries.map(([key, item]) => [key, atThisTime(item as Json, now)])) as Json;
}

function readJson(file: string): unknown {
  return JSON.parse(readText(file));
}

function readText(file: string): string {
  return readFileSync(join(directory, file), 'utf8');
}
