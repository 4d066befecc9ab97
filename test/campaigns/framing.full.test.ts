import { framing } from './framing.campaign.ts';
import { testCampaign } from './test-campaign.ts';

testCampaign(framing);
