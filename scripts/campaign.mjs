// npm run campaign: installs and builds what is missing, and tries one kind of fault many times at random.
//
//   npm run campaign                                lists the campaigns; so does npm run campaign -- help
//   npm run campaign -- NAME [COUNT] [SEED] [CASE]  runs one; the seed repeats a run, the case one of its cases
import './lib/choose-node.mjs';
import { runCompiled } from './lib/run-compiled.mjs';

await runCompiled('test/campaigns/main.js');
