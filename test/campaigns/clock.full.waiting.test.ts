import { clock } from './clock.campaign.ts';
import { testCampaign } from './test-campaign.ts';

testCampaign(clock);
