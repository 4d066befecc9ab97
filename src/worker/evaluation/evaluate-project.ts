import { type CompiledFlag, compileEvaluable } from '../../domain/evaluation/compiled-flag.ts';
import { evaluateFlag, selectState } from '../../domain/evaluation/evaluate-flag.ts';
import { EvaluationContext } from '../../domain/evaluation/evaluation-context.ts';
import { findEnvironment, type Project } from '../../domain/project/project.ts';
import type { EvaluationQueries } from '../../storage/evaluation-reader.ts';
import type { StoreReader } from '../../storage/store-reader.ts';
import { randomRoll } from '../../support/random-roll.ts';
import { CutAnswer } from '../../support/text-pieces.ts';
import { AudienceReading } from './audience-reading.ts';
import {
  type EvaluationCounting,
  evaluateList,
  ListComparisons,
  type ListForm,
  plainForm,
} from './evaluate-list.ts';
import { type EvaluationRefusal, EvaluationRefusals } from './evaluation-answer.ts';
import type { EvaluationMeter } from './evaluation-meter.ts';
import type { FlagSource } from './flag-source.ts';
import type { ListBuild } from './list-build.ts';
import type { Holder, PinRoom } from './pin-room.ts';

const decoder = new TextDecoder();

/**
 * A list build restarts when its project changes, and a build under way may be of an older state than the request asked
 * for. After this many builds the request reads the flags directly.
 */
const buildsMax = 4;
const nothing = new Uint8Array(0);
/**
 * Contexts kept for later requests: most have 16 KiB, and new memory for each request would cause major collections all
 * the time.
 */
const freeContextsMax = 64;
/** A project that changed has no list, so a list of any state is the newest. */
const anyState = Number.NEGATIVE_INFINITY;

/** An array of JSON in pieces: every flag of a project, evaluated. */
export interface EvaluatedList {
  readonly status: 200;
  readonly pieces: Generator<string | Uint8Array>;
  /** Bytes kept in memory for the pieces that are still to come. */
  heldBytes(): number;
  /** The holder that its place is counted for. Asked while its request is handled. */
  readonly holder: () => Holder;
  readonly release: () => void;
}

/** The answer to `GET /v1/flags/project/{project_id}`. */
export type ProjectEvaluation = EvaluationRefusal | EvaluatedList;

/** A request for a project's flags, from its arrival to its answer. */
interface Asked {
  readonly projectId: string;
  /** The newest change that was acknowledged when it arrived, by its number. */
  readonly since: number;
  readonly holder: () => Holder;
  readonly context: EvaluationContext;
  readonly form: ListForm;
  /** The build that it waits for. It leaves the build when the client goes away. */
  build: ListBuild | null;
  /** Gives back its own snapshot, if it has one. */
  releaseSnapshot: (() => void) | null;
}

/** Evaluates every flag of a project for one context, by name, then id. */
export class ProjectEvaluator {
  readonly #source: FlagSource;
  readonly #reader: StoreReader;
  readonly #refusals: EvaluationRefusals;
  readonly #meter: EvaluationMeter;
  readonly #counting: EvaluationCounting;
  readonly #pins: PinRoom;
  readonly #freeContexts: EvaluationContext[] = [];

  constructor(
    source: FlagSource,
    reader: StoreReader,
    docsUrl: string,
    counting: EvaluationCounting,
    pins: PinRoom,
  ) {
    this.#pins = pins;
    this.#source = source;
    this.#reader = reader;
    this.#refusals = new EvaluationRefusals(docsUrl);
    this.#meter = counting.meter;
    this.#counting = counting;
  }

  /**
   * Order of checks: decoding 400, unknown project 404, access off 403, environment missing or unknown 404 (decisions).
   * @param addressOf asked only while the request is handled
   */
  evaluate(projectId: string, query: string, addressOf: () => string): ProjectEvaluation {
    const evaluation = this.#begin(projectId, query, addressOf);
    if ('reason' in evaluation) this.#meter.countRefusal('project', evaluation.reason);
    return evaluation;
  }

  /** An evaluation threw, at its beginning or later. */
  countFailure(): void {
    this.#meter.countRefusal('project', 'failed');
  }

  #begin(projectId: string, query: string, addressOf: () => string): ProjectEvaluation {
    const context = this.takeContext();
    const project = this.#projectOf(projectId, query, context);
    if ('reason' in project) {
      this.keepContext(context);
      return project;
    }
    return this.list(project, context, plainForm, addressOf);
  }

  /** @returns a context for `list`, or to be given to `keepContext` */
  takeContext(): EvaluationContext {
    return this.#freeContexts.pop() ?? new EvaluationContext();
  }

  keepContext(context: EvaluationContext): void {
    context.trim();
    if (this.#freeContexts.length < freeContextsMax) this.#freeContexts.push(context);
  }

  /**
   * @param project as of now; its Evaluation API is on
   * @param context from `takeContext`; it names an environment of the project, if that has any
   * @param addressOf asked only while the request is handled
   */
  list(project: Project, context: EvaluationContext, form: ListForm, addressOf: () => string): EvaluatedList {
    const since = this.#source.sequence;
    const holder = this.#holderOnce(project, addressOf);
    const asked: Asked = {
      projectId: project.id,
      since,
      holder,
      context,
      form,
      build: null,
      releaseSnapshot: null,
    };
    // Functions: V8 takes a microsecond to make an accessor of an object literal.
    const heldBytes = () => context.bytes.length;
    const release = () => this.#release(asked);
    return { status: 200, pieces: this.#pieces(asked), heldBytes, holder, release };
  }

  #projectOf(projectId: string, query: string, context: EvaluationContext): Project | EvaluationRefusal {
    const fault = context.decode(query);
    if (fault !== null) return this.#refusals.queryFault(fault, query, context);
    const project =
      this.#source.findList(projectId, anyState)?.project ?? this.#reader.queries.project(projectId);
    if (project === undefined) return this.#refusals.fixed('no-project');
    if (!project.evaluationAccess) return this.#refusals.fixed('access-off');
    if (environmentIndex(project, context) === null) return this.#refusals.fixed('no-environment');
    return project;
  }

  *#pieces(asked: Asked): Generator<string | Uint8Array> {
    const { projectId, context } = asked;
    for (let builds = 0; builds <= buildsMax; builds += 1) {
      const list = this.#source.findList(projectId, asked.since);
      if (builds === 0) this.#meter.countListLookup(list !== undefined);
      const index = list === undefined ? null : environmentIndex(list.project, context);
      if (list !== undefined && index !== null) {
        yield* evaluateList(list, index, context, this.#counting, asked.form);
        return;
      }
      const mayBuild = list === undefined && builds < buildsMax;
      const build = mayBuild ? this.#source.lists.build(projectId) : null;
      if (build === null) break;
      yield* this.#await(asked, build);
      if (build.isCrowdedOut) break;
    }
    yield* this.#readForItself(asked);
  }

  /** Makes steps of the build, in turns with the other requests that wait for it. */
  *#await(asked: Asked, build: ListBuild): Generator<Uint8Array> {
    build.join();
    asked.build = build;
    while (!build.isDone) {
      this.#source.lists.step(asked.projectId, build);
      yield nothing;
    }
    asked.build = null;
    this.#source.lists.leave(asked.projectId, build);
  }

  *#readForItself(asked: Asked): Generator<string> {
    const place = this.#pins.take(asked.holder());
    if (place === null) {
      throw new CutAnswer('too many long lists are being read at once; retry in a moment');
    }
    // From here on the answer gives the room back, whether a snapshot is open or opening it throws.
    asked.releaseSnapshot = () => this.#pins.give(place);
    const { queries, evaluation, release } = this.#reader.pin();
    asked.releaseSnapshot = () => {
      release();
      this.#pins.give(place);
    };
    const project = queries.project(asked.projectId);
    if (project === undefined || environmentIndex(project, asked.context) === null) {
      throw new CutAnswer('the project changed while its flags were read; retry');
    }
    yield* evaluateFlags(evaluation, project, asked, this.#meter);
  }

  #holderOnce(project: Project, addressOf: () => string): () => Holder {
    let known: Holder | null = null;
    return () => {
      known ??= {
        ...{ asker: null, project: project.id },
        ...{ organisation: this.#source.accountOf(project), address: addressOf() },
      };
      return known;
    };
  }

  /** Called once. */
  #release(asked: Asked): void {
    this.keepContext(asked.context);
    if (asked.build !== null) this.#source.lists.leave(asked.projectId, asked.build);
    asked.build = null;
    asked.releaseSnapshot?.();
    asked.releaseSnapshot = null;
  }
}

/** @returns -1 for a single-environment project; null when `env` is missing or names no environment */
export function environmentIndex(project: Project, context: EvaluationContext): number | null {
  if (!project.isMultiEnvironment) return -1;
  if (context.envStart < 0) return null;
  const name = decoder.decode(context.bytes.subarray(context.envStart, context.envEnd));
  const environment = findEnvironment(project, name);
  return environment === undefined ? null : project.environments.indexOf(environment);
}

/** The flags of a project that has no list: each flag is read for this answer, and not kept. */
function* evaluateFlags(
  evaluation: EvaluationQueries,
  project: Project,
  { context, form }: Asked,
  meter: EvaluationMeter,
): Generator<string> {
  const index = environmentIndex(project, context) ?? -1;
  const environments = index < 0 ? [] : project.environments.slice(index, index + 1);
  const audiences = new AudienceReading(evaluation);
  const audienceById = (id: string) => audiences.find(id);
  const lists = new ListComparisons();
  let separator = '[';
  // A flag is written when the next one is known: flags of the same name stand side by side.
  let last = null as CompiledFlag | null;
  let [lastName, lastReason, isNameShared] = ['', 0, false];
  for (const found of evaluation.flagsOf(project.id)) {
    const flag = found.read();
    audiences.readAllOf(flag);
    const compiled = compileEvaluable(flag, project, audienceById, { environments });
    const state = selectState(compiled, context);
    if (state === null) throw new Error(`flag ${flag.id} has no state where its project has an environment`);
    const reason = evaluateFlag(compiled, state, context, randomRoll, lists.matches);
    meter.countFlagOfProject(reason);
    const isSame = last !== null && lastName === flag.name;
    if (last !== null) {
      yield separator + form.body(last, null, lastReason, isNameShared || isSame);
      separator = ',';
    }
    last = compiled;
    lastName = flag.name;
    lastReason = reason;
    isNameShared = isSame;
  }
  yield last === null ? '[]' : `${separator}${form.body(last, null, lastReason, isNameShared)}]`;
}
