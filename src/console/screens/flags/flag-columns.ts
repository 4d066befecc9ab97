import type { ProjectView } from '../../../contracts/console/project-views.ts';

export interface FlagColumn {
  /** The key of its states. */
  readonly key: string;
  readonly title: string;
}

/** A column for each environment; one for the state where there is only one. */
export function flagColumns({ isMultiEnvironment, environments }: ProjectView): readonly FlagColumn[] {
  if (!isMultiEnvironment) return [{ key: '0', title: 'State' }];
  return environments.map(({ number, name }) => ({ key: String(number), title: name }));
}
