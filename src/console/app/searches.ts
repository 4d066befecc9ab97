import { openIdRefusals } from '../../domain/session/open-id-rules.ts';

/** The search parameters of pages' addresses. Unknown or malformed ones are dropped. */

type Search = Readonly<Record<string, unknown>>;
type Read<Value> = (value: unknown) => Value | undefined;

function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function oneOf<const Choice extends string>(choices: readonly Choice[]): Read<Choice> {
  return (value) => choices.find((choice) => choice === value);
}

type Chosen<Members> = {
  readonly [Key in keyof Members]?: Members[Key] extends Read<infer Value> ? Value : never;
};

/** Reads the members that are present: an address has only what was chosen. */
function searchOf<Members extends Readonly<Record<string, Read<string>>>>(members: Members) {
  return (search: Search): Chosen<Members> => {
    const read = Object.entries(members).map(([name, read]) => [name, read(search[name])] as const);
    return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as Chosen<Members>;
  };
}

/** The same search with another value of one member; an empty value removes the member from the address. */
export function withChoice<Chosen extends object>(
  search: Chosen,
  name: keyof Chosen & string,
  value: string | null,
): Chosen {
  const rest = Object.entries(search).filter(([other]) => other !== name);
  return Object.fromEntries(value === null || value === '' ? rest : [...rest, [name, value]]) as Chosen;
}

export const signInSearch = searchOf({
  /** The page to open after signing in. */
  back: text,
  /** Why a sign-in by OpenID failed. */
  openid: oneOf(openIdRefusals),
});

export type FlagsSearch = ReturnType<typeof flagsSearch>;
export const flagsSearch = searchOf({
  q: text,
  /** One or more, with commas between them. */
  tag: text,
  state: oneOf(['on', 'off', 'nobody']),
  /** The number of the environment that the state is in. */
  environment: text,
  favourites: oneOf(['yes']),
  /** `changed`, `production` or `environment-3`, with a leading `-` for the reverse order. Absent: by name. */
  sort: text,
  /** The number of an environment that was found by a search: its column is scrolled into view. */
  column: text,
  /** The dialog for a new flag is open. */
  create: oneOf(['yes']),
});

export const flagTabs = ['history', 'evaluations', 'try', 'code'] as const;
export const flagSearch = searchOf({ tab: oneOf(flagTabs) });

const organisationAudit = {
  /** An id: only entries of this project. */
  project: text,
  /** `member:ID`, `token:ID`, `operator` or `anonymous`. */
  actor: text,
  flag: text,
  environment: text,
  action: text,
  /** Days as `2026-01-31T00:00+01:00`: in the zone of the member who chose them. */
  from: text,
  to: text,
};

export type AuditSearch = ReturnType<typeof auditSearch>;
export const auditSearch = searchOf({ scope: oneOf(['organisation']), ...organisationAudit });
export const organisationAuditSearch = searchOf(organisationAudit);

export const settingsSearch = searchOf({ tab: oneOf(['organisation', 'you']) });
