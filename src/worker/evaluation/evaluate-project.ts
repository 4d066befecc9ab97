import { compileEvaluable } from '../../domain/evaluation/compiled-flag.ts';
import { evaluateFlag, selectState } from '../../domain/evaluation/evaluate-flag.ts';
import { EvaluationContext } from '../../domain/evaluation/evaluation-context.ts';
import { findEnvironment, type Project } from '../../domain/project/project.ts';
import type { StoreReader } from '../../storage/store-reader.ts';
import { randomRoll } from '../../support/random-roll.ts';
import { AudienceReading } from './audience-reading.ts';
import {
  type EvaluationCounting,
  evaluateList,
  type ListForm,
  plainForm,
  rememberMatches,
} from './evaluate-list.ts';
import { type EvaluationRefusal, EvaluationRefusals } from './evaluation-answer.ts';
import type { EvaluationMeter } from './evaluation-meter.ts';
import type { FlagSource } from './flag-source.ts';

const decoder = new TextDecoder();

/** A list build ends when its project changes. After this many builds the request reads the flags directly. */
const buildsMax = 4;
const nothing = new Uint8Array(0);
/**
 * Contexts kept for later requests: most have 16 KiB, and new memory for each request would cause major collections all
 * the time.
 */
const freeContextsMax = 64;

/** An array of JSON in pieces: every flag of a project, evaluated. */
export interface EvaluatedList {
  readonly status: 200;
  readonly pieces: Generator<string | Uint8Array>;
  /** Bytes kept in memory for the pieces that are still to come. */
  heldBytes(): number;
  readonly release: () => void;
}

/** The answer to `GET /v1/flags/project/{project_id}`. */
export type ProjectEvaluation = EvaluationRefusal | EvaluatedList;

/** A request for a project's flags. */
interface Asked {
  readonly project: Project;
  readonly context: EvaluationContext;
  readonly form: ListForm;
}

/** Evaluates every flag of a project for one context, by name, then id. */
export class ProjectEvaluator {
  readonly #source: FlagSource;
  readonly #reader: StoreReader;
  readonly #refusals: EvaluationRefusals;
  readonly #meter: EvaluationMeter;
  readonly #counting: EvaluationCounting;
  readonly #freeContexts: EvaluationContext[] = [];

  constructor(source: FlagSource, reader: StoreReader, docsUrl: string, counting: EvaluationCounting) {
    this.#source = source;
    this.#reader = reader;
    this.#refusals = new EvaluationRefusals(docsUrl);
    this.#meter = counting.meter;
    this.#counting = counting;
  }

  /**
   * @param named the project: its id or public slug
   *
   * Order of checks: decoding 400, unknown project 404, access off 403, environment missing or unknown 404 (decisions).
   */
  evaluate(named: string, query: string): ProjectEvaluation {
    const evaluation = this.#begin(named, query);
    if ('reason' in evaluation) this.#meter.countRefusal('project', evaluation.reason);
    return evaluation;
  }

  /** An evaluation threw, at its beginning or later. */
  countFailure(): void {
    this.#meter.countRefusal('project', 'failed');
  }

  #begin(named: string, query: string): ProjectEvaluation {
    const context = this.takeContext();
    const project = this.#projectOf(named, query, context);
    if ('reason' in project) {
      this.keepContext(context);
      return project;
    }
    return this.list(project, context, plainForm);
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
   */
  list(project: Project, context: EvaluationContext, form: ListForm): EvaluatedList {
    // These are functions, because V8 takes a microsecond to make an accessor of an object literal.
    const heldBytes = () => context.bytes.length;
    const release = () => this.keepContext(context);
    return { status: 200, pieces: this.#pieces({ project, context, form }), heldBytes, release };
  }

  #projectOf(named: string, query: string, context: EvaluationContext): Project | EvaluationRefusal {
    const fault = context.decode(query);
    if (fault !== null) return this.#refusals.queryFault(fault, query, context);
    const projectId = this.#source.publicIdOf(named);
    const project = this.#source.findList(projectId)?.project ?? this.#reader.queries.project(projectId);
    if (project === undefined) return this.#refusals.fixed('no-project');
    if (!project.evaluationAccess) return this.#refusals.fixed('access-off');
    if (environmentIndex(project, context) === null) return this.#refusals.fixed('no-environment');
    return project;
  }

  *#pieces(asked: Asked): Generator<string | Uint8Array> {
    const { project, context, form } = asked;
    for (let builds = 0; builds <= buildsMax; builds += 1) {
      const list = this.#source.findList(project.id);
      if (builds === 0) this.#meter.countListLookup(list !== undefined);
      const index = list === undefined ? null : environmentIndex(list.project, context);
      if (list !== undefined && index !== null) {
        yield* evaluateList(list, index, context, this.#counting, form);
        return;
      }
      const build = this.#source.lists.build(project.id);
      // The environment is gone by now, or the list cannot be kept.
      if (list !== undefined || build === null) break;
      while (!build.isDone) {
        this.#source.lists.step(project.id, build);
        yield nothing;
      }
    }
    yield* this.#evaluateEach(asked);
  }

  /**
   * Reads and evaluates flag by flag, and keeps none. No snapshot is held: each flag is answered in a state that is not
   * older than the request, of the project as it was then.
   */
  *#evaluateEach({ project, context, form }: Asked): Generator<string> {
    const index = environmentIndex(project, context) ?? -1;
    const environments = index < 0 ? [] : project.environments.slice(index, index + 1);
    const { queries, evaluation } = this.#reader;
    const places = [...queries.flagPlacesOf(project.id)];
    const audiences = new AudienceReading(evaluation);
    const matches = rememberMatches();
    let separator = '[';
    for (const { id } of places) {
      const flag = evaluation.flag(id)?.read();
      if (flag?.projectId !== project.id) continue;
      audiences.readAllOf(flag);
      const compiled = compileEvaluable(flag, project, (one) => audiences.find(one), { environments });
      const state = selectState(compiled, context);
      if (state === null) throw new Error(`flag ${id} has no state where its project has an environment`);
      const reason = evaluateFlag(compiled, state, context, randomRoll, matches);
      this.#meter.countFlagOfProject(reason);
      yield separator + form(compiled, null, reason);
      separator = ',';
    }
    yield separator === '[' ? '[]' : ']';
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
