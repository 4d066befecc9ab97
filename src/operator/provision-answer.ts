import type { Provisioned, ProvisionedProject } from '../writer/provision/provision-protocol.ts';
import type { PlacedProject } from './document-check.ts';

const idLength = 20;
const encoder = new TextEncoder();

/** What the operator knows and the writer does not: names in the order of the ids, and the secrets. */
export interface AnswerNames {
  readonly projects: readonly PlacedProject[];
  /** By the project's path. */
  readonly flagNames: ReadonlyMap<string, Iterable<string>>;
  /** By the token's path. */
  readonly secrets: ReadonlyMap<string, string>;
}

/**
 * The one document that `apply` prints: ids and new secrets by name. It is put together as text, because it may name a
 * million flags, and because `__proto__` is a name like any other.
 */
export function renderAnswer({ projects }: Provisioned, names: AnswerNames): Uint8Array {
  const byPath = new Map(projects.map((project) => [project.path, project]));
  const members = names.projects.map(({ path, project }) => {
    const ids = byPath.get(path);
    if (ids === undefined) throw new Error(`the writer did not answer for ${path}`);
    const audiences = (project.audiences ?? []).map(({ name }, index) =>
      member(name.trim(), JSON.stringify(ids.audienceIds[index])),
    );
    const tokens = (project.tokens ?? []).map(({ name }, index) =>
      member(name.trim(), JSON.stringify(tokenAnswer(ids, index, names.secrets))),
    );
    const flags = [...flagMembers(ids, names.flagNames.get(path) ?? [])];
    const parts = [member('id', JSON.stringify(ids.id)), object('flags', flags)];
    return object(project.name.trim(), [...parts, object('audiences', audiences), object('tokens', tokens)]);
  });
  return encoder.encode(`{${object('projects', members)}}\n`);
}

function member(name: string, json: string): string {
  return `${JSON.stringify(name)}:${json}`;
}

function object(name: string, members: readonly string[]): string {
  return member(name, `{${members.join(',')}}`);
}

function tokenAnswer(
  { path, tokens }: ProvisionedProject,
  index: number,
  secrets: ReadonlyMap<string, string>,
): { readonly id: string | undefined; readonly secret: string | null } {
  const token = tokens[index];
  const secret = token?.isNew ? secrets.get(`${path}.tokens[${index}]`) : undefined;
  return { id: token?.id, secret: secret ?? null };
}

/** Names and ids stand in the same order: that of the file. */
function* flagMembers({ flagIds }: ProvisionedProject, names: Iterable<string>): Generator<string> {
  const ids = allIds(flagIds);
  for (const name of names) yield member(name, JSON.stringify(ids.next().value));
}

function* allIds(texts: readonly string[]): Generator<string> {
  for (const text of texts) {
    for (let at = 0; at < text.length; at += idLength) yield text.slice(at, at + idLength);
  }
}
