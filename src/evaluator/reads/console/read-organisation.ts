import type { ConsoleRead } from '../../../contracts/console/console-handler.ts';
import { organisationView } from '../../../contracts/console/organisation-view.ts';
import { allow } from '../../../domain/console/console-problem.ts';
import { ownOrganisation } from '../../../domain/console/own-organisation.ts';

export const readOrganisation: ConsoleRead = (_queries, _request, principal, { now }) =>
  allow({ value: organisationView(ownOrganisation(principal), now) });
