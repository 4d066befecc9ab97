import { kill9 } from './kill-9.campaign.ts';
import { testCampaign } from './test-campaign.ts';

testCampaign(kill9);
