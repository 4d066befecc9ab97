import type { DeclaredPersonalProject, DeclaredProject } from '../contracts/provision/declared-project.ts';
import type { ProvisionDocument } from '../contracts/provision/provision-document.ts';
import { stepInto } from '../contracts/provision/provision-paths.ts';
import { contextParameters } from '../domain/evaluation/evaluation-context.ts';
import { type ProblemList, shown } from '../domain/problem-list.ts';

/** Never attributes, so a rule on one of them never matches (decisions). */
const reservedAttributes: readonly string[] = contextParameters;

/** A project of the document with its path. */
export interface PlacedProject {
  readonly path: string;
  readonly project: DeclaredProject | DeclaredPersonalProject;
}

/** @returns every project, in the order in which they are provisioned. */
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

/** Checks what the shape does not say: that names tell things apart, and that personal projects have no tokens. */
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

/** Emails are told apart in lower case, names as they are. */
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
  if (seen.has(name)) problems.add(() => `${path}: "${shown(name)}" stands in the file twice`);
  seen.add(name);
}
