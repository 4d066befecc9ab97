import { cluster } from './cluster.campaign.ts';
import { testCampaign } from './test-campaign.ts';

testCampaign(cluster);
