import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { ProvisionDocument } from '../contracts/provision/provision-document.ts';
import { ProblemList } from '../domain/problem-list.ts';
import { newTokenSecret } from '../domain/token/token-secret.ts';
import { hashSecret } from '../support/hash-secret.ts';
import { hashPassword, isPasswordOf } from '../support/password-hash.ts';
import { newId } from '../support/random-id.ts';
import type { CallWriter } from '../writer/client/operator-port-client.ts';
import type {
  PasswordDecision,
  ProvisionCounts,
  Provisioned,
  ProvisionedProject,
} from '../writer/client/provision-protocol.ts';
import { checkDocument, cutSlice, FlagSliceCheck, type PlacedProject, projectsOf } from './document-check.ts';
import type { ApplyProgress } from './operator-protocol.ts';
import { type ProvisionOutline, readOutline } from './provision-outline.ts';

/** Of an id, in characters. */
const idLength = 20;
const encoder = new TextEncoder();

export type ApplyOutcome =
  | {
      readonly ok: true;
      /** One line of JSON: ids, and the secrets of new tokens, by name. */
      readonly document: Uint8Array;
      readonly warnings: readonly string[];
      readonly counts: ProvisionCounts;
    }
  /** Nothing was applied. The first 50 problems, and how many there are in all. */
  | { readonly ok: false; readonly problems: readonly string[]; readonly problemCount: number };

/** What a verb uses of the thread that runs it. */
export interface OperatorContext {
  readonly callWriter: CallWriter;
  /** Of new token secrets. */
  readonly tokenPrefix: string;
  /** Gives a verb up, as long as nothing is being written. */
  readonly signal?: AbortSignal;
}

/**
 * The verb `apply`: reads and checks the file in slices, hands them to the writer, and has them committed in one
 * transaction. Between slices it lets others run, and looks at the signal.
 *
 * @throws when given up, or when the writer fails; nothing was applied then, unless the writer died in the commit.
 */
export function applyFile(
  file: Uint8Array,
  context: OperatorContext,
  onProgress: ApplyProgress,
): Promise<ApplyOutcome> {
  return new Provisioning(context, onProgress).run(file);
}

class Provisioning {
  readonly #id = newId();
  readonly #callWriter: CallWriter;
  readonly #tokenPrefix: string;
  readonly #signal: AbortSignal | undefined;
  readonly #onProgress: ApplyProgress;
  readonly #problems = new ProblemList();
  readonly #warnings = new ProblemList();
  readonly #flagNames = new Map<string, Iterable<string>>();
  readonly #secrets = new Map<string, string>();

  constructor({ callWriter, tokenPrefix, signal }: OperatorContext, onProgress: ApplyProgress) {
    this.#callWriter = callWriter;
    this.#tokenPrefix = tokenPrefix;
    this.#signal = signal;
    this.#onProgress = onProgress;
  }

  async run(file: Uint8Array): Promise<ApplyOutcome> {
    const outline = readOutline(file, this.#problems);
    if (outline === undefined) return this.#refusal();
    checkDocument(outline.document, this.#problems, this.#warnings);
    try {
      await this.#stageFlags(file, outline);
      if (!this.#problems.isEmpty) return this.#refusal();
      return await this.#commit(outline);
    } finally {
      await this.#callWriter('discard', null);
    }
  }

  #refusal(): ApplyOutcome {
    return { ok: false, problems: this.#problems.listed, problemCount: this.#problems.count };
  }

  async #stageFlags(file: Uint8Array, { flags, flagCount }: ProvisionOutline): Promise<void> {
    let done = 0;
    for (const { projectPath, slices } of flags) {
      const check = new FlagSliceCheck(projectPath, this.#problems);
      this.#flagNames.set(projectPath, check.names);
      for (const place of slices) {
        const { firstIndex } = place;
        const json = cutSlice(file, place);
        check.check(json, firstIndex);
        const slice = { projectPath, firstIndex, json };
        if (this.#problems.isEmpty) await this.#callWriter('stage', { provisionId: this.#id, slice });
        done += place.count;
        this.#onProgress('check', done, flagCount);
        await setImmediate();
        this.#signal?.throwIfAborted();
      }
    }
  }

  async #commit({ document, flagCount }: ProvisionOutline): Promise<ApplyOutcome> {
    const projects = projectsOf(document);
    const secretHashes = this.#makeSecrets(projects);
    const passwords = await decidePasswords(document, this.#callWriter);
    this.#signal?.throwIfAborted();
    const request = { document: withoutPasswords(document), passwords, secretHashes };
    const outcome = await this.#callWriter('commit', { provisionId: this.#id, request }, (flagsDone) =>
      this.#onProgress('write', flagsDone, flagCount),
    );
    if (!outcome.ok) return outcome;
    const { warnings, counts } = outcome.value;
    const names = { projects, flagNames: this.#flagNames, secrets: this.#secrets };
    return {
      ok: true,
      document: renderAnswer(outcome.value, names),
      warnings: [...this.#warnings.listed, ...warnings],
      counts,
    };
  }

  /** Secrets for every declared token; those of tokens that exist already are forgotten unseen. */
  #makeSecrets(projects: readonly PlacedProject[]): ReadonlyMap<string, Uint8Array> {
    const hashes = new Map<string, Uint8Array>();
    for (const { path, project } of projects) {
      for (const index of (project.tokens ?? []).keys()) {
        const tokenPath = `${path}.tokens[${index}]`;
        const secret = newTokenSecret(this.#tokenPrefix, randomBytes(32));
        this.#secrets.set(tokenPath, secret);
        hashes.set(tokenPath, hashSecret(secret.slice(secret.lastIndexOf('_') + 1)));
      }
    }
    return hashes;
  }
}

interface DeclaredPassword {
  readonly path: string;
  readonly organisation: string;
  readonly email: string;
  readonly password: string;
}

/**
 * Decides what each declared password means, off the writer's thread: a stored hash that fits stays, so that a file
 * applied again changes nothing; any other gets a hash of its own.
 *
 * @returns by the path of the member.
 */
async function decidePasswords(
  document: ProvisionDocument,
  callWriter: CallWriter,
): Promise<ReadonlyMap<string, PasswordDecision>> {
  const declared = declaredPasswords(document);
  const decisions = new Map<string, PasswordDecision>();
  if (declared.length === 0) return decisions;
  const names = declared.map(({ organisation, email }) => ({ organisation, email }));
  const stored = await callWriter('passwordHashes', names);
  for (const [index, { path, password }] of declared.entries()) {
    decisions.set(path, await decide(password, stored[index] ?? null));
  }
  return decisions;
}

function declaredPasswords({ organisations = [] }: ProvisionDocument): DeclaredPassword[] {
  return organisations.flatMap(({ name, members = [] }, index) =>
    members.flatMap(({ email, password }, memberIndex) => {
      const path = `organisations[${index}].members[${memberIndex}]`;
      return password === undefined ? [] : [{ path, organisation: name.trim(), email, password }];
    }),
  );
}

async function decide(password: string, stored: string | null): Promise<PasswordDecision> {
  // What is no hash that the library reads is replaced.
  if (stored !== null && (await isPasswordOf(stored, password))) {
    return { kind: 'keep', passwordHash: stored };
  }
  return { kind: 'set', passwordHash: await hashPassword(password) };
}

/** The document as the writer may see it. */
function withoutPasswords(document: ProvisionDocument): ProvisionDocument {
  const { organisations } = document;
  if (organisations === undefined) return document;
  return {
    ...document,
    organisations: organisations.map(({ members, ...organisation }) => ({
      ...organisation,
      ...(members === undefined
        ? {}
        : { members: members.map(({ name, email, role }) => ({ name, email, role })) }),
    })),
  };
}

/** What the operator knows and the writer does not: names in the order of the ids, and the secrets. */
interface AnswerNames {
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
function renderAnswer({ projects }: Provisioned, names: AnswerNames): Uint8Array {
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
