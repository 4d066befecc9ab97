import type { ProjectView } from '../../../contracts/console/project-views.ts';
import type { FieldChange } from '../../draft/fields.ts';
import { partsOfKey } from '../../draft/flag-fields.ts';
import type { ShownChange } from '../../parts/change-words.ts';

/** An environment's name by its number; nothing in a project that has none. */
export function environmentName(project: ProjectView, environment: string): string | null {
  const found = project.environments.find(({ number }) => String(number) === environment);
  return found?.name ?? null;
}

/** From a draft's keys to a line of a diff. */
export function showFlagChange(project: ProjectView): (change: FieldChange) => ShownChange {
  return ({ key, before, after }) => {
    const { environment, name } = partsOfKey(key);
    return {
      environment: environment === null ? null : environmentName(project, environment),
      field: name,
      before,
      after,
    };
  };
}
