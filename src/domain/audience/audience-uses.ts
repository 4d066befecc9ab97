import { type Flag, stateIn } from '../flag/flag.ts';
import { environmentNumbers, type Project } from '../project/project.ts';

/** A flag that applies an audience, and the environments in which it does. */
export interface AudienceUse {
  readonly flagId: string;
  readonly flagName: string;
  /** In the project's order. */
  readonly environmentNumbers: readonly number[];
}

/** The flags that apply an audience: the first ones, and the number of all. */
export interface AudienceUses {
  readonly uses: readonly AudienceUse[];
  readonly useCount: number;
}

const usesShownMax = 200;

/** Collects the flags that apply each audience. States of deleted environments do not count. */
export class AudienceUseList {
  readonly #project: Project;
  readonly #byAudience = new Map<string, { uses: AudienceUse[]; useCount: number }>();

  constructor(project: Project) {
    this.#project = project;
  }

  add(flag: Flag): void {
    const numbersByAudience = new Map<string, number[]>();
    for (const number of environmentNumbers(this.#project)) {
      const { audienceId } = stateIn(flag, number);
      if (audienceId === null) continue;
      numbersByAudience.set(audienceId, [...(numbersByAudience.get(audienceId) ?? []), number]);
    }
    for (const [audienceId, numbers] of numbersByAudience) this.#note(audienceId, flag, numbers);
  }

  usesOf(audienceId: string): AudienceUses {
    return this.#byAudience.get(audienceId) ?? { uses: [], useCount: 0 };
  }

  #note(audienceId: string, { id, name }: Flag, environmentNumbers: readonly number[]): void {
    const known = this.#byAudience.get(audienceId) ?? { uses: [], useCount: 0 };
    this.#byAudience.set(audienceId, known);
    known.useCount += 1;
    if (known.uses.length < usesShownMax) known.uses.push({ flagId: id, flagName: name, environmentNumbers });
  }
}

/** @param flags of the project that may apply the audience. */
export function usesOfAudience(audienceId: string, project: Project, flags: Iterable<Flag>): AudienceUses {
  const list = new AudienceUseList(project);
  for (const flag of flags) list.add(flag);
  return list.usesOf(audienceId);
}
