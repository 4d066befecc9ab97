import { succeed } from '../../domain/outcome.ts';
import { inOrganisation, readStep } from '../operation.ts';

/** Nodes belong to the whole service. Of all members, Owners run it, or know its operators. */
export const permitNodes = readStep('permit-nodes', inOrganisation('owner'), () => succeed({ value: null }));
