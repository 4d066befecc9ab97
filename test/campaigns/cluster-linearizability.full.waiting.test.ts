import { clusterLinearizability } from './cluster-linearizability.campaign.ts';
import { testCampaign } from './test-campaign.ts';

testCampaign(clusterLinearizability);
