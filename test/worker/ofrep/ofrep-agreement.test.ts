import t from 'tap';
import { checkAgreement } from './ofrep-agreement.ts';

t.setTimeout(120_000);

t.test('OFREP and the Evaluation API agree', (t) => checkAgreement(t, 400, 17));
