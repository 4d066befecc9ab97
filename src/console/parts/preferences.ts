import { SharedValue } from './shared-value.ts';

export const densities = ['comfortable', 'compact'] as const;
export type Density = (typeof densities)[number];

/** A list's filters under a name: the parameters of its address. */
export interface SavedFilter {
  readonly name: string;
  readonly search: Readonly<Record<string, string>>;
}

/** What a member has chosen for the list of one project's flags. Environments are numbers, flags are ids. */
export interface ProjectPreferences {
  /** Environments in the chosen order; others follow in the project's order. */
  readonly columnOrder: readonly number[];
  readonly hiddenColumns: readonly number[];
  /** Environments next to the name that stay when the list is scrolled sideways. Null: not chosen yet. */
  readonly pinnedColumns: readonly number[] | null;
  readonly favourites: readonly string[];
  readonly savedFilters: readonly SavedFilter[];
}

/** What a member has chosen in this browser. */
export interface Preferences {
  readonly density: Density;
  /** Whether shortcuts of a single key, such as U, act (WCAG 2.1.4). Ctrl+K always does. */
  readonly hasSingleKeys: boolean;
  /** By project id, the one that was changed last at the end. */
  readonly projects: ReadonlyMap<string, ProjectPreferences>;
}

export const initialProjectPreferences: ProjectPreferences = {
  columnOrder: [],
  hiddenColumns: [],
  pinnedColumns: null,
  favourites: [],
  savedFilters: [],
};

export const initialPreferences: Preferences = {
  density: 'comfortable',
  hasSingleKeys: true,
  projects: new Map(),
};

/** The version of the stored text. A text of another version is ignored. */
const version = 1;
/** The most projects with choices. Beyond it, the choices changed least recently are dropped. */
export const projectsMax = 50;
/** More than a project may have environments. */
const columnsMax = 1_000;
export const favouritesMax = 500;
export const savedFiltersMax = 30;
export const filterNameLengthMax = 64;
const parameterLengthMax = 500;
const parametersMax = 12;

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** The distinct items of a list that are of the kind, at most `countMax`; none of anything but a list. */
function items<Item>(value: unknown, isItem: (item: unknown) => item is Item, countMax: number): Item[] {
  if (!Array.isArray(value)) return [];
  return Array.from(new Set(value.filter(isItem))).slice(0, countMax);
}

/**
 * The favourites with one more, as the last; null: there is no room.
 *
 * @param isPresent whether a flag is there: for want of room, favourites that were deleted are forgotten
 */
export function withFavourite(
  favourites: readonly string[],
  flagId: string,
  isPresent: (flagId: string) => boolean,
): readonly string[] | null {
  const others = favourites.filter((id) => id !== flagId);
  const kept = others.length < favouritesMax ? others : others.filter(isPresent);
  return kept.length < favouritesMax ? [...kept, flagId] : null;
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9A-Za-z]{1,64}$/.test(value);
}

function savedFilterOf(value: unknown): SavedFilter | null {
  const { name, search } = fieldsOf(value);
  if (typeof name !== 'string' || name === '' || name.length > filterNameLengthMax) return null;
  const parameters = Object.entries(fieldsOf(search)).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' && entry[1].length <= parameterLengthMax,
  );
  return { name, search: Object.fromEntries(parameters.slice(0, parametersMax)) };
}

function projectPreferencesOf(value: unknown): ProjectPreferences {
  const fields = fieldsOf(value);
  const filters = Array.isArray(fields['savedFilters']) ? fields['savedFilters'] : [];
  return {
    columnOrder: items(fields['columnOrder'], isNumber, columnsMax),
    hiddenColumns: items(fields['hiddenColumns'], isNumber, columnsMax),
    pinnedColumns: Array.isArray(fields['pinnedColumns'])
      ? items(fields['pinnedColumns'], isNumber, columnsMax)
      : null,
    favourites: items(fields['favourites'], isId, favouritesMax),
    savedFilters: filters
      .map(savedFilterOf)
      .filter((filter) => filter !== null)
      .slice(0, savedFiltersMax),
  };
}

function preferencesOf(value: unknown): Preferences {
  const fields = fieldsOf(value);
  if (fields['version'] !== version) return initialPreferences;
  const projects = Object.entries(fieldsOf(fields['projects'])).filter(([id]) => isId(id));
  return {
    density: densities.find((density) => density === fields['density']) ?? initialPreferences.density,
    hasSingleKeys: fields['hasSingleKeys'] !== false,
    projects: new Map(
      projects.slice(-projectsMax).map(([id, project]) => [id, projectPreferencesOf(project)] as const),
    ),
  };
}

/** The used part of a browser's `localStorage`. Each call may throw, and so may the reading of `localStorage`. */
export interface TextStorage {
  getItem(key: string): string | null;
  setItem(key: string, text: string): void;
}

function textOf({ projects, ...preferences }: Preferences): string {
  // An object keeps the order of its keys here, because ids are longer than any index.
  return JSON.stringify({ version, ...preferences, projects: Object.fromEntries(projects) });
}

/** The preferences of one member. Without a working storage they are kept until the page is left. */
export class PreferenceStore extends SharedValue<Preferences> {
  readonly memberId: string;
  /** Of the text in the storage. */
  readonly key: string;
  readonly #storage: () => TextStorage;
  /** The text that `present` was read from or written to; null for none. */
  #text: string | null = null;

  constructor(memberId: string, storage: () => TextStorage) {
    super(initialPreferences);
    this.memberId = memberId;
    this.key = `burgee.preferences.${memberId}`;
    this.#storage = storage;
    this.readAgain();
  }

  /** Takes over what another tab has stored. */
  readAgain(): void {
    const text = this.#stored();
    if (text === null || text === this.#text) return;
    this.#text = text;
    this.set(read(text));
  }

  change(next: Partial<Omit<Preferences, 'projects'>>): void {
    this.readAgain();
    this.#write({ ...this.present, ...next });
  }

  /** @param next from the present choices, which another tab may have changed since they were shown */
  changeProject(projectId: string, next: (present: ProjectPreferences) => Partial<ProjectPreferences>): void {
    this.readAgain();
    const projects = new Map(this.present.projects);
    const present = projects.get(projectId) ?? initialProjectPreferences;
    projects.delete(projectId);
    projects.set(projectId, projectPreferencesOf({ ...present, ...next(present) }));
    this.#write({ ...this.present, projects: new Map([...projects].slice(-projectsMax)) });
  }

  #write(preferences: Preferences): void {
    const text = textOf(preferences);
    try {
      this.#storage().setItem(this.key, text);
      this.#text = text;
    } catch {
      // Storage is full or forbidden: the choice lasts as long as the page.
    }
    this.set(preferences);
  }

  #stored(): string | null {
    try {
      return this.#storage().getItem(this.key);
    } catch {
      return null;
    }
  }
}

function read(text: string): Preferences {
  try {
    return preferencesOf(JSON.parse(text));
  } catch {
    return initialPreferences;
  }
}
