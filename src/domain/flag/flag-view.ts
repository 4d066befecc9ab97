import { type Environment, type Project, soleEnvironment } from '../project/project.ts';
import { effectiveCohorts, type FlagOf, stateIn } from './flag.ts';

interface FlagHead {
  readonly id: string;
  readonly name: string;
  readonly kind: 'flag' | 'groupflag';
  readonly updatedAt: number;
}

interface StateView<List> {
  readonly enabled: boolean;
  readonly trafficPercentage: number;
  /** The effective list. */
  readonly cohorts: List;
  readonly audienceId: string | null;
}

/** Flat form; `environment` only on a group flag. */
type FlatFlagView<List> = FlagHead & StateView<List> & { readonly environment?: string };

/** Environments form of a group flag. */
interface EnvironmentsFlagView<List> extends FlagHead {
  readonly environments: Readonly<Record<string, StateView<List> & { readonly updatedAt: number }>>;
}

export type FlagView<List = readonly string[]> = FlatFlagView<List> | EnvironmentsFlagView<List>;

/** A flag in the form of an answer: flat, or, for a group flag without an environment, with all of them. */
export function flagView<List>(
  flag: FlagOf<List>,
  project: Project,
  environment: Environment | null,
): FlagView<List> {
  if (environment === null && project.isMultiEnvironment) return environmentsFlagView(flag, project);
  return flatFlagView(flag, project, environment);
}

/** @param environment of a group flag; null for a flag of a single-environment project. */
export function flatFlagView<List>(
  flag: FlagOf<List>,
  project: Project,
  environment: Environment | null,
): FlatFlagView<List> {
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

function environmentsFlagView<List>(flag: FlagOf<List>, project: Project): EnvironmentsFlagView<List> {
  const { updatedAt } = flag;
  const entries = project.environments.map(({ name, number }) => {
    const { enabled, trafficPercentage, cohorts, audienceId } = stateView(flag, number);
    return [name, { enabled, trafficPercentage, cohorts, audienceId, updatedAt }] as const;
  });
  // Object.fromEntries defines own properties, so an environment named `__proto__` is one too.
  const { id, name, kind } = flagHead(flag, project);
  return { id, name, kind, updatedAt, environments: Object.fromEntries(entries) };
}

function flagHead({ id, name, updatedAt }: FlagOf<unknown>, project: Project): FlagHead {
  return { id, name, kind: project.isMultiEnvironment ? 'groupflag' : 'flag', updatedAt };
}

function stateView<List>(flag: FlagOf<List>, environmentNumber: number): StateView<List> {
  const state = stateIn(flag, environmentNumber);
  const { enabled, trafficPercentage, audienceId } = state;
  return { enabled, trafficPercentage, cohorts: effectiveCohorts(flag, state), audienceId };
}
