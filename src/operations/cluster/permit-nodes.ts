import { succeed } from '../../domain/outcome.ts';
import { inOrganisation, readStep } from '../operation.ts';

/** Nodes are the whole service's: of the members, Owners are who runs it, or can tell those who do. */
export const permitNodes = readStep('permit-nodes', inOrganisation('owner'), () => succeed({ value: null }));
