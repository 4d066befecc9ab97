import t from 'tap';
import { checkAgreement } from './ofrep-agreement.ts';

t.setTimeout(300_000);

t.test('OFREP and the Evaluation API agree on 10,000 contexts', (t) => checkAgreement(t, 10_000, 1_723));
