import { createHash } from 'node:crypto';
import type { AuditEntry } from '../../../src/domain/audit/audit-entry.ts';
import type { Flag } from '../../../src/domain/flag/flag.ts';
import type { RecordChange } from '../../../src/domain/record-change.ts';
import type { StoreReader } from '../../../src/storage/store-reader.ts';
import {
  auditEntryOf,
  creationOf,
  flagChangeOf,
  flagOf,
  organisationOf,
  projectOf,
} from '../../storage/support/records.ts';
import type { Random } from '../../support/random.ts';

/** Older entries of the audit log are dropped: fewer with each commit than one commit may drop. */
const auditEntriesKept = 60;

/** A model of the store's content after each commit, for comparison with a cut image. */
export class StoreModel {
  readonly #random: Random;
  readonly #organisation = organisationOf();
  readonly #project = projectOf(this.#organisation.id);
  readonly #flags = new Map<string, Flag>();
  readonly #audit: AuditEntry[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  first(): RecordChange[] {
    return [
      creationOf('organisation', this.#organisation),
      creationOf('project', this.#project),
      ...this.#auditOf('project.create'),
    ];
  }

  /** Creates, changes and removes some flags: small ones, and some of many pages. */
  next(): RecordChange[] {
    const count = this.#random.chance(0.1) ? this.#random.integer(10, 40) : this.#random.integer(1, 4);
    return Array.from({ length: count }, () => this.#change()).flat();
  }

  /** The time of the oldest entry of the audit log that stays, as `dropAuditEntries` takes it; 0 while all stay. */
  get auditKeptFrom(): number {
    return Math.max(0, this.#audit.length - auditEntriesKept);
  }

  digest(): string {
    const flags = [...this.#flags.values()].sort((left, right) => (left.id < right.id ? -1 : 1));
    return digestOf(flags, this.#audit.slice(this.auditKeptFrom));
  }

  #change(): RecordChange[] {
    const known = [...this.#flags.values()];
    const isNew = known.length < 20 || this.#random.chance(0.2);
    if (isNew) return this.#set(null, flagOf(this.#project.id, { cohorts: this.#cohorts() }));
    const before = this.#random.pick(known);
    if (known.length > 60 && this.#random.chance(0.5)) return this.#set(before, null);
    return this.#set(before, { ...before, revision: before.revision + 1, cohorts: this.#cohorts() });
  }

  #set(before: Flag | null, after: Flag | null): RecordChange[] {
    if (after !== null) this.#flags.set(after.id, after);
    else if (before !== null) this.#flags.delete(before.id);
    return [flagChangeOf(before, after), ...this.#auditOf(after === null ? 'project.edit' : 'flag.patch')];
  }

  #auditOf(action: AuditEntry['action']): RecordChange[] {
    const entry = auditEntryOf(this.#organisation.id, { action, at: this.#audit.length });
    this.#audit.push(entry);
    return [{ kind: 'audit', entry }];
  }

  #cohorts(): string[] {
    const bytes = this.#random.chance(0.1)
      ? this.#random.integer(3000, 30_000)
      : this.#random.integer(1, 200);
    return [String(this.#random.integer(0, 1e9)).padEnd(bytes, 'x')];
  }
}

/** @returns the digest of all records of the model; before the first write, that of an empty store */
export function storedDigest(reader: StoreReader): string {
  const flags = Array.from(reader.queries.projects(), ({ id }) => [...reader.queries.flagsOf(id)]).flat();
  flags.sort((left, right) => (left.id < right.id ? -1 : 1));
  const audit = Array.from(reader.queries.organisations(), ({ id }) =>
    Array.from(reader.auditEntries(id), ({ entry }) => entry),
  ).flat();
  return digestOf(flags, audit);
}

function digestOf(flags: readonly Flag[], audit: readonly AuditEntry[]): string {
  const plain = flags.map(({ id, projectId, name, cohorts, states, revision, updatedAt }) => [
    [id, projectId, name, cohorts, revision, updatedAt],
    Array.from(states, ([number, { enabled, trafficPercentage }]) => [number, enabled, trafficPercentage]),
  ]);
  const ids = audit.map(({ id, at, action }) => [id, at, action]);
  return createHash('sha256')
    .update(JSON.stringify([plain, ids]))
    .digest('base64');
}

export const emptyDigest: string = digestOf([], []);
