import type { DunningCampaign, Invoice } from '@switchyard/sdk'
import { useParams } from '@tanstack/react-router'
import { useObject } from '../../../api/queries.ts'
import { moneyText } from '../../../format/money.ts'
import { dateTimeText } from '../../../format/time.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { PageLoaded } from '../../../ui/page-loaded.tsx'
import { Columns, Facts, PageHead, Panel, Sentence } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { PlainTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { CustomerName } from '../names.tsx'
import { CampaignActions } from './actions.tsx'
import { InvoiceAmount, useInvoice } from './amount.tsx'
import {
  campaignSentence,
  finalText,
  outcomeOf,
  type Step,
  schedulingLabels,
  stageText,
} from './campaign-text.ts'

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string }
  const query = useObject(['dunning_campaign', id], (api, signal) => api.dunningCampaigns.get(id, { signal }))
  return (
    <PageLoaded query={query} title="Campaign">
      {(campaign) => <CampaignView campaign={campaign} />}
    </PageLoaded>
  )
}

function CampaignView({ campaign }: { campaign: DunningCampaign }) {
  const { data: invoice } = useInvoice(campaign.invoice_id)
  return (
    <>
      <PageHead
        crumbs={[{ text: 'Dunning', to: '/dunning' }, { text: campaign.id }]}
        title={invoice === undefined ? 'Campaign' : titleOf(campaign, invoice)}
        titleExtra={<Status status={campaign.status} />}
        actions={<CampaignActions campaign={campaign} />}
      >
        <div className="mt-2">
          <Sentence>{campaignSentence(campaign)}</Sentence>
        </div>
      </PageHead>
      <Columns main={<CampaignSteps campaign={campaign} />} side={<Details campaign={campaign} />} />
    </>
  )
}

function titleOf({ status }: DunningCampaign, { amount_due, currency }: Invoice): string {
  const amount = moneyText(amount_due, currency)
  return status === 'running' ? `${amount} in dunning` : `Campaign for ${amount}`
}

function CampaignSteps({ campaign }: { campaign: DunningCampaign }) {
  return (
    <Panel title="Attempts" titleExtra={stageText(campaign)} flush>
      <PlainTable<Step>
        label="Attempts of this campaign"
        rows={campaign.steps}
        keyOf={({ planned_at, due_at }) => `${planned_at} ${due_at}`}
        empty="No further attempts are scheduled."
        columns={[
          {
            title: 'Time',
            cell: ({ attempted_at, due_at }) => dateTimeText(attempted_at ?? due_at),
            phone: true,
          },
          {
            title: 'Result',
            cell: (step) => <Outcome step={step} campaign={campaign} />,
            phone: true,
          },
          {
            title: 'Scheduling',
            cell: ({ moved }) => (moved === null ? 'as scheduled' : schedulingLabels[moved]),
          },
          { title: 'Payment', cell: ({ payment_id }) => <ObjectLink id={payment_id} /> },
        ]}
      />
    </Panel>
  )
}

function Outcome({ step, campaign }: { step: Step; campaign: DunningCampaign }) {
  const outcome = outcomeOf(campaign, step)
  return outcome === 'failed' ? (
    <Status status="declined">{step.code ?? ''}</Status>
  ) : (
    <Status status={outcome} />
  )
}

function Details({ campaign }: { campaign: DunningCampaign }) {
  const { policy } = campaign
  return (
    <>
      <Panel title="Details">
        <Facts
          facts={[
            ['Customer', <CustomerName key="customer" id={campaign.customer_id} />],
            ['Subscription', <ObjectLink key="subscription" id={campaign.subscription_id} />],
            ['Invoice', <ObjectLink key="invoice" id={campaign.invoice_id} />],
            ['Amount', <InvoiceAmount key="amount" id={campaign.invoice_id} />],
            ['First failed', <Time key="failed" at={campaign.failed_at} exact />],
            ['Ends by', <Time key="ends" at={campaign.ends_at} exact />],
          ]}
        />
      </Panel>
      <Panel title="Policy">
        <p>
          Retries run {policy.retry_days.join(', ')} days after the first failure, around {policy.local_hour}
          :00 UTC. If every retry fails, {finalText(campaign)}. Access is{' '}
          {policy.grace === 'campaign' ? 'granted in the meantime' : 'not granted in the meantime'}.
        </p>
      </Panel>
    </>
  )
}
