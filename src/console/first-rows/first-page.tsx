import type { FlagPage } from '../../contracts/console/flag-views.ts';
import type { ProjectView } from '../../contracts/console/project-views.ts';
import { hasRole } from '../../domain/console/console-principal.ts';
import { nextRound, withPage } from '../client/flag-list.ts';
import { PageHead } from '../parts/page-head.tsx';
import { initialProjectPreferences, type Preferences } from '../parts/preferences.ts';
import { chosenFlags, sharedNames, sortOf } from '../screens/flags/filter-flags.ts';
import { flagColumns, productionNumbers } from '../screens/flags/flag-columns.ts';
import { FlagTable } from '../screens/flags/flag-table.tsx';
import classes from '../screens/flags/flags.module.css';
import type { ListPlace } from '../screens/flags/list-place.ts';
import { listWords } from '../screens/flags/list-words.ts';
import shell from '../shell/shell.module.css';
import { Sidebar } from '../shell/sidebar.tsx';

interface FirstListProps {
  readonly project: ProjectView;
  readonly page: FlagPage;
  readonly preferences: Preferences;
  readonly place: ListPlace;
}

/** The table, by the same components and rules as in the console. */
export function FirstTable({ project, page, preferences, place }: FirstListProps) {
  const { flags } = withPage(nextRound(undefined), page);
  const own = preferences.projects.get(project.id) ?? initialProjectPreferences;
  const favourites = new Set(own.favourites);
  const production = productionNumbers(project);
  const canEdit = hasRole(project.role, 'editor');
  return (
    <FlagTable
      {...{ production, favourites, canEdit, place }}
      projectId={project.id}
      rows={chosenFlags(flags, { search: {}, favourites, production })}
      columns={flagColumns(project, own)}
      sought={null}
      density={preferences.density}
      sharedNames={sharedNames(flags)}
      sort={sortOf(undefined)}
      onSort={() => undefined}
      onFavourite={() => undefined}
    />
  );
}

/**
 * The page of a list of flags before the console is there: what one reads and where one goes. What nobody can use yet is
 * left out, and keeps its room.
 */
export function FirstPage(props: FirstListProps) {
  const { next, flags } = props.page;
  const count = flags.length;
  return (
    <>
      <nav className={shell.navbar} data-frame aria-label="Console">
        <Sidebar />
      </nav>
      <main className={shell.main}>
        <div className={shell.content}>
          <PageHead title="Flags">{listWords(count, count, next === null)}</PageHead>
          <div className={classes.filters} data-still />
          <FirstTable {...props} />
        </div>
      </main>
    </>
  );
}
