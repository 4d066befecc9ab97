import { ofrepSuccess } from '../../contracts/ofrep/ofrep-answers.ts';
import { evaluateFlag, selectState } from '../../domain/evaluation/evaluate-flag.ts';
import { EvaluationContext } from '../../domain/evaluation/evaluation-context.ts';
import { isOn } from '../../domain/evaluation/evaluation-reason.ts';
import {
  assignOpenFeatureContext,
  type OpenFeatureContext,
} from '../../domain/evaluation/open-feature-context.ts';
import type { Project } from '../../domain/project/project.ts';
import { isIdShaped } from '../../support/id-shape.ts';
import { randomRoll } from '../../support/random-roll.ts';
import type { EvaluationCounting } from '../evaluation/evaluate-list.ts';
import type { CachedFlag } from '../evaluation/flag-cache.ts';
import type { FlagSource } from '../evaluation/flag-source.ts';
import { KeptBodies } from './kept-bodies.ts';
import type { OfrepPlace } from './ofrep-address.ts';
import { accessOff, noEnvironment, noFlag, noPlace, noProject, type OfrepRefusal } from './ofrep-problems.ts';
import { PlainBodyReader } from './plain-body.ts';

/** A question about one flag. */
export interface FlagQuestion {
  readonly place: OfrepPlace | null;
  readonly key: string;
  readonly context: OpenFeatureContext;
}

const decoder = new TextDecoder();

function refusePlace(project: Project | undefined, place: OfrepPlace): OfrepRefusal | null {
  if (project === undefined) return noProject(place.project);
  return project.evaluationAccess ? null : accessOff;
}

/** Evaluates single flags for OFREP, as the Evaluation API does. */
export class OfrepFlagEvaluator {
  readonly #source: FlagSource;
  readonly #counting: EvaluationCounting;
  readonly #context = new EvaluationContext();
  readonly #plainBodies = new PlainBodyReader();
  readonly #bodies = new KeptBodies();

  constructor(source: FlagSource, counting: EvaluationCounting) {
    this.#source = source;
    this.#counting = counting;
  }

  /** @returns the body of the answer, or a refusal, which is not counted yet */
  evaluate({ place, key, context: given }: FlagQuestion): string | OfrepRefusal {
    const found = this.#look(place, key);
    if ('code' in found) return found;
    assignOpenFeatureContext(this.#context, given, place?.environment ?? null);
    const answer = this.#answer(place, key, found);
    this.#context.trim();
    return answer;
  }

  /**
   * Evaluates with the context of a body, if that is plain. Most are.
   * @returns as `evaluate`; undefined: the body is not plain
   */
  evaluatePlain(place: OfrepPlace | null, key: string, body: Uint8Array): string | OfrepRefusal | undefined {
    if (!this.#plainBodies.read(body, this.#context, place?.environment ?? null)) return undefined;
    const found = this.#look(place, key);
    return 'code' in found ? found : this.#answer(place, key, found);
  }

  #look(place: OfrepPlace | null, key: string): CachedFlag | OfrepRefusal {
    // Compared for each request: one that comes after a change was acknowledged sees the new version.
    this.#source.refresh();
    const found = place === null ? this.#findById(key) : this.#find(place, key);
    if ('code' in found) return found;
    return found.cachedProject.project.evaluationAccess ? found : accessOff;
  }

  #answer(place: OfrepPlace | null, key: string, found: CachedFlag): string | OfrepRefusal {
    const context = this.#context;
    const { compiled, cachedProject } = found;
    const { project } = cachedProject;
    const state = selectState(compiled, context);
    if (state === null) {
      const named = place?.environment ?? environmentNamed(context);
      return noEnvironment(project.isMultiEnvironment ? named : null, project);
    }
    const reason = evaluateFlag(compiled, state, context, randomRoll);
    this.#counting.meter.countFlag(reason);
    this.#counting.tallies.count(state.tally, isOn(reason));
    const isId = key === compiled.id;
    const kept = isId ? this.#bodies.find(state, reason) : undefined;
    if (kept !== undefined) return kept;
    const environment = project.isMultiEnvironment ? (place?.environment ?? environmentNamed(context)) : null;
    const flagSet = { projectId: project.id, environment };
    const body = ofrepSuccess(isId ? `"${key}"` : JSON.stringify(key), reason, compiled, flagSet);
    if (isId) this.#bodies.keep(state, reason, body);
    return body;
  }

  #findById(key: string): CachedFlag | OfrepRefusal {
    const found = isIdShaped(key) ? this.#source.find(key) : undefined;
    return found === undefined ? noPlace : found;
  }

  /** By id, then by name. */
  #find(place: OfrepPlace, key: string): CachedFlag | OfrepRefusal {
    const projectId = this.#source.publicIdOf(place.project);
    const found = isIdShaped(key) ? this.#source.find(key) : undefined;
    if (found !== undefined && found.cachedProject.project.id === projectId) return found;
    const refused = refusePlace(this.#source.findProject(projectId)?.project, place);
    if (refused !== null) return refused;
    const id = this.#source.idByName(projectId, key);
    return (id === undefined ? undefined : this.#source.find(id)) ?? noFlag(key);
  }
}

/** @returns the environment that a context names, or null */
export function environmentNamed(context: EvaluationContext): string | null {
  return context.envStart < 0
    ? null
    : decoder.decode(context.bytes.subarray(context.envStart, context.envEnd));
}
