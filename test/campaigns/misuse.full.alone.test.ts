import { misuse } from './misuse.campaign.ts';
import { testCampaign } from './test-campaign.ts';

testCampaign(misuse);
