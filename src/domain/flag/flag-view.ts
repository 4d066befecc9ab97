import { type Environment, type Project, soleEnvironment } from '../project/project.ts';
import { effectiveCohorts, type Flag, stateIn } from './flag.ts';

interface FlagHead {
  readonly id: string;
  readonly name: string;
  readonly kind: 'flag' | 'groupflag';
  readonly updatedAt: number;
}

interface StateView {
  readonly enabled: boolean;
  readonly trafficPercentage: number;
  /** The effective list. */
  readonly cohorts: readonly string[];
  readonly audienceId: string | null;
}

/** Flat form; `environment` only on a group flag. */
type FlatFlagView = FlagHead & StateView & { readonly environment?: string };

/** Environments form of a group flag. */
interface EnvironmentsFlagView extends FlagHead {
  readonly environments: Readonly<Record<string, StateView & { readonly updatedAt: number }>>;
}

export type FlagView = FlatFlagView | EnvironmentsFlagView;

/** A flag in the form of an answer: flat, or, for a group flag without an environment, with all of them. */
export function flagView(flag: Flag, project: Project, environment: Environment | null): FlagView {
  if (environment === null && project.isMultiEnvironment) return environmentsFlagView(flag, project);
  return flatFlagView(flag, project, environment);
}

/** @param environment of a group flag; null for a flag of a single-environment project. */
export function flatFlagView(flag: Flag, project: Project, environment: Environment | null): FlatFlagView {
  const { id, name, kind, updatedAt } = flagHead(flag, project);
  const state = stateView(flag, environment?.number ?? soleEnvironment);
  const { enabled, trafficPercentage, cohorts, audienceId } = state;
  // Field by field: each patch makes one, and each flag of a list, and spreading objects into another takes V8 more than
  // a microsecond.
  if (environment === null)
    return { id, name, kind, updatedAt, enabled, trafficPercentage, cohorts, audienceId };
  return {
    id,
    name,
    kind,
    updatedAt,
    enabled,
    trafficPercentage,
    cohorts,
    audienceId,
    environment: environment.name,
  };
}

function environmentsFlagView(flag: Flag, project: Project): EnvironmentsFlagView {
  const { updatedAt } = flag;
  const entries = project.environments.map(({ name, number }) => {
    const { enabled, trafficPercentage, cohorts, audienceId } = stateView(flag, number);
    return [name, { enabled, trafficPercentage, cohorts, audienceId, updatedAt }] as const;
  });
  // Object.fromEntries defines own properties, so an environment named `__proto__` is one too.
  const { id, name, kind } = flagHead(flag, project);
  return { id, name, kind, updatedAt, environments: Object.fromEntries(entries) };
}

function flagHead({ id, name, updatedAt }: Flag, project: Project): FlagHead {
  return { id, name, kind: project.isMultiEnvironment ? 'groupflag' : 'flag', updatedAt };
}

function stateView(flag: Flag, environmentNumber: number): StateView {
  const state = stateIn(flag, environmentNumber);
  const { enabled, trafficPercentage, audienceId } = state;
  return { enabled, trafficPercentage, cohorts: effectiveCohorts(flag, state), audienceId };
}
