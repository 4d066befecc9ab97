import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { ProblemList } from '../domain/problem-list.ts';
import { newTokenSecret } from '../domain/token/token-secret.ts';
import { hashSecret } from '../support/hash-secret.ts';
import { newId } from '../support/random-id.ts';
import type { OperatorWriterPort } from '../writer/operator-port-protocol.ts';
import type { ProvisionOutcome } from '../writer/provision/provision-protocol.ts';
import type { ApplyOutcome, ApplyProgress } from './apply-outcome.ts';
import { decidePasswords, withoutPasswords } from './declared-passwords.ts';
import { checkDocument, cutSlice, FlagSliceCheck, type PlacedProject, projectsOf } from './document-check.ts';
import { renderAnswer } from './provision-answer.ts';
import { type ProvisionOutline, readOutline } from './provision-outline.ts';

/**
 * One `apply`: reads and checks the file in slices, hands them to the writer, and has them committed in one transaction.
 * Between slices it lets others run, and looks whether anybody still waits for it.
 */
export class Provisioning {
  readonly #id = newId();
  readonly #port: OperatorWriterPort;
  readonly #tokenPrefix: string;
  readonly #onProgress: ApplyProgress;
  readonly #signal: AbortSignal;
  readonly #problems = new ProblemList();
  readonly #warnings = new ProblemList();
  readonly #flagNames = new Map<string, Iterable<string>>();
  readonly #secrets = new Map<string, string>();

  constructor(port: OperatorWriterPort, tokenPrefix: string, onProgress: ApplyProgress, signal: AbortSignal) {
    this.#port = port;
    this.#tokenPrefix = tokenPrefix;
    this.#onProgress = onProgress;
    this.#signal = signal;
  }

  /** @throws when given up, or when the writer fails; nothing was applied then, unless the writer died in the commit. */
  async run(file: Uint8Array): Promise<ApplyOutcome> {
    const outline = readOutline(file, this.#problems);
    if (outline === undefined) return this.#refusal();
    checkDocument(outline.document, this.#problems, this.#warnings);
    try {
      await this.#stageFlags(file, outline);
      if (!this.#problems.isEmpty) return this.#refusal();
      return await this.#commit(outline);
    } finally {
      await this.#port.discard(null);
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
        if (this.#problems.isEmpty) await this.#port.stage({ provisionId: this.#id, slice });
        done += place.count;
        this.#onProgress('check', done, flagCount);
        await setImmediate();
        this.#signal.throwIfAborted();
      }
    }
  }

  async #commit({ document, flagCount }: ProvisionOutline): Promise<ApplyOutcome> {
    const projects = projectsOf(document);
    const secretHashes = this.#makeSecrets(projects);
    const passwords = await decidePasswords(document, this.#port);
    this.#signal.throwIfAborted();
    const request = { document: withoutPasswords(document), passwords, secretHashes };
    const outcome = await this.#port.commit({ provisionId: this.#id, request }, (flagsDone) =>
      this.#onProgress('write', flagsDone, flagCount),
    );
    return this.#answer(outcome, projects);
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

  #answer(outcome: ProvisionOutcome, projects: readonly PlacedProject[]): ApplyOutcome {
    if (!outcome.ok) return outcome;
    const { warnings, counts } = outcome.value;
    const names = { projects, flagNames: this.#flagNames, secrets: this.#secrets };
    const document = renderAnswer(outcome.value, names);
    return { ok: true, document, warnings: [...this.#warnings.listed, ...warnings], counts };
  }
}
