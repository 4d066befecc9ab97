import { setTimeout as pause } from 'node:timers/promises';
import { auditRecord, decodeAuditEntry } from '../../src/storage/tables/audit-record.ts';
import { expect } from '../support/expectations.ts';
import { type Lifetime, withLifetime } from '../support/lifetime.ts';
import { findPostgres } from '../support/postgres/postgres-binaries.ts';
import type { Random } from '../support/random.ts';
import type { Campaign, CampaignContext } from './campaign.ts';
import { type ChangeOutcome, isDetached, outcomeOf } from './cluster/cluster-answers.ts';
import { allAttached, type ClusterStage, type NodePlace, openStage } from './cluster/cluster-stage.ts';
import { nemeses } from './cluster/nemeses.ts';
import { checkRegister, type Operation } from './history.ts';
import { getRequest, patchRequest, type WireAnswer, WireConnection } from './wire-connection.ts';

const clients = 12;
const flagCount = 6;
/** The value that the stage gives each flag. */
const initial = 'v0';
const faultsPerRun = { sample: 2, full: 5 };
const standstillMs = { min: 500, max: 8000 };
const attachedMsMax = 60_000;
const reopenPauseMs = 20;
/** So often a client goes on with another node. */
const moveChance = 0.02;
/** Values that clients have written lately, which are asked for. */
const recentMax = 6;

/** Flags as registers: the one cohort of a flag is its value, and the flag is off for all others. */
interface Registers {
  /** Ids of the flags. */
  readonly flags: readonly string[];
  /** Of a token that may change them. */
  readonly secret: string;
  /** By flag. */
  readonly recent: readonly string[][];
}

/** A request of a client, and what its answer says about a register. */
interface RegisterStep {
  readonly flag: number;
  readonly request: string;
  /** @returns what an operation with this answer does; for a write, see `judge` */
  readonly read: (answer: WireAnswer) => Pick<Operation, 'name' | 'apply'>;
  /** A write's value; null for a request that changes nothing. */
  readonly written: string | null;
}

/** @param name differs for each step: it is the value of a write */
function chooseStep({ flags, secret, recent }: Registers, random: Random, name: string): RegisterStep {
  const flag = random.integer(0, flags.length - 1);
  const id = flags[flag] ?? '';
  const values = recent[flag] ?? [initial];
  const chance = random.next();
  if (chance < 0.4) {
    values.push(name);
    if (values.length > recentMax) values.shift();
    const request = patchRequest(`/api/v1/flags/${id}`, secret, { cohorts: [name] });
    return { flag, request, read: () => ({ name, apply: () => name }), written: name };
  }
  if (chance < 0.7) {
    const read = ({ body }: WireAnswer) => {
      const value = textIn((JSON.parse(body) as { cohorts: unknown }).cohorts);
      const apply = (state: string) => (state === value ? state : null);
      return { name: `a read of ${value}`, apply };
    };
    return { flag, request: getRequest(`/api/v1/flags/${id}`, secret), read, written: null };
  }
  const value = random.pick(values);
  const read = ({ body }: WireAnswer) => {
    const { enabled } = JSON.parse(body) as { enabled: boolean };
    const apply = (state: string) => ((state === value) === enabled ? state : null);
    return { name: `an evaluation for ${value}, ${enabled}`, apply };
  };
  const request = getRequest(`/v1/flags/${id}?cohort=${encodeURIComponent(value)}`);
  return { flag, request, read, written: null };
}

type Write = Omit<Operation, 'name' | 'apply'> & { readonly value: string };

/** What clients did to the flags, and what each node answered. By flag. */
interface Histories {
  readonly writes: readonly Write[][];
  readonly readsOf: Map<NodePlace, readonly Operation[][]>;
  /** Values of changes that were refused, and their answers. */
  readonly refused: Map<string, string>;
}

interface Run {
  readonly stage: ClusterStage;
  readonly registers: Registers;
  readonly histories: Histories;
  readonly counts: Record<ChangeOutcome | 'reads' | 'detached', number>;
  isOver: boolean;
}

async function playClient(run: Run, random: Random, client: number): Promise<void> {
  let open: { readonly place: NodePlace; readonly connection: WireConnection } | null = null;
  for (let turn = 1; !run.isOver; turn += 1) {
    if (open?.connection.isLost === false && random.chance(moveChance)) open.connection.destroy();
    if (open === null || open.connection.isLost) {
      open = await connect(run, random);
      if (open === null) await pause(reopenPauseMs);
      continue;
    }
    const step = chooseStep(run.registers, random, `client ${client} turn ${turn}`);
    await playStep(run, open.place, open.connection, step);
  }
  open?.connection.destroy();
}

async function connect({ stage }: Run, random: Random) {
  const place = random.pick(stage.places);
  if (place.server === null) return null;
  const connection = await WireConnection.open(place.server.port).catch(() => null);
  return connection === null ? null : { place, connection };
}

async function playStep(
  run: Run,
  place: NodePlace,
  connection: WireConnection,
  step: RegisterStep,
): Promise<void> {
  const calledAt = performance.now();
  const answer = await connection.ask(step.request).catch(() => null);
  const returnedAt = performance.now();
  if (step.written !== null) noteWrite(run, step, answer, calledAt, returnedAt);
  else if (answer !== null) noteRead(run, place, step, answer, calledAt, returnedAt);
}

/**
 * A change that was stored without being confirmed, or whose outcome is unknown, may happen at any time until the run
 * ends: PostgreSQL may have it from a process that has died.
 */
function noteWrite(
  { histories, counts }: Run,
  { flag, request, written }: RegisterStep,
  answer: WireAnswer | null,
  calledAt: number,
  returnedAt: number,
): void {
  const outcome = answer === null ? 'uncertain' : outcomeOf(answer.status, answer.body);
  expect(outcome !== 'fault', `${request.slice(0, 60)}: ${answer?.status} ${answer?.body}`);
  counts[outcome] += 1;
  if (outcome === 'refused') {
    histories.refused.set(written ?? '', `${answer?.status} ${answer?.body}`);
    return;
  }
  histories.writes[flag]?.push({
    value: written ?? '',
    calledAt,
    returnedAt: outcome === 'acknowledged' ? returnedAt : Number.POSITIVE_INFINITY,
    isOptional: outcome === 'uncertain',
  });
}

/** A node that is cut off says so, or refuses to read for the Management API: what it answers then is not promised. */
function noteRead(
  { histories, counts, registers }: Run,
  place: NodePlace,
  { flag, request, read }: RegisterStep,
  answer: WireAnswer,
  calledAt: number,
  returnedAt: number,
): void {
  if (answer.status === 503 || isDetached(answer)) {
    counts.detached += 1;
    return;
  }
  expect(answer.status === 200, `${request.slice(0, 60)}: ${answer.status} ${answer.body}`);
  counts.reads += 1;
  const reads = histories.readsOf.get(place) ?? registers.flags.map(() => []);
  histories.readsOf.set(place, reads);
  reads[flag]?.push({ ...read(answer), calledAt, returnedAt, isOptional: false });
}

async function disturb(t: Lifetime, { stage }: Run, random: Random, count: number): Promise<string[]> {
  const played: string[] = [];
  await pause(1000);
  for (let fault = 0; fault < count; fault += 1) {
    const name = random.pick(Object.keys(nemeses));
    played.push(name);
    await nemeses[name]?.({
      t,
      stage,
      onNewPlace: () => undefined,
      random: random.fork(fault),
      standstillMs,
    });
    await pause(random.integer(200, 1500));
  }
  return played;
}

/**
 * The record's order of the writes, with the reads of one node, has to explain each of its answers. Nodes apply one history
 * at slightly different times, so before a write is acknowledged one node may show it and another not.
 * @returns what it does not explain
 */
async function judge(run: Run): Promise<string[]> {
  const { stage, histories, registers } = run;
  const wrong: string[] = [];
  const replaced = await readReplaced(stage);
  for (const [value, answer] of histories.refused) {
    if (replaced.has(value)) wrong.push(`${value} was made, and answered ${answer}`);
  }
  for (const [flag, id] of registers.flags.entries()) {
    const writes: Operation[] = [];
    for (const write of histories.writes[flag] ?? []) {
      const { value } = write;
      const after = replaced.get(value);
      if (after !== undefined) {
        // Knowing what it replaced leaves few orders of the writes that no answer ends.
        const apply = (state: string) => (state === after ? value : null);
        writes.push({ ...write, name: `a write of ${value} after ${after}`, apply, isOptional: false });
      } else if (!write.isOptional) wrong.push(`flag ${id}: ${value} was stored, and is not in the record`);
    }
    for (const [{ name }, reads] of histories.readsOf) {
      try {
        checkRegister([...writes, ...(reads[flag] ?? [])], initial);
      } catch (fault) {
        wrong.push(`${name}, flag ${id}: ${String(fault)}`);
      }
    }
  }
  return wrong;
}

/** From the audit log in PostgreSQL, once nothing is under way: the value that each written one replaced. */
async function readReplaced(stage: ClusterStage): Promise<ReadonlyMap<string, string>> {
  const records = await stage.ask<{ key: Buffer; value: Buffer }>(
    "select key, value from burgee.record where database = 'audit'",
  );
  const replaced = new Map<string, string>();
  for (const { key, value } of records) {
    const { changes } = decodeAuditEntry(auditRecord.decode(key, value).encodedEntry);
    for (const { field, before, after } of changes) {
      // Of a creation, nothing was replaced.
      if (field === 'cohorts' && before !== null) replaced.set(textIn(after), textIn(before));
    }
  }
  return replaced;
}

/** The one cohort of a list. */
function textIn(cohorts: unknown): string {
  expect(Array.isArray(cohorts) && cohorts.length === 1, `one cohort, and not ${JSON.stringify(cohorts)}`);
  return String((cohorts as readonly unknown[])[0]);
}

async function playRun({ isFull, note }: CampaignContext, number: number, random: Random): Promise<Run> {
  return withLifetime(async (t) => {
    const stage = await openStage(t, { hasStandby: random.chance(0.3), hasSmallDisk: true });
    await allAttached(stage, attachedMsMax);
    const flags = stage.flags.slice(0, flagCount);
    const run: Run = {
      stage,
      registers: { flags, secret: stage.secret, recent: flags.map(() => [initial]) },
      histories: { writes: flags.map(() => []), readsOf: new Map(), refused: new Map() },
      counts: { acknowledged: 0, stored: 0, uncertain: 0, refused: 0, fault: 0, reads: 0, detached: 0 },
      isOver: false,
    };
    const played = Promise.all(
      Array.from({ length: clients }, (_, client) => playClient(run, random.fork(100 + client), client)),
    );
    const faults = await disturb(t, run, random, faultsPerRun[isFull ? 'full' : 'sample']);
    run.isOver = true;
    await played;
    await allAttached(stage, attachedMsMax);
    if (isFull) note(`run ${number}: ${faults.join(', ')}: ${JSON.stringify(run.counts)}`);
    const wrong = await judge(run);
    expect(wrong.length === 0, `after ${faults.join(', ')}:\n${wrong.slice(0, 20).join('\n')}`);
    return run;
  });
}

/** Changes and reads through three nodes whose processes, connections and PostgreSQL fail. */
export const clusterLinearizability: Campaign = {
  name: 'cluster-linearizability',
  summary:
    '12 clients change and read 6 flags through three nodes that fail: for each node an order of all changes explains every answer that it gave while attached',
  sampleCount: 1,
  fullCount: 20,
  async run(context) {
    const { binaries, skip } = findPostgres();
    if (binaries === null) throw new Error(String(skip));
    const total: Record<string, number> = { runs: 0 };
    for (const { number, random } of context.cases()) {
      const { counts } = await playRun(context, number, random);
      total['runs'] = (total['runs'] ?? 0) + 1;
      for (const [name, count] of Object.entries(counts)) total[name] = (total[name] ?? 0) + count;
    }
    return total;
  },
};
