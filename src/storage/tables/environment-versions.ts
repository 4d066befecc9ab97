import { changedEnvironments } from '../../domain/flag/changed-environments.ts';
import type { RecordChange } from '../../domain/record-change.ts';
import { newId } from '../../support/random-id.ts';
import { type Finding, findingAt, type StoreWalk } from '../check/store-walk.ts';
import { firstIdOf, ownedSequenceKey, sequenceOf } from '../keys/key-parts.ts';
import type { RecordSource } from '../record-source.ts';
import { recordOfValue } from '../records/record-codec.ts';
import type { WriteTarget } from '../write-target.ts';
import { counterRecord, historyRecord, metaKeys } from './meta.ts';
import { projectRecord } from './projects.ts';
import type { Table } from './table.ts';

/* Every change of a flag, an audience or a project has a number, which counts up within a history. A client that holds
   the configuration of an environment names the last number that it knows: so it is sent what it has missed. Number and
   history are the same on all nodes of a cluster. */

export const environmentVersionRecord = recordOfValue<number>('environment-versions');

/** Instead of an environment's number: a change that concerns all environments of the project. */
const allEnvironments = 2 ** 32;

export const environmentVersionTable = {
  kinds: [{ codec: environmentVersionRecord, indexes: [] }],
  answers: {},
  writes: {},
  check: checkEnvironmentVersions,
} satisfies Table;

/** The number of the last change that concerned an environment; 0 for none. */
export function environmentVersion(source: RecordSource, projectId: string, environment: number): number {
  return Math.max(find(source, projectId, environment), find(source, projectId, allEnvironments));
}

function find(source: RecordSource, projectId: string, environment: number): number {
  return source.find(environmentVersionRecord, ownedSequenceKey(projectId, environment)) ?? 0;
}

/** Gives each change its number, in the transaction that writes it: one number for each entry of the change log. */
export function numberChanges(target: WriteTarget, changes: readonly RecordChange[]): void {
  const first = target.source.find(counterRecord, metaKeys.changes) ?? 0;
  let number = first;
  const versions = new Map<string, { readonly key: Buffer; readonly number: number }>();
  for (const change of changes) {
    if (change.kind !== 'flag' && change.kind !== 'audience' && change.kind !== 'project') continue;
    number += 1;
    const projectId = projectOf(change);
    for (const environment of environmentsOf(change)) {
      const key = ownedSequenceKey(projectId, environment);
      versions.set(key.toString('latin1'), { key, number });
    }
  }
  if (number === first) return;
  target.put(counterRecord, metaKeys.changes, number);
  for (const version of versions.values()) {
    target.put(environmentVersionRecord, version.key, version.number);
  }
}

type NumberedChange = Extract<RecordChange, { readonly kind: 'flag' | 'audience' | 'project' }>;

function projectOf(change: NumberedChange): string {
  const subject = change.after ?? change.before;
  if (subject === null) throw new Error('A record change must be of one record');
  return 'projectId' in subject ? subject.projectId : subject.id;
}

/** A project's own fields do not change what its environments evaluate, but a name may lead to another environment now. */
function environmentsOf(change: NumberedChange): readonly number[] {
  if (change.kind === 'project') return renamedEnvironments(change);
  if (change.kind === 'audience') return [allEnvironments];
  return changedEnvironments(change.before, change.after) ?? [allEnvironments];
}

/** Begins another history: earlier numbers do not belong to it. */
export function beginHistory(target: WriteTarget): void {
  target.put(historyRecord, metaKeys.history, newId());
}

function renamedEnvironments({
  before,
  after,
}: Extract<NumberedChange, { readonly kind: 'project' }>): readonly number[] {
  const names = new Map(before?.environments.map(({ number, name }) => [number, name]));
  const renamed = after?.environments.filter(({ number, name }) => names.get(number) !== name) ?? [];
  return renamed.map(({ number }) => number);
}

function* checkEnvironmentVersions(walk: StoreWalk): Generator<Finding> {
  const last = walk.find(counterRecord, metaKeys.changes) ?? 0;
  yield* walk.records(environmentVersionRecord, function* ({ key, record }) {
    const project = walk.findById(projectRecord, firstIdOf(key));
    const environment = sequenceOf(key);
    const isKnown = environment === allEnvironments || environment < (project?.nextEnvironmentNumber ?? 1);
    if (project !== null && !isKnown) yield findingAt('environment-versions', key, 'is of no environment');
    if (record <= last) return;
    yield findingAt('environment-versions', key, `is ${record}, but the last change is ${last}`);
  });
}
