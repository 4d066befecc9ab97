import type { DeclaredFlag } from '../../src/contracts/provision/declared-flag.ts';
import type { DeclaredProject } from '../../src/contracts/provision/declared-project.ts';

/** A project to provision. Its flags are generated when its document is made: there may be a million in all. */
export type ProvisionedPart = Omit<DeclaredProject, 'flags'> & {
  /** The usual one unless given. */
  readonly organisation?: string;
  /** The organisation's members, if this project is its first. */
  readonly members?: readonly object[];
  readonly flags: Iterable<DeclaredFlag>;
};

const usualOrganisation = 'Bench';
/** The organisation of a tenant that shares it with no other project. */
export const quietOrganisation = 'Quiet';

/** `apply` takes files of 64 MiB. */
const documentCharsMax = 16 * 1024 * 1024;

/** @returns the texts of documents for `apply` that declare these projects together */
export function* provisionDocuments(projects: Iterable<ProvisionedPart>): Generator<string> {
  let organisations = new Map<string, { readonly members: readonly object[]; readonly projects: object[] }>();
  let chars = 0;
  const documentText = (): string =>
    JSON.stringify({
      organisations: [...organisations].map(([name, rest]) => ({ name, plan: 'enterprise', ...rest })),
    });
  for (const { organisation = usualOrganisation, members = [], flags, ...rest } of projects) {
    const project = { ...rest, flags: [...flags] };
    const length = JSON.stringify(project).length;
    if (chars > 0 && chars + length > documentCharsMax) {
      yield documentText();
      organisations = new Map();
      chars = 0;
    }
    chars += length;
    const declared = organisations.get(organisation) ?? { members, projects: [] };
    declared.projects.push(project);
    organisations.set(organisation, declared);
  }
  if (chars > 0) yield documentText();
}
