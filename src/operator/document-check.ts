import { compileSchema, stepInto } from '../contracts/compiled-schema.ts';
import { declaredFlagsSchema } from '../contracts/provision/declared-flag.ts';
import type { DeclaredPersonalProject, DeclaredProject } from '../contracts/provision/declared-project.ts';
import type { ProvisionDocument } from '../contracts/provision/provision-document.ts';
import { contextParameters } from '../domain/evaluation/evaluation-context.ts';
import { type ProblemList, shown } from '../domain/problem-list.ts';
import type { SlicePlace } from './provision-outline.ts';

/** They are never attributes, so a rule on one of them would never match (decisions). */
const reservedAttributes: readonly string[] = contextParameters;

const flagsCheck = compileSchema(declaredFlagsSchema);
const decoder = new TextDecoder();

/** A project of the document with its path. */
export interface PlacedProject {
  readonly path: string;
  readonly project: DeclaredProject | DeclaredPersonalProject;
}

/** @returns every project, in the order of provisioning. */
export function projectsOf(document: ProvisionDocument): PlacedProject[] {
  const placed = (projects: readonly DeclaredProject[], path: string): PlacedProject[] =>
    projects.map((project, index) => ({ path: stepInto(path, index), project }));
  const { organisations = [], personalProjects = [] } = document;
  return [
    ...organisations.flatMap(({ projects = [] }, index) =>
      placed(projects, `organisations[${index}].projects`),
    ),
    ...placed(personalProjects, 'personalProjects'),
  ];
}

/** Checks what the schema cannot express: names are unique, and personal projects have no tokens. */
export function checkDocument(
  document: ProvisionDocument,
  problems: ProblemList,
  warnings: ProblemList,
): void {
  const { organisations = [], personalProjects = [] } = document;
  checkUnique(organisations, 'organisations', 'name', problems);
  for (const [index, { members = [] }] of organisations.entries()) {
    checkUnique(members, `organisations[${index}].members`, 'email', problems);
  }
  const names = new Set<string>();
  for (const { path, project } of projectsOf(document)) {
    checkName(names, project.name.trim(), `${path}.name`, problems);
    checkProject(project, path, problems, warnings);
  }
  for (const [index, { tokens = [] }] of personalProjects.entries()) {
    if (tokens.length > 0)
      problems.add(() => `personalProjects[${index}].tokens: a personal project has no tokens`);
  }
}

function checkProject(
  { environments = [], audiences = [], tokens = [] }: DeclaredProject,
  path: string,
  problems: ProblemList,
  warnings: ProblemList,
): void {
  const seen = new Set<string>();
  for (const [index, name] of environments.entries()) {
    checkName(seen, name, `${path}.environments[${index}]`, problems);
  }
  checkUnique(audiences, `${path}.audiences`, 'name', problems);
  checkUnique(tokens, `${path}.tokens`, 'name', problems);
  for (const [index, { rules }] of audiences.entries()) {
    for (const [ruleIndex, { attribute }] of rules.entries()) {
      if (!reservedAttributes.includes(attribute)) continue;
      const at = `${path}.audiences[${index}].rules[${ruleIndex}].attribute`;
      warnings.add(() => `${at}: "${attribute}" is never an attribute, so this rule never matches`);
    }
  }
}

/** Emails are compared in lower case, names as they are. */
function checkUnique<Key extends 'name' | 'email'>(
  items: readonly Readonly<Record<Key, string>>[],
  path: string,
  key: Key,
  problems: ProblemList,
): void {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const text = item[key].trim();
    checkName(seen, key === 'email' ? text.toLowerCase() : text, `${stepInto(path, index)}.${key}`, problems);
  }
}

function checkName(seen: Set<string>, name: string, path: string, problems: ProblemList): void {
  if (seen.has(name)) problems.add(() => `${path}: "${shown(name)}" is in the file twice`);
  seen.add(name);
}

/** @returns the slice as the bytes of a JSON array. */
export function cutSlice(file: Uint8Array, { start, end }: SlicePlace): Uint8Array {
  const json = new Uint8Array(end - start + 2);
  json[0] = 0x5b;
  json.set(file.subarray(start, end), 1);
  json[json.length - 1] = 0x5d;
  return json;
}

/** Checks the flags of one project slice by slice, and keeps their names. */
export class FlagSliceCheck {
  readonly #projectPath: string;
  readonly #problems: ProblemList;
  /** In the order of the file. */
  readonly #names = new Set<string>();

  constructor(projectPath: string, problems: ProblemList) {
    this.#projectPath = projectPath;
    this.#problems = problems;
  }

  /** The flags' names, trimmed; each may occur once. */
  get names(): Iterable<string> {
    return this.#names;
  }

  check(json: Uint8Array, firstIndex: number): void {
    const flags: unknown = JSON.parse(decoder.decode(json));
    const path = stepInto(this.#projectPath, 'flags');
    if (!flagsCheck.isRight(flags)) {
      for (const text of flagsCheck.problems(flags, { path, firstIndex })) this.#problems.add(() => text);
      return;
    }
    for (const [index, { name }] of flags.entries()) {
      checkName(this.#names, name.trim(), `${stepInto(path, firstIndex + index)}.name`, this.#problems);
    }
  }
}
