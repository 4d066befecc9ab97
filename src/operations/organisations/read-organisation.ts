import { organisationView, organisationViewSchema } from '../../contracts/console/organisation-views.ts';
import { ownOrganisation } from '../../domain/console/console-principal.ts';
import { succeed } from '../../domain/outcome.ts';
import { consoleRead, inOrganisation } from '../operation.ts';

export const readOrganisation = consoleRead('read-organisation', {
  route: 'GET /organisation',
  access: inOrganisation('viewer'),
  answer: organisationViewSchema,
  run: (_queries, _request, principal, { now }) =>
    succeed({ value: organisationView(ownOrganisation(principal), now) }),
});
