import type { Provisioned } from '../support/provisioning.ts';
import type { Json } from './conformance-case.ts';

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

interface Named {
  readonly name: string;
}

interface DeclaredProject extends Named {
  readonly flags?: readonly Named[];
  readonly audiences?: readonly Named[];
  readonly tokens?: readonly Named[];
}

/** The same names, read from the fixture, for checks without a server. */
export function namesInFixture(document: Json): Set<string> {
  const { organisations, personalProjects } = document as unknown as {
    organisations: { projects: DeclaredProject[] }[];
    personalProjects: DeclaredProject[];
  };
  const names = new Set<string>();
  for (const project of [...organisations.flatMap(({ projects }) => projects), ...personalProjects]) {
    names.add(`project:${project.name}`);
    for (const { name } of project.flags ?? []) names.add(`flag:${project.name}/${name}`);
    for (const { name } of project.audiences ?? []) names.add(`audience:${project.name}/${name}`);
    for (const { name } of project.tokens ?? []) {
      names.add(`tokenId:${project.name}/${name}`).add(`token:${project.name}/${name}`);
    }
  }
  return names;
}
