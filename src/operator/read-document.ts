import { compileSchema, stepInto } from '../contracts/compiled-schema.ts';
import type { DeclaredPersonalProject, DeclaredProject } from '../contracts/provision/declared-project.ts';
import {
  type ProvisionDocument,
  provisionDocumentSchema,
} from '../contracts/provision/provision-document.ts';
import { contextParameters } from '../domain/evaluation/evaluation-context.ts';
import { ProblemList, shown } from '../domain/problem-list.ts';
import { nestingMax, positionOf, scanJson } from '../support/json-scan.ts';

/** They are never attributes, so a rule on one of them would never match (decisions). */
const reservedAttributes: readonly string[] = contextParameters;

const documentCheck = compileSchema(provisionDocumentSchema);

interface ReadDocument {
  /** Right only if there are no problems. */
  readonly document: ProvisionDocument;
  readonly problems: ProblemList;
  readonly warnings: ProblemList;
}

/** Parses the file of an `apply` and checks all that can be checked without the store. */
export function readDocument(file: Uint8Array): ReadDocument {
  const problems = new ProblemList();
  const warnings = new ProblemList();
  const document = parse(file, problems);
  const texts = problems.isEmpty ? documentCheck.problems(document, { name: 'the document' }) : [];
  for (const text of texts) problems.add(() => text);
  if (problems.isEmpty) checkDocument(document as ProvisionDocument, problems, warnings);
  return { document: document as ProvisionDocument, problems, warnings };
}

function parse(file: Uint8Array, problems: ProblemList): unknown {
  let text: string;
  try {
    // It skips a byte order mark.
    text = new TextDecoder('utf-8', { fatal: true }).decode(file);
  } catch {
    problems.add(() => 'the file is not UTF-8 text');
    return null;
  }
  const fault = scanJson(text, nestingMax, true);
  if (fault === null) return JSON.parse(text);
  const { line, column } = positionOf(text, fault.start);
  problems.add(() => `the file is not valid JSON: line ${line}, column ${column}: ${fault.message}`);
  return null;
}

/** A project of a document with its path. */
export interface PlacedProject {
  readonly path: string;
  readonly project: DeclaredProject | DeclaredPersonalProject;
}

/** @returns every project, in the order in which the writer answers for them. */
export function projectsOf({
  organisations = [],
  personalProjects = [],
}: ProvisionDocument): PlacedProject[] {
  const placed = (projects: readonly DeclaredProject[], path: string): PlacedProject[] =>
    projects.map((project, index) => ({ path: stepInto(path, index), project }));
  return [
    ...organisations.flatMap(({ projects = [] }, index) =>
      placed(projects, `organisations[${index}].projects`),
    ),
    ...placed(personalProjects, 'personalProjects'),
  ];
}

/** Checks what the schema cannot express: names are unique, and personal projects have no tokens. */
function checkDocument(document: ProvisionDocument, problems: ProblemList, warnings: ProblemList): void {
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
  { environments = [], audiences = [], tokens = [], flags = [] }: DeclaredProject,
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
  checkUnique(flags, `${path}.flags`, 'name', problems);
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
