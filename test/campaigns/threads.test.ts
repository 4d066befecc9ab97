import { testCampaign } from './test-campaign.ts';
import { threads } from './threads.campaign.ts';

testCampaign(threads);
