import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Provisioned } from '../support/provisioning.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import type { Given, Json } from './conformance-case.ts';

export function readGivens(): ReadonlyMap<string, Given> {
  return new Map(Object.entries(readJson('conformance/givens.json') as Record<string, Given>));
}

/** The headings of the specification that need cases, by document. */
export function readHeadings(): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(readJson('conformance/headings.json') as Record<string, string[]>));
}

/** The published bucketing vectors. */
export function readVectors(): {
  flagId: string;
  key: string;
  murmur3: number;
  onAt: Map<number, boolean>;
}[] {
  const { vectors } = readJson('bucketing-vectors.json') as {
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
  return readJson(`conformance/${fixture}`) as Json;
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

/** The provisioned values that a case can name: `flag:project/name`, `token:project/name`, … */
export function fixtureValues(provisioned: Provisioned): Map<string, Json> {
  const values = new Map<string, Json>();
  for (const [name, project] of Object.entries(provisioned.projects)) {
    values.set(`project:${name}`, project.id);
    for (const [flag, id] of Object.entries(project.flags)) values.set(`flag:${name}/${flag}`, id);
    for (const [audience, id] of Object.entries(project.audiences)) {
      values.set(`audience:${name}/${audience}`, id);
    }
    for (const [token, { id, secret }] of Object.entries(project.tokens)) {
      values.set(`tokenId:${name}/${token}`, id);
      values.set(`token:${name}/${token}`, secret);
    }
  }
  return values;
}

interface DeclaredProject {
  readonly name: string;
  readonly flags?: readonly { readonly name: string }[];
  readonly audiences?: readonly { readonly name: string; readonly rules: readonly AudienceRule[] }[];
  readonly tokens?: readonly { readonly name: string }[];
}

export interface AudienceRule {
  readonly attribute: string;
  readonly values: readonly string[];
}

/** The same names, read from the fixture, for checks without a server. */
export function namesInFixture(document: Json): Set<string> {
  const names = new Set<string>();
  for (const project of projectsIn(document)) {
    names.add(`project:${project.name}`);
    for (const { name } of project.flags ?? []) names.add(`flag:${project.name}/${name}`);
    for (const { name } of project.audiences ?? []) names.add(`audience:${project.name}/${name}`);
    for (const { name } of project.tokens ?? []) {
      names.add(`tokenId:${project.name}/${name}`).add(`token:${project.name}/${name}`);
    }
  }
  return names;
}

/** @param name of an audience of the project `shop` */
export function audienceRules(name: string): readonly AudienceRule[] {
  const shop = projectsIn(readFixture('fixture.json')).find((project) => project.name === 'shop');
  const audience = shop?.audiences?.find((one) => one.name === name);
  if (audience === undefined) throw new Error(`no audience ${name}`);
  return audience.rules;
}

function projectsIn(document: Json): DeclaredProject[] {
  const { organisations, personalProjects } = document as unknown as {
    organisations: { projects: DeclaredProject[] }[];
    personalProjects: DeclaredProject[];
  };
  return [...organisations.flatMap(({ projects }) => projects), ...personalProjects];
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(join(repositoryRoot(), 'test', file), 'utf8'));
}
