import { isDeepStrictEqual } from 'node:util';
import type { AuditEntry } from '../../../src/domain/audit/audit-entry.ts';
import { effectiveCohorts, stateIn } from '../../../src/domain/flag/flag.ts';
import { soleEnvironment } from '../../../src/domain/project/project.ts';
import { openStoreReader, type StoreReader } from '../../../src/storage/store-reader.ts';
import type { Acknowledgements, Attempt, ShownState } from './acknowledgements.ts';
import type { Installation, Target } from './installation.ts';
import { initialState, isSameState, keyOf } from './mixed-load.ts';

/** The stored states, by flag and environment. */
export type StoredStates = ReadonlyMap<string, { readonly target: Target; readonly state: ShownState }>;

export interface JudgeOptions {
  /** False if the disk may refuse writes: a denial is then answered even if it could not be recorded. */
  readonly areDenialsKept: boolean;
}

export interface Verdict {
  readonly states: StoredStates;
  /** Unanswered changes that were nevertheless made. */
  readonly madeUnanswered: number;
}

const mapBytes = 2 ** 34;

/**
 * Compares the store with what the clients know. Every acknowledged change is there once, in the audit log and in the
 * flag; no refused change is; every other change there is a complete unanswered one. Audit log, change log, revisions
 * and flags agree; no token has two denial emails.
 *
 * No server may be writing. @throws Error on a violation
 */
export async function judgeStore(
  installation: Installation,
  known: Acknowledgements,
  options: JudgeOptions = { areDenialsKept: true },
): Promise<Verdict> {
  const reader = openStoreReader({ directory: installation.dataDir, mapBytes });
  try {
    const judge = new StoreJudge(reader, known);
    judge.replayAudit();
    judge.compareFlags(installation);
    judge.compareChangeLog();
    judge.compareDenials(installation, options);
    return { states: judge.states, madeUnanswered: judge.madeUnanswered };
  } finally {
    await reader.close();
  }
}

interface Replayed {
  readonly target: Target;
  state: ShownState;
}

class StoreJudge {
  readonly states = new Map<string, Replayed>();
  madeUnanswered = 0;
  readonly #reader: StoreReader;
  readonly #known: Acknowledgements;
  readonly #unanswered: Attempt[];
  /** The number of each flag's changes, its creation included. */
  readonly #revisions = new Map<string, number>();
  readonly #order: string[] = [];

  constructor(reader: StoreReader, known: Acknowledgements) {
    this.#reader = reader;
    this.#known = known;
    this.#unanswered = [...known.unanswered];
  }

  replayAudit(): void {
    const missing = new Set(this.#known.changes.keys());
    for (const { id } of this.#reader.queries.organisations()) {
      for (const { entry } of this.#reader.auditEntries(id)) {
        if (entry.requestId === null) continue;
        const state = this.#replay(entry);
        if (!this.#known.changes.has(entry.requestId)) this.#takeUnanswered(entry, state);
        else if (!missing.delete(entry.requestId))
          fail(`request ${entry.requestId} is twice in the audit log`);
      }
    }
    const [lost] = missing;
    if (lost !== undefined) {
      fail(`${missing.size} acknowledged changes are lost, ${JSON.stringify(this.#known.changes.get(lost))}`);
    }
  }

  #replay(entry: AuditEntry): ShownState {
    const target = { flagId: entry.targetId, environment: entry.environment };
    const replayed = this.states.get(keyOf(target)) ?? { target, state: initialState };
    const isCreation = entry.action === 'flag.create';
    const state: Record<string, unknown> = { ...replayed.state };
    for (const { field, before, after } of entry.changes) {
      if (!(field in initialState)) continue;
      if (!isCreation && !isDeepStrictEqual(before, state[field])) {
        fail(`the audit log says that ${field} of ${keyOf(target)} was ${before}; it was ${state[field]}`);
      }
      state[field] = after;
    }
    replayed.state = state as unknown as ShownState;
    this.states.set(keyOf(target), replayed);
    this.#revisions.set(target.flagId, (this.#revisions.get(target.flagId) ?? (isCreation ? 0 : 1)) + 1);
    this.#order.push(keyOf(target));
    const acknowledged = this.#known.changes.get(entry.requestId ?? '');
    if (acknowledged !== undefined && !isSameState(acknowledged.state, replayed.state)) {
      fail(`${JSON.stringify(acknowledged)} is recorded as ${JSON.stringify(replayed.state)}`);
    }
    return replayed.state;
  }

  #takeUnanswered(entry: AuditEntry, state: ShownState): void {
    if (this.#known.refused.has(entry.requestId ?? '')) fail(`a refused change was made: ${entry.requestId}`);
    const index = this.#unanswered.findIndex((attempt) => isAttemptAt(attempt, entry, state));
    if (index < 0) fail(`no client requested ${JSON.stringify(entry)}`);
    this.#unanswered.splice(index, 1);
    this.madeUnanswered += 1;
  }

  compareFlags({ single, multi }: Installation): void {
    const { queries } = this.#reader;
    for (const project of [single, multi].map(({ id }) => queries.project(id))) {
      if (project === undefined) throw new Error('a project is gone');
      const numbers = project.isMultiEnvironment
        ? project.environments
        : [{ number: soleEnvironment, name: null }];
      for (const flag of queries.flagsOf(project.id)) {
        const revision = this.#revisions.get(flag.id) ?? 1;
        if (flag.revision !== revision) {
          fail(`flag ${flag.id} has revision ${flag.revision}; its changes make it ${revision}`);
        }
        for (const { number, name } of numbers) {
          const stored = stateIn(flag, number);
          const state = { ...stored, cohorts: effectiveCohorts(flag, stored) };
          this.#compareState({ flagId: flag.id, environment: name }, state);
        }
        this.#revisions.delete(flag.id);
      }
    }
    const [gone] = this.#revisions.keys();
    if (gone !== undefined) fail(`flag ${gone} is only in the audit log`);
    this.#compareUpdatedAt();
  }

  #compareState(target: Target, state: ShownState): void {
    const replayed = this.states.get(keyOf(target));
    if (!isSameState(replayed?.state ?? initialState, state)) {
      fail(`${keyOf(target)} is ${JSON.stringify(state)}; its changes make it ${JSON.stringify(replayed)}`);
    }
    this.states.set(keyOf(target), { target, state });
  }

  #compareUpdatedAt(): void {
    for (const { target, updatedAt } of this.#known.changes.values()) {
      const stored = this.#reader.queries.flag(target.flagId)?.updatedAt ?? 0;
      if (stored < updatedAt) fail(`flag ${target.flagId} was updated at ${updatedAt}, and now at ${stored}`);
    }
  }

  /** The change log's newest entries are the changes of the audit log, in the same order. */
  compareChangeLog(): void {
    const logged: string[] = [];
    let previous = 0;
    let isWhole = false;
    for (const { sequence, kind, id, environment } of this.#reader.changeLog()) {
      if (previous !== 0 && sequence !== previous + 1)
        fail(`the change log jumps from ${previous} to ${sequence}`);
      previous = sequence;
      isWhole ||= sequence === 1;
      if (kind === 'flag') logged.push(keyOf({ flagId: id, environment }));
    }
    const isShort = isWhole
      ? logged.length < this.#order.length
      : this.#order.length > 0 && logged.length === 0;
    if (isShort) fail(`the change log has ${logged.length} of ${this.#order.length} changes`);
    const compared = Math.min(this.#order.length, logged.length);
    const isSame = isDeepStrictEqual(
      compared === 0 ? [] : logged.slice(-compared),
      compared === 0 ? [] : this.#order.slice(-compared),
    );
    if (!isSame) fail('the change log and the audit log have different changes');
    if (this.#reader.sequence() !== previous)
      fail(`the change log ends at ${previous}, its counter elsewhere`);
  }

  compareDenials({ readers }: Installation, { areDenialsKept }: JudgeOptions): void {
    const emails = new Map<string, number[]>();
    for (const { entry } of this.#reader.queries.outboxAfter(0)) {
      const { tokenId, at } = entry.denial;
      emails.set(tokenId, [...(emails.get(tokenId) ?? []), at]);
    }
    for (const { id } of readers) {
      const rows = Array.from(this.#reader.queries.denialsOf(id)).length;
      const answered = areDenialsKept ? (this.#known.denials.get(id) ?? 0) : 0;
      const asked = this.#known.unanswered.filter((it) => it.kind === 'denial' && it.tokenId === id).length;
      const most = (this.#known.denials.get(id) ?? 0) + asked;
      if (rows < answered || rows > most)
        fail(`token ${id} has ${rows} denials; ${answered} to ${most} were made`);
      const sent = emails.get(id) ?? [];
      if (sent.length !== Math.min(rows, 1))
        fail(`token ${id} has ${rows} denials and ${sent.length} emails`);
      const emailedAt = this.#reader.queries.token(id)?.denialEmailedAt;
      if (emailedAt !== (sent[0] ?? 0)) fail(`token ${id} was emailed at ${sent[0]}, and says ${emailedAt}`);
    }
  }
}

/** Whether the change is complete: every field of the attempt has its value, and no other field has changed. */
function isAttemptAt(attempt: Attempt, entry: AuditEntry, state: ShownState): boolean {
  if (attempt.kind === 'denial') return false;
  const body = { ...(attempt.kind === 'create' ? initialState : {}), ...attempt.body };
  const isWhole = Object.entries(body).every(([field, value]) =>
    isDeepStrictEqual(state[field as keyof ShownState], value),
  );
  if (!isWhole) return false;
  if (attempt.kind === 'create') return entry.action === 'flag.create' && entry.targetName === attempt.name;
  const { flagId, environment } = attempt.target;
  const isOfTarget = flagId === entry.targetId && environment === entry.environment;
  return entry.action === 'flag.patch' && isOfTarget && entry.changes.every(({ field }) => field in body);
}

function fail(what: string): never {
  throw new Error(what);
}
